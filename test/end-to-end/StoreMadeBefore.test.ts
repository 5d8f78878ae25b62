/** A data folder that an earlier version made (test/vectors/made-by-80e359a/store): today's daemon goes on with a copy of it. */
import { execFileSync } from "node:child_process"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { logOf, treeAt } from "./HistoryRig.ts"
import { temporaryHome } from "./Treemarkd.ts"

const SET = resolve(import.meta.dirname, "../vectors/made-by-80e359a")
const LIGHTHOUSE = "bafkreibzlv4ds3f3s4cqxtdo24vmont377feivmdhmtfr2vcar6jyp475i"
const HARBOUR = "bafkreihid5egbvppezld3ezbo33zvdvuf5n35ozw443xf6ekbohdsjzrry"
const NIT = "bafkreidsqqvpuamf4xlv3zpdyjmuhrm2tlmlprb6pmhwpy72xpkwy6ylmm"

interface Commits {
  readonly commits: ReadonlyArray<{ readonly txHash: string }>
}

describe("a store made by 80e359a", () => {
  it.live(
    "is started on, audited clean, read and written; what came to nothing and what is on its way elsewhere stay as they are",
    () =>
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* Effect.sync(() => execFileSync("tar", ["xzf", resolve(SET, "store/store.tar.gz"), "-C", home]))
        const daemon = yield* startDaemon({ home, env: { TREEMARK_PROFILE: "own" } })

        const audit = (yield* daemon.admin("audit")) as { readonly findings: ReadonlyArray<unknown> }
        assert.deepStrictEqual(audit.findings, [])
        assert.include(daemon.log(), "was sent to chain 5003, which the profile")

        const lighthouse = yield* logOf(home, LIGHTHOUSE)
        assert.strictEqual(lighthouse.length, 5)
        assert.deepStrictEqual(
          (yield* logOf(home, HARBOUR)).map(({ status }) => status),
          ["U", "B"]
        )
        assert.deepStrictEqual(
          (yield* logOf(home, HARBOUR, "--network", "testnet")).map(({ assetTreeCid }) => assetTreeCid),
          [NIT]
        )
        assert.include(yield* treeAt(daemon, NIT), "As the public trees are")
        const listed = yield* daemon.call(`/assets/${LIGHTHOUSE}/commits`, { method: "GET" })
        assert.deepStrictEqual(
          (listed.json() as unknown as Commits).commits.map(({ txHash }) => txHash),
          lighthouse.map(({ txHash }) => txHash)
        )

        const token = yield* daemon.issueToken("studio", null)
        const studio = yield* daemon.showAccount("studio")
        assert.deepInclude(studio, { wallet: "0xcA5e2657BB8F6B999Eb238A7399E7f3cd72Af2Ee", disabled: false })
        const again = yield* daemon.call("/commit", {
          headers: { authorization: `token ${token}` },
          body: {
            encodingFormat: "text/plain",
            assetCid: LIGHTHOUSE,
            assetTimestampCreated: 1_700_000_000,
            assetCreator: "Ada Lovelace",
            assetSha256: "395d78396cbb97050bcc6ed72ac7367bffca4455833b2658eaa2047c9c3f9fea"
          }
        })
        assert.strictEqual(again.status, 200, again.text)
        assert.strictEqual((yield* logOf(home, LIGHTHOUSE)).length, 6)
        const after = (yield* daemon.admin("audit")) as { readonly findings: ReadonlyArray<unknown> }
        assert.deepStrictEqual(after.findings, [])
      }).pipe(Effect.scoped),
    600_000
  )
})

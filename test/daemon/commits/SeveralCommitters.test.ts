/** Several wallets that commit: one per asset, each with nonces of its own, gone on with even when fewer are configured later. */
import { assert, describe, it } from "@effect/vitest"
import { Ledger } from "@treemark/core"
import { Duration, Effect } from "effect"
import type { Hex } from "viem"
import { committersOf } from "../../../packages/daemon/src/wallets/Committers.ts"
import { commitRequest } from "../../end-to-end/Treemarkd.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { RunningDaemon } from "../../layers/RunningDaemon.ts"
import { isCaptured, rig, SEND } from "./FaultRig.ts"
import { assetCid, callerNamed, eventually, jobOf, order, record, TOKEN, WALLETS } from "./LedgerFixture.ts"

const COUNT = 3
const committers = committersOf(WALLETS, COUNT)

/** anvil with three committers that have gas; it mines all that is there each time, for it loses track of nonces that come in at once. */
const funded = Effect.gen(function* () {
  const made = yield* rig(["--no-mining"])
  const { steer } = made.anvil
  for (const { address } of committers.all) {
    yield* Effect.promise(() => steer.setBalance({ address: address as Hex, value: TOKEN }))
  }
  const mining = Effect.promise(() => steer.mine({ blocks: 1 })).pipe(Effect.delay("50 millis"), Effect.forever)
  yield* Effect.forkScoped(mining)
  const count = (address: string) =>
    Effect.promise(() => made.anvil.client.getTransactionCount({ address: address as Hex }))
  return { ...made, count }
})

describe.skipIf(isAnvilMissing)("commits by several committers", () => {
  it.live(
    "an asset's commits are all sent by its wallet, in its nonces' order, without a gap in any wallet's nonces",
    () =>
      Effect.gen(function* () {
        const { count, run } = yield* funded
        yield* run(
          Effect.gen(function* () {
            const ledger = yield* Ledger
            const caller = yield* callerNamed("alice")
            const made = yield* Effect.forEach(
              Array.from({ length: 24 }, (_, n) => ({ id: `commit-${n}`, word: `asset ${n % 6}` })),
              Effect.fnUntraced(function* ({ id, word }) {
                const wanted = yield* order(caller, id, word)
                const entry = yield* record(wanted)
                return { entry, wanted, nonce: Number((yield* jobOf(id))?.nonce) }
              }),
              { concurrency: "unbounded" }
            )
            for (const { entry, wanted } of made) {
              assert.strictEqual(entry.recorder, committers.of(wanted.assetCid).address)
              assert.strictEqual(entry.recorder, ledger.committerOf(wanted.assetCid))
            }
            const byWallet = Map.groupBy(made, ({ entry }) => entry.recorder)
            assert.isAbove(byWallet.size, 1)
            for (const [wallet, commits] of byWallet) {
              const nonces = commits.map(({ nonce }) => nonce).toSorted((a, b) => a - b)
              assert.deepStrictEqual(nonces, [...commits.keys()])
              assert.strictEqual(yield* count(wallet), commits.length)
            }
          }),
          { committers: COUNT }
        )
      }).pipe(Effect.scoped)
  )

  it.live("a commit of a wallet that is not configured any more is finished all the same", () =>
    Effect.gen(function* () {
      const { proxy, run } = yield* funded
      const word = ["a", "b", "c", "d", "e", "f"].find((one) => committers.of(assetCid(one)).walletIndex !== 0) ?? "a"
      proxy.plan = (method) => (method === SEND ? "hang" : undefined)
      yield* run(
        Effect.gen(function* () {
          const wanted = yield* order(yield* callerNamed("alice"), "one", word)
          assert.strictEqual((yield* Effect.flip(record(wanted)))._tag, "CommitPending")
        }),
        { committers: COUNT, deadline: Duration.seconds(2) }
      )
      proxy.plan = () => undefined
      yield* run(
        Effect.gen(function* () {
          const job = yield* eventually(jobOf("one"), isCaptured)
          assert.deepInclude({ ...job }, { state: "mined", hold_state: "captured" })
        }),
        { committers: 1 }
      )
      assert.strictEqual(new Set(proxy.sent).size, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a daemon with three committers on the embedded chains", () => {
  it.live(
    "gives each of them gas, names the one that commits in the record, and its audit of itself is clean",
    () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        const { token } = yield* daemon.createAccount({ name: "spreads", credits: "10" })
        const headers = { authorization: `token ${token}` }
        const shown = (yield* daemon.admin("wallet", "show")) as Shown
        for (const { balances } of shown.committers) {
          assert.deepStrictEqual(
            balances.map(({ balance }) => balance),
            ["1000.0000", "1000.0000"]
          )
        }
        const recorders = new Set<string>()
        for (let n = 0; n < 12; n++) {
          const asset = yield* daemon.register(new TextEncoder().encode(`asset ${n}`))
          const done = yield* daemon.call("/commit", { headers, body: commitRequest(asset, {}) })
          assert.strictEqual(done.status, 200, done.text)
          const listed = (yield* daemon.call(`/assets/${asset.assetCid}/commits`)).json() as unknown as Listed
          const [made] = listed.commits
          assert.strictEqual(made?.commit.committer, made?.recorder)
          recorders.add(made?.recorder ?? "")
        }
        const addresses = shown.committers.map(({ address }) => address)
        assert.deepStrictEqual([...recorders].sort(), addresses.toSorted())
        assert.deepInclude((yield* daemon.admin("audit")) as object, { clean: true })
      }).pipe(Effect.provide(RunningDaemon.layer({ env: { TREEMARK_COMMITTERS: `${COUNT}` } })), Effect.scoped),
    600_000
  )
})

interface Shown {
  readonly committers: ReadonlyArray<{
    readonly address: string
    readonly balances: ReadonlyArray<{ readonly balance: string }>
  }>
}

interface Listed {
  readonly commits: ReadonlyArray<{ readonly recorder: string; readonly commit: { readonly committer: string } }>
}

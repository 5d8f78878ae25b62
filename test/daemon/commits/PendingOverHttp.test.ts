/**
 * What a caller is told over HTTP while its commit is under way: a real daemon with two committers, on an anvil that mines only when
 * told to, and two confirmations asked for.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createTestClient, type Hex, http, parseEther } from "viem"
import { commitDeployedBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { commitRequest } from "../../end-to-end/Treemarkd.ts"
import { isAnvilMissing, startAnvil } from "../../layers/Anvil.ts"
import { RunningDaemon } from "../../layers/RunningDaemon.ts"
import { eventually } from "./LedgerFixture.ts"

const CONTRACT: Hex = "0x0000000000000000000000000000000000007053"

const role = (name: string, url: string) => `
[profiles.own.${name}]
name = "my ${name}"
chain_id = 31337
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
`

interface Shown {
  readonly committer: Hex
  readonly committers: ReadonlyArray<{ readonly address: Hex; readonly balances: ReadonlyArray<unknown> }>
}

interface State {
  readonly state: string
  readonly txHash: string
  readonly blockNumber: number | null
  readonly confirmations: number | null
  readonly charged: string | null
  readonly receipt: string | null
  readonly error: string | null
  readonly history: ReadonlyArray<{ readonly what: string; readonly at: string; readonly txHash: string | null }>
}

describe.skipIf(isAnvilMissing)("GET /commits/{id} while a commit is under way", () => {
  it.live(
    "tells where it stands and what happened, from sent over confirming to mined; /ready and wallet show name each committer",
    () =>
      Effect.gen(function* () {
        const anvil = yield* startAnvil({ chainId: 31_337, extraArgs: ["--no-mining"] })
        const steer = createTestClient({ mode: "anvil", transport: http(anvil.url) })
        yield* Effect.promise(() => steer.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
        const mine = Effect.promise(() => steer.mine({ blocks: 1 }))
        const settings = `profile = "own"\ncommitters = 2\nconfirmations = 2\ncommit_timeout = "2 seconds"
${role("mainnet", anvil.url)}${role("testnet", anvil.url)}`
        yield* Effect.gen(function* () {
          const daemon = yield* RunningDaemon
          const { committer, committers } = (yield* daemon.admin("wallet", "show")) as Shown
          assert.lengthOf(committers, 2)
          assert.strictEqual(committers[0]?.address, committer)
          assert.lengthOf(committers[1]?.balances ?? [], 2)
          const poor = yield* daemon.call("/ready")
          assert.strictEqual(poor.status, 503)
          assert.include(
            poor.text,
            `The wallet ${committers[1]?.address} holds 0 on my mainnet, and the gas of one commit`
          )
          for (const { address } of committers) {
            yield* Effect.promise(() => steer.setBalance({ address, value: parseEther("1") }))
          }
          const ready = yield* eventually(daemon.call("/ready"), ({ status }) => status === 200)
          assert.strictEqual(ready.status, 200, ready.text)
          assert.include(ready.text, `The wallet ${committers[1]?.address} holds 1 on my testnet.`)

          const { token } = yield* daemon.createAccount({ name: "waits", credits: "1" })
          const headers = { authorization: `token ${token}`, "idempotency-key": "one" }
          const asset = yield* daemon.register(new TextEncoder().encode("pending"))
          const body = commitRequest(asset, {})
          const pending = yield* daemon.call("/commit", { headers, body })
          assert.strictEqual(pending.status, 500, pending.text)
          const problem = pending.json()
          assert.strictEqual(problem.code, "commit_pending")
          const id = /Commit (\S+) was sent/u.exec(String(problem.detail))?.[1] ?? ""
          const look = Effect.map(
            daemon.call(`/commits/${id}`, { headers }),
            (answer) => answer.json() as unknown as State
          )

          const sent = yield* look
          assert.deepInclude(sent, {
            state: "sent",
            blockNumber: null,
            confirmations: null,
            charged: null,
            error: null
          })
          assert.deepStrictEqual(
            sent.history.map(({ txHash, what }) => [what, txHash]),
            [
              ["signed", sent.txHash],
              ["sent", sent.txHash]
            ]
          )
          yield* mine
          const confirming = yield* eventually(look, ({ blockNumber }) => blockNumber !== null)
          assert.deepInclude(confirming, { state: "sent", blockNumber: 1, confirmations: 1, charged: null })
          assert.strictEqual(confirming.history.at(-1)?.what, "in_block")
          yield* mine
          const made = yield* eventually(look, ({ charged }) => charged !== null)
          assert.deepInclude(made, { state: "mined", blockNumber: 1, confirmations: null, txHash: sent.txHash })
          assert.strictEqual(made.history.at(-1)?.what, "mined")
          assert.isString(made.receipt)
          const final = yield* daemon.call("/commit", { headers, body })
          assert.strictEqual(final.status, 200, final.text)
          assert.strictEqual(final.json().txHash, sent.txHash)
        }).pipe(Effect.provide(RunningDaemon.layer({ settings })))
      }).pipe(Effect.scoped),
    600_000
  )
})

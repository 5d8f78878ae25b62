/** anvil and cast, of Foundry: the whole run, and proofs from a block that holds transactions of other types. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createTestClient } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { bytesOf } from "../end-to-end/Treemarkd.ts"
import { patientHttp, startAnvil } from "../layers/Anvil.ts"
import { patience } from "../layers/Long.ts"
import { sendersOf, transactionsOf } from "./BlockOfTypes.ts"
import { assertProofsHold, clientsOf, commitUntilMade, daemonOn, type Node, wholeRun } from "./ChainRun.ts"

/** Not 3: anvil 1.7.1 makes a block's transactionsRoot of blob transactions with their blobs, so none in such a block can be shown (EIP-4844). */
const TYPES = [0, 1, 2, 4]

/** The first account of anvil's well-known words. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
const rich = privateKeyToAccount(KEY)

const anvilAt = Effect.fnUntraced(function* (extraArgs: ReadonlyArray<string>) {
  const { url } = yield* startAnvil({ chainId: 31_337, extraArgs })
  return { url, chainId: 31_337, rich } satisfies Node
})

describe("anvil", () => {
  for (const contract of ["events", "indexed"] as const) {
    it.live(
      `takes 150 commits with 16 in flight on a contract of ${contract}`,
      () =>
        Effect.gen(function* () {
          // Mined every second: its mining of each transaction loses track when many are sent at once.
          const node = yield* anvilAt(["--block-time", "1", "--base-fee", "1000000000"])
          // What it traces (debug_traceTransaction) is the gas of the block up to the transaction's end, and not the transaction's own.
          yield* wholeRun(node, { contract, commits: 150, traces: false })
        }).pipe(Effect.scoped),
      patience(3)
    )
  }

  it.live(
    "proves a commit in a block that it shares with transactions of types 0, 1, 2 and 4",
    () =>
      Effect.gen(function* () {
        const node = yield* anvilAt(["--hardfork", "prague"])
        const steer = createTestClient({ mode: "anvil", transport: patientHttp(node.url) })
        const { address, daemon } = yield* daemonOn(node, "events")
        const { token } = yield* daemon.createAccount({ name: "among others", credits: "5" })
        const asset = yield* daemon.register(bytesOf("among others"), "text/plain")
        const senders = yield* sendersOf(node, TYPES)
        const signed = yield* Effect.promise(() => transactionsOf(node, address, senders))
        const { client } = clientsOf(node)
        yield* Effect.promise(() => steer.setAutomine(false))
        for (const serializedTransaction of signed)
          yield* Effect.promise(() => client.sendRawTransaction({ serializedTransaction }))
        const committing = yield* Effect.forkChild(commitUntilMade(daemon, token, asset, "among others"))
        const pending = Effect.promise(() => steer.getTxpoolStatus())
        yield* pending.pipe(
          Effect.delay("50 millis"),
          Effect.repeat({ until: (status) => Number(status.pending) > signed.length })
        )
        yield* Effect.promise(() => steer.mine({ blocks: 1 }))
        const made = yield* Fiber.join(committing)
        const { blockNumber } = yield* Effect.promise(() => client.getTransactionReceipt({ hash: made.txHash }))
        const block = yield* Effect.promise(() => client.getBlock({ blockNumber, includeTransactions: true }))
        const types = new Set(block.transactions.map(({ typeHex }) => Number(typeHex)))
        assert.deepStrictEqual([...types].sort(), TYPES)
        yield* assertProofsHold(daemon, [made])
      }).pipe(Effect.scoped),
    patience(2)
  )
})

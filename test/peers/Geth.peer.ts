/** go-ethereum in its developer mode: the whole run with the node restarted in the middle, and proofs from a block with transactions of every type. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createPublicClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { bytesOf } from "../end-to-end/Treemarkd.ts"
import { patience } from "../layers/Long.ts"
import { sendersOf, transactionsOf } from "./BlockOfTypes.ts"
import { assertProofsHold, clientsOf, commitUntilMade, daemonOn, type Node, wholeRun } from "./ChainRun.ts"
import { found, freePort, startProgram } from "./Programs.ts"

/** The key of the developer's account, which go-ethereum's sources name. */
const KEY = "0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291"
const rich = privateKeyToAccount(KEY)
const CHAIN_ID = 1_337
const TYPES = [0, 1, 2, 3, 4]

const startGeth = Effect.fnUntraced(function* (period: number) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-geth-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
  )
  const port = yield* freePort
  const url = `http://127.0.0.1:${port}`
  const api = [
    "--http",
    "--http.addr",
    "127.0.0.1",
    "--http.port",
    String(port),
    "--http.api",
    "eth,net,web3,debug,txpool"
  ]
  const alone = ["--nodiscover", "--maxpeers", "0", "--authrpc.port", String(yield* freePort), "--ipcdisable"]
  const command = [found("TREEMARK_PEER_GETH"), "--dev", "--dev.period", String(period), "--datadir", folder, "--nousb"]
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  const program = yield* startProgram(
    [...command, ...api, ...alone],
    async () => (await client.getChainId()) === CHAIN_ID
  )
  return { program, node: { url, chainId: CHAIN_ID, rich } satisfies Node as Node }
})

describe("go-ethereum", () => {
  for (const contract of ["events", "indexed"] as const) {
    it.live(
      `takes 300 commits with 16 in flight on a contract of ${contract}, and is restarted meanwhile`,
      () =>
        Effect.gen(function* () {
          const { node, program } = yield* startGeth(1)
          yield* wholeRun(node, { contract, commits: 300, traces: true, restart: program.restart("SIGTERM") })
        }).pipe(Effect.scoped),
      patience(4)
    )
  }

  it.live(
    "proves a commit in a block that it shares with transactions of types 0 to 4",
    () =>
      Effect.gen(function* () {
        const { node } = yield* startGeth(4)
        const { client } = clientsOf(node)
        const { address, daemon } = yield* daemonOn(node, "events")
        const { token } = yield* daemon.createAccount({ name: "among others", credits: "50" })
        const asset = yield* daemon.register(bytesOf("among others"), "text/plain")
        const senders = yield* sendersOf(node, TYPES)
        // On a busy machine they may not all be in time for one block: until they are.
        for (let turn = 0; ; turn++) {
          const signed = yield* Effect.promise(() => transactionsOf(node, address, senders))
          const before = yield* Effect.promise(() => client.getBlockNumber())
          yield* Effect.promise(() => client.getBlockNumber()).pipe(
            Effect.delay("20 millis"),
            Effect.repeat({ until: (number) => number > before })
          )
          const committing = yield* Effect.forkChild(commitUntilMade(daemon, token, asset, `among others ${turn}`))
          for (const serializedTransaction of signed)
            yield* Effect.promise(() => client.sendRawTransaction({ serializedTransaction }))
          const made = yield* Fiber.join(committing)
          const { blockNumber } = yield* Effect.promise(() => client.getTransactionReceipt({ hash: made.txHash }))
          const block = yield* Effect.promise(() => client.getBlock({ blockNumber, includeTransactions: true }))
          const types = [...new Set(block.transactions.map(({ typeHex }) => Number(typeHex)))].sort()
          if (types.length < TYPES.length && turn < 20) continue
          assert.deepStrictEqual(types, TYPES)
          return yield* assertProofsHold(daemon, [made])
        }
      }).pipe(Effect.scoped),
    patience(4)
  )
})

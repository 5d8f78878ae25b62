/** What an embedded chain has once answered survives SIGKILL at any moment: receipts, block hashes, and the lock's release. */
import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { numberToHex } from "viem"
import { generatePrivateKey } from "viem/accounts"
import { amountOf } from "../../layers/Long.ts"
import { openChain, type Receipt, rpc, temporaryFile } from "./ChainFixture.ts"

const ROUNDS = amountOf("TREEMARK_TEST_CHAIN_KILLS", { whole: 20, part: 3 })
const SEED = 7053

/** Commits in a process of its own until `milliseconds` after its first receipt, then kills it; answers what it had seen. */
const commitUntilKilled = (path: string, key: string, milliseconds: number): Promise<ReadonlyArray<Receipt>> =>
  new Promise((resolve, reject) => {
    const script = new URL("./CommitterProcess.ts", import.meta.url).pathname
    const child = spawn(process.execPath, [script, path, key], { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let errors = ""
    let timer: NodeJS.Timeout | undefined
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
      timer ??= setTimeout(() => child.kill("SIGKILL"), milliseconds)
    })
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString("utf8")
    })
    child.once("close", (_code, signal) => {
      clearTimeout(timer)
      if (signal !== "SIGKILL") return reject(new Error(`the committer ended by itself: ${errors}`))
      const complete = output.slice(0, output.lastIndexOf("\n") + 1).split("\n")
      resolve(complete.filter((line) => line !== "").map((line) => JSON.parse(line) as Receipt))
    })
  })

const hashesOf = async (chain: Parameters<typeof rpc>[0]): Promise<ReadonlyArray<string>> => {
  const height = Number(await rpc(chain, "eth_blockNumber"))
  const numbers = Array.from({ length: height + 1 }, (_, number) => number)
  const blocks = await Promise.all(
    numbers.map((number) => rpc<{ hash: string }>(chain, "eth_getBlockByNumber", numberToHex(number), false))
  )
  return blocks.map((block) => block.hash)
}

describe("kill -9", () => {
  it.live("loses no acknowledged receipt and changes no block hash, round after round", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        const key = generatePrivateKey()
        let hashes: ReadonlyArray<string> = []
        let acknowledged = 0
        for (let round = 0; round < ROUNDS; round++) {
          const pause = yield* Random.nextIntBetween(20, 900)
          const seen = yield* Effect.promise(() => commitUntilKilled(path, key, pause))
          acknowledged += seen.length
          hashes = yield* Effect.scoped(
            Effect.gen(function* () {
              const chain = yield* openChain(path)
              return yield* Effect.promise(async () => {
                for (const receipt of seen) {
                  const kept = await rpc<Receipt | null>(chain, "eth_getTransactionReceipt", receipt.transactionHash)
                  assert.deepStrictEqual(kept, receipt)
                }
                const now = await hashesOf(chain)
                assert.deepStrictEqual(now.slice(0, hashes.length), [...hashes])
                return now
              })
            })
          )
        }
        assert.isAtLeast(acknowledged, ROUNDS)
      }).pipe(Random.withSeed(SEED))
    )
  )
})

/** A chain's file that 80e359a made: today's chain answers from it what stood in it, and goes on. */
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { bytesToHex, type Hex, hexToNumber, keccak256, numberToHex } from "viem"
import { ChainStore } from "../../../packages/daemon/src/devchain/ChainStore.ts"
import type { EmbeddedChain } from "../../../packages/daemon/src/devchain/EmbeddedChain.ts"
import { CHAIN_ID, fundedAccount, openChain, outside, type Receipt, rpc, send, temporaryFile } from "./ChainFixture.ts"

const STORE = resolve(import.meta.dirname, "../../vectors/made-by-80e359a/store/store.tar.gz")

const oldFile: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const home = mkdtempSync(join(tmpdir(), "treemark-old-"))
    execFileSync("tar", ["xzf", STORE, "-C", home])
    return join(home, "chain-mainnet.db")
  }),
  (path) => Effect.sync(() => rmSync(dirname(path), { recursive: true, force: true }))
)

const hex = (value: unknown): Hex => bytesToHex(value as Uint8Array)

/** Everything the old file says of its blocks, transactions, logs and state, read from its tables. */
const tablesOf = (path: string) => {
  const db = new DatabaseSync(path)
  const all = (from: string) => db.prepare(`SELECT * FROM ${from}`).all()
  const tables = {
    blocks: all("block ORDER BY number"),
    transactions: all("tx ORDER BY block, idx"),
    logs: all("log ORDER BY block, idx"),
    nodes: all("node")
  }
  db.close()
  return tables
}

const isAnswered = async (chain: EmbeddedChain, { blocks, logs, transactions }: ReturnType<typeof tablesOf>) => {
  assert.strictEqual(hexToNumber(await rpc<Hex>(chain, "eth_blockNumber")), blocks.length - 1)
  for (const block of blocks) {
    const number = numberToHex(Number(block.number))
    const found = await rpc<{ hash: Hex; size: Hex }>(chain, "eth_getBlockByHash", hex(block.hash), false)
    assert.strictEqual(found.hash, hex(block.hash))
    assert.strictEqual(hexToNumber(found.size), block.size)
    assert.strictEqual(await rpc(chain, "debug_getRawHeader", number), hex(block.header))
    assert.strictEqual(keccak256(hex(block.header)), found.hash)
    const leaves = transactions.filter((tx) => tx.block === block.number).map((tx) => hex(tx.receipt))
    assert.deepStrictEqual(await rpc<unknown>(chain, "debug_getRawReceipts", number), leaves)
  }
  for (const tx of transactions) {
    const receipt = await rpc<Receipt & { from: Hex; to: Hex | null }>(chain, "eth_getTransactionReceipt", hex(tx.hash))
    assert.strictEqual(hexToNumber(receipt.gasUsed), tx.gas_used)
    assert.strictEqual(BigInt(receipt.effectiveGasPrice), BigInt(String(tx.gas_price)))
    assert.strictEqual(receipt.from, hex(tx.sender))
    assert.strictEqual(receipt.to, tx.recipient === null ? null : hex(tx.recipient))
    assert.strictEqual(receipt.contractAddress, tx.contract === null ? null : hex(tx.contract))
  }
  const found = await rpc<ReadonlyArray<Record<string, unknown>>>(chain, "eth_getLogs", { fromBlock: "0x0" })
  assert.deepStrictEqual(
    found.map((log) => [log.blockNumber, log.logIndex, log.transactionIndex, log.address, log.topics, log.data]),
    logs.map((log) => [
      ...[log.block, log.idx, log.tx].map((value) => numberToHex(Number(value))),
      hex(log.address),
      [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic) => topic !== null).map(hex),
      hex(log.data)
    ])
  )
}

describe("a chain that 80e359a made", () => {
  it.live("answers what stood in its tables, has its whole state, is smaller, and goes on", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* oldFile
        const tables = yield* Effect.sync(() => tablesOf(path))
        const size = statSync(path).size
        yield* Effect.scoped(
          Effect.gen(function* () {
            const chain = yield* openChain(path)
            yield* Effect.promise(async () => {
              await isAnswered(chain, tables)
              assert.strictEqual((await send(chain, await fundedAccount(chain), { nonce: 0 })).status, "0x1")
            })
          })
        )
        assert.isBelow(statSync(path).size, size)
        const store = ChainStore.open(path)
        for (const { hash, value } of tables.nodes) assert.strictEqual(hex(store.node(hex(hash).slice(2))), hex(value))
        store.close()
        const again = yield* openChain(path)
        yield* Effect.promise(async () => {
          const height = hexToNumber(await rpc<Hex>(again, "eth_blockNumber"))
          assert.strictEqual(height, tables.blocks.length + 1)
          const asked = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }
          assert.deepInclude(await outside(again, asked), { result: numberToHex(height) })
        })
      })
    )
  )

  it.live("is left as it is when the disk has no room to rewrite it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* oldFile
        const before = yield* Effect.sync(() => tablesOf(path))
        const copy = yield* temporaryFile
        yield* Effect.sync(() => {
          copyFileSync(path, copy)
          const { exec } = DatabaseSync.prototype
          DatabaseSync.prototype.exec = function (statement) {
            if (statement.includes("DROP TABLE old_node")) throw new Error("database or disk is full")
            return exec.call(this, statement)
          }
          try {
            assert.throws(() => ChainStore.open(copy), "full")
          } finally {
            DatabaseSync.prototype.exec = exec
          }
        })
        assert.deepStrictEqual(tablesOf(copy), before)
        const chain = yield* openChain(copy, CHAIN_ID)
        yield* Effect.promise(() => isAnswered(chain, before))
      })
    )
  )
})

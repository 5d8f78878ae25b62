/**
 * A store with many finished commits for the bench of the audit, its folder of blocks, and the ledger of the same commits: everything that
 * an audit reads is there and true, but for the signatures of all receipts before the last.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Redacted, Stream } from "effect"
import { encodeEventTopics, type Hex, keccak256, pad, stringToHex } from "viem"
import * as AssetStore from "../packages/daemon/src/content/AssetStore.ts"
import { Assets } from "../packages/daemon/src/content/Assets.ts"
import * as BlockFolder from "../packages/daemon/src/content/BlockFolder.ts"
import { commitAbi } from "../packages/daemon/src/evm/CommitContract.ts"
import { Networks } from "../packages/daemon/src/evm/Networks.ts"
import { RpcFailure } from "../packages/daemon/src/evm/RpcFailure.ts"
import * as Migrations from "../packages/daemon/src/store/Migrations.ts"
import * as Sqlite from "../packages/daemon/src/store/Sqlite.ts"
import { walletsOf } from "../packages/daemon/src/wallets/HdWallets.ts"
import { commitJson, fillFast, grow, txHash } from "./Grown.ts"

const ASSET = "bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am"

/** The wallets of the bench. */
export const wallets = walletsOf(Redacted.make(Uint8Array.from({ length: 64 }, (_, n) => n)))
const service = wallets.address(0)

export const storeOf = (folder: string) =>
  Migrations.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: join(folder, "treemark.db") })))

export const blocksOf = (folder: string): string => join(folder, "blocks")

/** Every other tree is a file, as all were before the store had a table for them. */
export const isFile = (n: number): boolean => n % 2 === 0

/** Two leaves and a root each. */
const FILE_BYTES = 300_000

/** Registers `files` files, each of blocks of its own, and answers their CIDs. */
export const registerFiles = (folder: string, files: number): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const assets = yield* Assets
    return yield* Effect.forEach(
      Array.from({ length: files }, (_, n) => new Uint8Array(FILE_BYTES).fill(n % 251).fill(n >> 8, 0, 4_096)),
      (bytes, n) => {
        new DataView(bytes.buffer).setUint32(8, n)
        new DataView(bytes.buffer).setUint32(FILE_BYTES - 8, n)
        return Effect.map(
          assets.register({
            bytes: Stream.succeed(bytes),
            fileName: undefined,
            contentType: "image/png",
            accountId: undefined
          }),
          ({ assetCid }) => assetCid
        )
      },
      { concurrency: 8 }
    )
  }).pipe(
    Effect.provide(
      AssetStore.layer.pipe(
        Layer.provide(BlockFolder.layer({ folder: blocksOf(folder), publicUrl: "http://127.0.0.1" })),
        Layer.provide(storeOf(folder))
      )
    ),
    Effect.runPromise
  )

/** Fills `folder` with the store of `commits` commits of one account. */
export const fillStore = async (folder: string, commits: number): Promise<void> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await Effect.runPromise(Effect.void.pipe(Effect.provide(storeOf(folder)), Effect.scoped))
  const shards = new Set<string>()
  fillFast(join(folder, "treemark.db"), (insert, database) => {
    const account = { id: "acc_bench", wallet: "0x1" }
    insert("account", { ...account, name: "bench", service_name: "bench", wallet_index: 1, created_at: 1 })
    grow(insert, database, {
      account,
      service,
      committer: service,
      chainId: 1,
      commits,
      assetOf: () => ASSET,
      placeOf: (n) => ({ block: n, hash: txHash(n), logIndex: 0 }),
      signLast: (text) => wallets.signText(0, text),
      putElsewhere: (n, cid, bytes) => {
        if (!isFile(n)) return false
        const shard = join(blocksOf(folder), cid.slice(-3, -1))
        if (!shards.has(shard)) mkdirSync(shard, { recursive: true })
        shards.add(shard)
        writeFileSync(join(shard, cid), bytes)
        return true
      },
      at: () => 5
    })
  })
}

const [TOPIC] = encodeEventTopics({ abi: commitAbi, eventName: "Commit" })
const ASSET_TOPIC = keccak256(stringToHex(ASSET))
const word = (n: number): string => n.toString(16).padStart(64, "0")

/** The log of commit `n`, as JSON-RPC gives it. */
const logOf = (n: number) => {
  const text = Buffer.from(commitJson(n))
  const padded = text.toString("hex").padEnd(Math.ceil(text.length / 32) * 64, "0")
  return {
    blockNumber: `0x${n.toString(16)}`,
    blockHash: txHash(n),
    logIndex: "0x0",
    transactionHash: txHash(n),
    topics: [TOPIC, pad(service as Hex), ASSET_TOPIC],
    data: `0x${word(32)}${word(text.length)}${padded}`
  }
}

/** A node answers no more logs than the embedded chains do. */
const MOST_LOGS = 10_000

/** The two networks with one commit per block on the mainnet. Its logs are passed on as text, as over a thread or a wire. */
export const networksOf = (commits: number): Layer.Layer<Networks> => {
  const network = (name: string, chainId: number, blocks: number) => ({
    name,
    role: name,
    chainId,
    embedded: true,
    contract: "0x0000000000000000000000000000000000007053",
    client: {
      getBlockNumber: async () => BigInt(blocks),
      request: async ({ params: [filter] }: { params: [{ fromBlock: Hex; toBlock: Hex }] }) => {
        const from = Number(filter.fromBlock)
        const to = Math.min(Number(filter.toBlock), blocks - 1)
        if (to - from >= MOST_LOGS) {
          throw new RpcFailure({ network: name, outcome: "refused", code: -32_005, detail: "too many logs" })
        }
        return structuredClone(Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => logOf(from + n)))
      }
    }
  })
  const roles = { mainnet: network("mainnet", 1, commits), testnet: network("testnet", 2, 0) }
  return Layer.succeed(Networks, { profile: "bench", role: (role: keyof typeof roles) => roles[role] } as never)
}

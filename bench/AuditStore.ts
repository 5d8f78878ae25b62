/**
 * A store with many finished commits for the bench of the audit, written straight into its tables and its folder of blocks, with the
 * ledger of the same commits: everything that an audit reads is there and true, but for the signatures of all receipts before the last.
 */
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Redacted, Stream } from "effect"
import { encodeEventTopics, type Hex, keccak256, pad, stringToHex } from "viem"
import { treeCidOf } from "../packages/core/src/asset-tree/Cid.ts"
import { signReceipt } from "../packages/core/src/statement/Receipt.ts"
import * as AssetStore from "../packages/daemon/src/content/AssetStore.ts"
import { Assets } from "../packages/daemon/src/content/Assets.ts"
import * as BlockFolder from "../packages/daemon/src/content/BlockFolder.ts"
import { commitAbi } from "../packages/daemon/src/evm/CommitContract.ts"
import { Networks } from "../packages/daemon/src/evm/Networks.ts"
import { RpcFailure } from "../packages/daemon/src/evm/RpcFailure.ts"
import * as Migrations from "../packages/daemon/src/store/Migrations.ts"
import * as Sqlite from "../packages/daemon/src/store/Sqlite.ts"
import { walletsOf } from "../packages/daemon/src/wallets/HdWallets.ts"

const TOKEN = 10n ** 18n
const PRICE = TOKEN / 10n
const GAS_USED = 43_333n
const GAS_PRICE = 100n * 10n ** 9n
const GAS = GAS_USED * GAS_PRICE
const HELD = PRICE + (GAS * 6n) / 5n

const ACCOUNT = "acc_bench"
const ASSET = "bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am"

/** The wallets of the bench. */
export const wallets = walletsOf(Redacted.make(Uint8Array.from({ length: 64 }, (_, n) => n)))
const service = wallets.address(0)

export const storeOf = (folder: string) =>
  Migrations.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename: join(folder, "treemark.db") })))

export const blocksOf = (folder: string): string => join(folder, "blocks")

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const txHash = (n: number): Hex => `0x${sha256(`transaction ${n}`)}`
const commitJson = (n: number): string =>
  JSON.stringify({ n, abstract: "a commit of the bench", rest: "x".repeat(600) })
const treeText = (n: number): string => JSON.stringify({ n, assetCreator: "the bench", rest: "y".repeat(300) })

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
  const database = new DatabaseSync(join(folder, "treemark.db"))
  database.exec("PRAGMA synchronous = OFF; BEGIN")
  const insert = inserter(database)
  insert("account", {
    id: ACCOUNT,
    name: "bench",
    service_name: "bench",
    wallet_index: 1,
    wallet: "0x1",
    created_at: 1
  })
  const balances = new Map<string, bigint>()
  for (const [id, debit] of Object.entries(BOOKS)) {
    insert("ledger_account", { id, kind: id.split(":")[0] ?? id, overdraft: debit, debit })
  }
  const post = (id: string, kind: string, reference: string, lines: Readonly<Record<string, bigint>>) => {
    insert("ledger_entry", { id, kind, reference, created_at: 5 })
    for (const [account_id, amount] of Object.entries(lines)) {
      insert("posting", { entry_id: id, account_id, amount: amount.toString() })
      balances.set(account_id, (balances.get(account_id) ?? 0n) + amount)
    }
  }
  const granted = HELD * BigInt(commits + 1)
  post("grant:1", "grant", "1", { issued: -granted, [CREDITS]: granted })

  const shards = new Set<string>()
  let previous: string | null = null
  for (let n = 0; n < commits; n++) {
    const name = sha256(String(n)).slice(0, 20)
    const hold = `hold_${name}`
    const id = `cmt_${name}`
    post(`hold:${hold}`, "hold", id, { [CREDITS]: -HELD, [HELD_CREDITS]: HELD })
    post(`capture:${hold}`, "capture", id, {
      revenue: PRICE,
      gas: GAS,
      [HELD_CREDITS]: -HELD,
      [CREDITS]: HELD - PRICE - GAS
    })
    insert("hold", {
      id: hold,
      account_id: ACCOUNT,
      operation: "commit",
      reference: id,
      amount: HELD.toString(),
      captured: (PRICE + GAS).toString(),
      funding: "credits",
      state: "captured",
      price: PRICE.toString(),
      price_version: "bench",
      created_at: 5,
      closed_at: 6
    })
    const bytes = new TextEncoder().encode(treeText(n))
    const tree = treeCidOf(bytes)
    insert("commit_job", {
      id,
      account_id: ACCOUNT,
      network: "mainnet",
      chain_id: 1,
      asset_cid: ASSET,
      asset_tree_cid: tree,
      tree_sha256: sha256(treeText(n)),
      commit_json: commitJson(n),
      state: "mined",
      hold_id: hold,
      committer: service,
      nonce: n,
      raw_tx: `0x${"ab".repeat(900)}`,
      tx_hash: txHash(n),
      block_number: n,
      block_hash: txHash(n),
      log_index: 0,
      gas_used: GAS_USED.toString(),
      gas_price: GAS_PRICE.toString(),
      created_at: 5,
      updated_at: 6
    })
    const receipt = signReceipt(
      {
        version: 1,
        account: ACCOUNT,
        sequence: n + 1,
        previous,
        operation: "commit",
        reference: id,
        amount: "0.1043333",
        price: "0.1",
        gas: "0.0043333",
        funding: "credits",
        priceListVersion: "bench",
        posting: `capture:${hold}`,
        issuedAt: "2026-11-21T11:17:57.489Z",
        service
      },
      (text) => (n === commits - 1 ? wallets.signText(0, text) : `0x${"00".repeat(65)}`)
    )
    previous = receipt.hash
    insert("receipt", {
      hash: receipt.hash,
      account_id: ACCOUNT,
      sequence: n + 1,
      entry_id: `capture:${hold}`,
      document: receipt.text,
      signature: receipt.signature,
      created_at: 6
    })
    if (isFile(n)) {
      const shard = join(blocksOf(folder), tree.slice(-3, -1))
      if (!shards.has(shard)) mkdirSync(shard, { recursive: true })
      shards.add(shard)
      writeFileSync(join(shard, tree), bytes)
    } else insert("asset_tree", { cid: tree, document: treeText(n) })
  }
  for (const [id, balance] of balances) {
    database.prepare("UPDATE ledger_account SET balance = ? WHERE id = ?").run(balance.toString(), id)
  }
  database.exec("COMMIT")
  database.close()
}

const CREDITS = `credits:${ACCOUNT}`
const HELD_CREDITS = `held-credits:${ACCOUNT}`
/** The accounts of the books that a commit touches; 1: a debit account. */
const BOOKS = { issued: 1, [CREDITS]: 0, [HELD_CREDITS]: 0, revenue: 0, gas: 0 } as const

type Values = Readonly<Record<string, string | number>>

const inserter = (database: DatabaseSync) => {
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>()
  return (table: string, row: Values): void => {
    const columns = Object.keys(row)
    const key = `${table} ${columns}`
    const marks = columns.map(() => "?").join(", ")
    const statement =
      statements.get(key) ?? database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`)
    statements.set(key, statement)
    statement.run(...Object.values(row))
  }
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

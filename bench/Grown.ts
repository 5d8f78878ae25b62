/**
 * Consistent books of many finished commits, written straight into the tables of a SQLite store: accounts' books, holds, jobs, receipts,
 * trees, events, lists and the index of the ledger, as the daemon writes them; every receipt but an account's last bears a signature of
 * zeros. What is written while triggers and indexes are away is what they would have made.
 */
import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { type Hex, keccak256, stringToHex } from "viem"
import { treeCidOf } from "../packages/core/src/asset-tree/Cid.ts"

const TOKEN = 10n ** 18n
const PRICE = TOKEN / 10n
const GAS_USED = 43_333n
const GAS_PRICE = 100n * 10n ** 9n
const GAS = GAS_USED * GAS_PRICE
const HELD = PRICE + (GAS * 6n) / 5n

/** The account that the service's wallet signs receipts for, and whose commits these are. */
export interface Grown {
  readonly account: { readonly id: string; readonly wallet: string }
  readonly service: string
  readonly committer: string
  readonly chainId: number
  readonly commits: number
  readonly assetOf: (n: number) => string
  /** Where commit `n` stands on the ledger. */
  readonly placeOf: (n: number) => { readonly block: number; readonly hash: Hex; readonly logIndex: number }
  readonly signLast: (text: string) => string
  /** Keeps tree `n` elsewhere than in the store, and says so. */
  readonly putElsewhere?: (n: number, cid: string, bytes: Uint8Array) => boolean
  readonly at: (n: number) => number
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
export const txHash = (n: number): Hex => `0x${sha256(`transaction ${n}`)}`
export const commitJson = (n: number): string =>
  JSON.stringify({ n, abstract: "a commit of the bench", rest: "x".repeat(600) })
const treeText = (n: number): string => JSON.stringify({ n, assetCreator: "the bench", rest: "y".repeat(300) })
const idOf = (n: number): string => sha256(String(n)).slice(0, 20)

type Values = Readonly<Record<string, string | number | Uint8Array | null>>

export const inserter = (database: DatabaseSync) => {
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

type Insert = ReturnType<typeof inserter>

/** Runs `fill` in one transaction without triggers and further indexes, which are put back after it. Nothing of it is safe from a power loss. */
export const fillFast = (file: string, fill: (insert: Insert, database: DatabaseSync) => void): void => {
  const database = new DatabaseSync(file)
  const made = database
    .prepare("SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL")
    .all() as unknown as ReadonlyArray<{ readonly type: string; readonly name: string; readonly sql: string }>
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA foreign_keys = OFF; BEGIN")
  for (const { name, type } of made) database.exec(`DROP ${type} ${name}`)
  fill(inserter(database), database)
  for (const { sql } of made.toSorted(({ type: a }, { type: b }) => a.localeCompare(b))) database.exec(sql)
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
}

const ZEROS = `0x${"00".repeat(65)}`
const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex")

/** Members in the order of canonical dag-json, so that the text is what the daemon would have signed. */
const receiptText = (id: string, work: string, posting: string, previous: string | null, n: number, service: string) =>
  JSON.stringify({
    account: id,
    amount: "0.1043333",
    funding: "credits",
    gas: "0.0043333",
    issuedAt: "2026-11-21T11:17:57.489Z",
    operation: "commit",
    posting,
    previous,
    price: "0.1",
    priceListVersion: "bench",
    reference: work,
    sequence: n + 1,
    service,
    version: 1
  })

/** Writes the commits; the account and the assets are there already. `ledger`: the index of the ledger they are added to. */
export const grow = (insert: Insert, database: DatabaseSync, grown: Grown, ledger?: number): void => {
  const { account, assetOf, at, chainId, commits, committer, placeOf, putElsewhere, service, signLast } = grown
  const [credits, held] = [`credits:${account.id}`, `held-credits:${account.id}`]
  const balances = new Map<string, bigint>()
  const post = (id: string, kind: string, reference: string, when: number, lines: Readonly<Record<string, bigint>>) => {
    insert("ledger_entry", { id, kind, reference, created_at: when, is_balanced: 1 })
    for (const [account_id, amount] of Object.entries(lines)) {
      insert("posting", { entry_id: id, account_id, amount: amount.toString() })
      balances.set(account_id, (balances.get(account_id) ?? 0n) + amount)
    }
  }
  const granted = HELD * BigInt(commits + 1)
  post("grant:bench", "grant", "bench", at(0), { issued: -granted, [credits]: granted })
  const holdings = new Map<string, { commits: number; last: string; first: number }>()
  const topics = new Map<string, Buffer>()
  let previous: string | null = null
  for (let n = 0; n < commits; n++) {
    const [hold, id, when] = [`hold_${idOf(n)}`, `cmt_${idOf(n)}`, at(n)]
    const asset = assetOf(n)
    const place = placeOf(n)
    post(`hold:${hold}`, "hold", id, when, { [credits]: -HELD, [held]: HELD })
    const lines = { revenue: PRICE, gas: GAS, [held]: -HELD, [credits]: HELD - PRICE - GAS }
    post(`capture:${hold}`, "capture", id, when + 1, lines)
    insert("hold", {
      id: hold,
      account_id: account.id,
      operation: "commit",
      reference: id,
      amount: HELD.toString(),
      captured: (PRICE + GAS).toString(),
      funding: "credits",
      state: "captured",
      price: PRICE.toString(),
      price_version: "bench",
      created_at: when,
      closed_at: when + 1
    })
    const text = treeText(n)
    const bytes = new TextEncoder().encode(text)
    const tree = treeCidOf(bytes)
    insert("commit_job", {
      id,
      account_id: account.id,
      network: "mainnet",
      chain_id: chainId,
      asset_cid: asset,
      asset_tree_cid: tree,
      tree_sha256: sha256(text),
      commit_json: commitJson(n),
      state: "mined",
      hold_id: hold,
      committer,
      nonce: n,
      raw_tx: `0x${"ab".repeat(900)}`,
      tx_hash: txHash(n),
      block_number: place.block,
      block_hash: place.hash,
      log_index: place.logIndex,
      gas_used: GAS_USED.toString(),
      gas_price: GAS_PRICE.toString(),
      created_at: when,
      updated_at: when + 1
    })
    const signed = { tx_hash: txHash(n), at: when }
    insert("commit_event", { job_id: id, sequence: 1, what: "signed", ...signed })
    const mined = { block_number: place.block, block_hash: place.hash }
    insert("commit_event", { job_id: id, sequence: 2, what: "mined", ...signed, ...mined })
    const document = receiptText(account.id, id, `capture:${hold}`, previous, n, service)
    previous = sha256(document)
    insert("receipt", {
      hash: previous,
      account_id: account.id,
      sequence: n + 1,
      entry_id: `capture:${hold}`,
      document,
      signature: n === commits - 1 ? signLast(previous) : ZEROS,
      created_at: when + 1
    })
    if (putElsewhere?.(n, tree, bytes) !== true) insert("asset_tree", { cid: tree, document: text })
    const event = { account_id: account.id, kind: "committed", asset_cid: asset, commit_id: id, at: when + 1 }
    insert("account_event", event)
    const holding = holdings.get(asset) ?? { commits: 0, last: id, first: when }
    holdings.set(asset, { commits: holding.commits + 1, last: id, first: holding.first })
    if (ledger === undefined) continue
    const topic = topics.get(asset) ?? bytesOf(keccak256(stringToHex(asset)))
    topics.set(asset, topic)
    insert("ledger_commit", {
      ledger,
      asset_topic: topic,
      block_number: place.block,
      log_index: place.logIndex,
      block_hash: bytesOf(place.hash),
      tx_hash: bytesOf(txHash(n)),
      recorder: bytesOf(committer),
      text: null
    })
  }
  const holding = database.prepare(
    `INSERT INTO holding (account_id, asset_cid, registered_at, commits, last_commit) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account_id, asset_cid) DO UPDATE SET commits = excluded.commits, last_commit = excluded.last_commit`
  )
  for (const [asset, { commits: made, first, last }] of holdings) holding.run(account.id, asset, first, made, last)
  for (const [id, sum] of balances) addTo(database, id, sum)
}

/** The accounts of the books that a commit touches; 1: a debit account. */
const addTo = (database: DatabaseSync, id: string, sum: bigint): void => {
  const debit = id === "issued" ? 1 : 0
  database
    .prepare("INSERT INTO ledger_account (id, kind, overdraft, debit) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
    .run(id, id.split(":")[0] ?? id, debit, debit)
  const { balance } = database.prepare("SELECT balance FROM ledger_account WHERE id = ?").get(id) as { balance: string }
  database.prepare("UPDATE ledger_account SET balance = ? WHERE id = ?").run((BigInt(balance) + sum).toString(), id)
}

/**
 * The one index of the chain's file: where blocks and transactions stand by their hash, and logs by their address and topics. A mark is
 * short (45 bits of what it stands for), so two things may share one: whoever finds a place looks whether it is the right one.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { ReceiptLog } from "./Receipts.ts"

/** What a mark stands for: block and transaction hashes, the address of a log, its topics. The numbers are part of the format. */
export const KINDS = { block: 0, transaction: 1, address: 2, topic: 3 } as const

const BITS = 2 ** 45

/** The mark of `value`, which is at least six bytes long; addresses and numbers differ in their last ones. */
export const markOf = (kind: number, value: Uint8Array): number =>
  kind * BITS + (Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUIntBE(value.length - 6, 6) % BITS)

/** The marks of a transaction's logs, each once. */
export const marksOfLogs = (logs: ReadonlyArray<ReceiptLog>): ReadonlySet<number> =>
  new Set(
    logs.flatMap(({ address, topics }) => [
      markOf(KINDS.address, address),
      ...topics.map((topic, position) => markOf(KINDS.topic + position, topic))
    ])
  )

/** How many marks are counted to tell which condition leaves least. */
const COUNTED = 1_000

export class Marks {
  readonly #db: DatabaseSync
  readonly #insert: StatementSync
  readonly #places: StatementSync
  readonly #count: StatementSync

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#insert = db.prepare("INSERT OR IGNORE INTO mark VALUES (?, ?)")
    this.#places = db.prepare("SELECT place FROM mark WHERE key = ?")
    this.#count = db.prepare(
      `SELECT count(*) AS found FROM (SELECT 1 FROM mark WHERE key = ? AND place BETWEEN ? AND ? LIMIT ${COUNTED})`
    )
  }

  set(key: number, place: number): void {
    this.#insert.run(key, place)
  }

  places(key: number): ReadonlyArray<number> {
    return this.#places.all(key).map(({ place }) => Number(place))
  }

  /** What answers, for a range of places, those that have a mark of each of `conditions`, in order. */
  finder(
    conditions: ReadonlyArray<ReadonlyArray<number>>,
    from: number,
    to: number
  ): (from: number, to: number) => ReadonlyArray<number> {
    const found = (keys: ReadonlyArray<number>) =>
      keys.reduce((sum, key) => sum + Number(this.#count.get(key, from, to)!.found), 0)
    const counted = conditions.map((keys) => ({ keys, found: found(keys) })).sort((a, b) => a.found - b.found)
    const listed = (keys: ReadonlyArray<number>) => keys.map(() => "?").join(", ")
    const [first, ...others] = counted.map(({ keys }) => keys)
    if (first === undefined) return (low, high) => Array.from({ length: high - low + 1 }, (_, index) => low + index)
    const also = others.map(
      (keys) =>
        `AND EXISTS (SELECT 1 FROM mark AS other WHERE other.key IN (${listed(keys)}) AND other.place = mark.place)`
    )
    const statement = this.#db.prepare(
      `SELECT DISTINCT place FROM mark WHERE key IN (${listed(first)}) AND place BETWEEN ? AND ? ${also.join(" ")} ORDER BY place`
    )
    return (low, high) => statement.all(...first, low, high, ...others.flat()).map(({ place }) => Number(place))
  }
}

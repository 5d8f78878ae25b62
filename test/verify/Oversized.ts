/**
 * Proof files as large as they may be, each made to cost as much as it can at one member: long texts, texts of escapes, numbers, lists and objects
 * of very many tiny things, and proofs of inclusion whose hashes fit, around nodes, receipts and headers that no chain has.
 */
import { keccak256 } from "viem"
import { commitDataOf } from "../../packages/core/src/proof/CommitRecord.ts"
import { INCLUSION_LIMIT, inclusionDocument } from "../../packages/core/src/proof/Inclusion.ts"
import { PROOF_LIMIT, proofOf, RECORD_LIMIT, TREE_LIMIT } from "../../packages/core/src/proof/Proof.ts"
import { encodeRlp, type RlpItem } from "../../packages/core/src/proof/Rlp.ts"
import { block, commitLog, receiptOf } from "../core/verification/Block.ts"
import { document, ledger, sign, signed, utf8 } from "../core/verification/Fixtures.ts"

export interface Oversized {
  readonly title: string
  readonly text: () => string
}

/** JSON of about `size` characters that costs more than it looks. */
const FILLINGS: Readonly<Record<string, (size: number) => string>> = {
  "a long text": (size) => `"${"a".repeat(size)}"`,
  "a text beyond Latin": (size) => `"${"漢".repeat(size / 3)}"`,
  "a text of escapes": (size) => `"${"\\u0041".repeat(size / 6)}"`,
  "a text of backslashes": (size) => `"${"\\\\".repeat(size / 2)}"`,
  "a text to be escaped": (size) => `"${"\\u202e".repeat(size / 6)}"`,
  "hex digits": (size) => `"0x${"00".repeat(size / 2)}"`,
  base64: (size) => `"${"AAAA".repeat(size / 4)}"`,
  "a CID": (size) => `"b${"a".repeat(size)}"`,
  "a number": (size) => "1".repeat(size),
  "a number behind a point": (size) => `0.${"1".repeat(size)}`,
  "a list of lists": (size) => `[${listed("[]", size)}]`,
  "a list of objects": (size) => `[${listed("{}", size)}]`,
  "a list of numbers": (size) => `[${listed("1", size)}]`,
  "a list of empty texts": (size) => `[${listed('""', size)}]`,
  "a list of hashes": (size) => `[${listed(`"0x${"00".repeat(32)}"`, size)}]`,
  "an object of very many members": (size) => `{${members(size)}}`,
  "the same key again and again": (size) => `{${listed('"a":1', size)}}`,
  "very many shapes of objects": (size) =>
    `[${members(size)
      .replace(/"[^"]*":1/g, "{$&}")
      .slice(0, size)}"}]`.replace(/,[^,]*$/, "]"),
  "lists in lists": (size) => `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`
}

const listed = (item: string, size: number): string => `${`${item},`.repeat(size / (item.length + 1))}${item}`

const members = (size: number): string => {
  const parts: Array<string> = []
  for (let [length, at] = [0, 0]; length < size; at++) {
    const part = `"${at.toString(36)}":1`
    parts.push(part)
    length += part.length + 1
  }
  return parts.join(",")
}

/** Places of members in a proof file; the last is one that nobody knows. */
const PLACES = [
  "mediaType",
  "tree",
  "tree.cid",
  "tree.bytes",
  "commit.record",
  ...Object.keys(signed.record).map((name) => `commit.record.${name}`),
  "commit.commitData",
  ...Object.keys(ledger).map((name) => `ledger.${name}`),
  "ledger.inclusion",
  "ledger.inclusionMissing",
  "ledger.inclusion.header",
  "ledger.inclusion.transactionIndex",
  "ledger.inclusion.receipt",
  "ledger.inclusion.receiptPath",
  "ledger.inclusion.logPosition",
  "ledger.inclusion.transaction",
  "ledger.inclusion.transactionPath",
  "unknown"
]

const whole = await block()
const honest = {
  ...document,
  ledger: { ...whole.place, inclusion: inclusionDocument(whole.inclusion) }
}

/** The honest proof with JSON text of its own at one place. */
const withText = (place: string, filling: (size: number) => string): string => {
  const copy: Record<string, unknown> = structuredClone(honest) as never
  const names = place.split(".")
  const last = names.pop()!
  const owner = names.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, copy)
  owner[last] = "@"
  const text = JSON.stringify(copy)
  return text.replace('"@"', () => filling(PROOF_LIMIT - text.length - 100))
}

/** Every filling at every place. */
export const filled: ReadonlyArray<Oversized> = PLACES.flatMap((place) =>
  Object.entries(FILLINGS).map(([what, filling]) => ({
    title: `${what} at ${place}`,
    text: () => withText(place, filling)
  }))
)

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`
const word = (fill: number, length = 32) => new Uint8Array(length).fill(fill)

const headerOf = (receiptsRoot: Uint8Array, further: ReadonlyArray<RlpItem> = []): Uint8Array =>
  encodeRlp([
    ...[word(1), word(2), word(3, 20), word(4), word(5), receiptsRoot, word(0, 256)],
    ...[word(1, 1), word(12, 1), word(1, 1), word(1, 1), word(1, 4), word(1, 1), word(5), word(0, 8)],
    ...further
  ])

/** A block whose hashes all fit, around a path and a receipt of the forger's making. */
const forged = (receipt: Uint8Array, path: ReadonlyArray<Uint8Array>, further: ReadonlyArray<RlpItem> = []): string => {
  const header = headerOf(keccak256(path[0]!, "bytes"), further)
  return JSON.stringify({
    ...document,
    ledger: {
      ...ledger,
      blockHash: keccak256(header),
      inclusion: {
        header: hex(header),
        transactionIndex: 0,
        receipt: hex(receipt),
        receiptPath: path.map(hex),
        logPosition: 0
      }
    }
  })
}

/** The leaf at the key of the first transaction, 0x80. */
const leafOf = (value: Uint8Array): Uint8Array => encodeRlp([Uint8Array.of(0x20, 0x80), value])
export const forgedReceipt = (receipt: Uint8Array): string => forged(receipt, [leafOf(receipt)])

/** RLP of a list around a payload of any kind. */
const listAround = (payload: Uint8Array): Uint8Array => {
  const length = payload.length.toString(16).padStart(8, "0")
  return Buffer.concat([Buffer.from(`fb${length}`, "hex"), payload])
}

const most = INCLUSION_LIMIT / 2 - 1024
const longRecord = JSON.stringify({ ...signed.record, more: "@" })
const recordOf = (filling: string): string => longRecord.replace('"@"', () => filling)

const proofOfRecord = (record: string, commitData: string): string =>
  JSON.stringify({ ...document, commit: { record: "@", commitData } }).replace('"@"', () => record)

const proofOfTree = (filling: string): string => {
  const tree = utf8(`{"assetCid":"x","more":${filling}}`)
  const commit = sign(tree)
  return JSON.stringify(
    proofOf({
      tree: { cid: commit.record.assetTreeCid, bytes: tree },
      commitData: commitDataOf(commit.record),
      ledger
    })
  )
}

export const crafted: ReadonlyArray<Oversized> = [
  {
    title: "finding 1: an inline node of 130,000 items",
    text: () => forged(word(0), [encodeRlp([word(0, 1), listAround(word(0, 130_000))])])
  },
  { title: "a node of one-byte items", text: () => forged(word(0), [listAround(word(1, most))]) },
  {
    title: "a branch whose child is as long as it can be",
    text: () =>
      forged(word(0), [
        encodeRlp([
          ...Array.from({ length: 8 }, () => word(0, 0)),
          listAroundItem(most),
          ...Array.from({ length: 8 }, () => word(0, 0))
        ])
      ])
  },
  { title: "lists nested as deep as bytes allow", text: () => forged(word(0), [new Uint8Array(most).fill(0xc1)]) },
  {
    title: "64 nodes of 16 KiB",
    text: () =>
      forged(
        word(0),
        Array.from({ length: 64 }, () => word(1, 16 * 1024))
      )
  },
  {
    title: "a header of 64 KiB",
    text: () =>
      forged(
        word(0),
        [word(1)],
        Array.from({ length: 60_000 }, () => word(1, 1))
      )
  },
  {
    title: "a receipt of tens of thousands of logs",
    text: () => forgedReceipt(receiptOf(Array.from({ length: most / 26 }, () => [word(1, 20), [], word(0, 0)])))
  },
  {
    title: "a receipt of logs with four topics",
    text: () =>
      forgedReceipt(
        receiptOf(
          Array.from({ length: most / 160 }, () => [word(1, 20), [word(1), word(2), word(3), word(4)], word(0, 0)])
        )
      )
  },
  {
    title: "a receipt with a log of very many topics",
    text: () => forgedReceipt(receiptOf([[word(1, 20), Array.from({ length: most / 33 }, () => word(1)), word(0, 0)]]))
  },
  {
    title: "a receipt whose event is as long as it can be",
    text: () => forgedReceipt(receiptOf([commitLog({ data: "a".repeat(most - 1024) })]))
  },
  {
    title: "a record and its commit data of 1 MiB, spelled otherwise",
    text: () =>
      proofOfRecord(
        recordOf(FILLINGS["a list of lists"]!(60_000)),
        recordOf(` ${FILLINGS["a list of lists"]!(RECORD_LIMIT - 2000)}`)
      )
  },
  {
    title: "a record of very many numbers",
    text: () => proofOfRecord(recordOf(`[${listed("1e2", 100_000)}]`), recordOf(`[${listed("100", 100_000)}]`))
  },
  {
    title: "a record with one number of 1 MiB",
    text: () =>
      proofOfRecord(recordOf("1".repeat(RECORD_LIMIT - 2000)), recordOf(`${"1".repeat(RECORD_LIMIT - 2000)}.0`))
  },
  {
    title: "commit data of escapes",
    text: () => proofOfRecord(recordOf("1"), recordOf(`"${"\\u202e".repeat(RECORD_LIMIT / 6 - 400)}"`))
  },
  ...Object.entries(FILLINGS).map(([what, filling]) => ({
    title: `${what} in a tree of 1 MiB`,
    text: () => proofOfTree(filling(TREE_LIMIT - 100))
  }))
]

const listAroundItem = (length: number): RlpItem => Array.from({ length }, () => word(1, 1))

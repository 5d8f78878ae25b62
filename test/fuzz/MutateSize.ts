/**
 * Sizes: lists of very many items, very long texts and very deep nesting, up to the limits, at every place that an attacker fills; with the hashes
 * above made to fit, for a forger makes header and roots himself.
 */
import { decodeRlp, encodeRlp, keccak256 } from "ethers"
import type { Json, Owner } from "./Mutate.ts"
import { type Dice, pick } from "./MutateValue.ts"
import { keyOf } from "./Trie.ts"

const LARGEST = 2_900_000

/** The raw RLP of a list with this payload, in hex without 0x. */
const listOf = (payload: string): string => {
  const length = payload.length / 2
  if (length <= 55) return (0xc0 + length).toString(16) + payload
  const spelled = length.toString(16)
  const even = spelled.length % 2 === 0 ? spelled : `0${spelled}`
  return (0xf7 + even.length / 2).toString(16) + even + payload
}

const deep = (depth: number): string => {
  let list = "c0"
  for (let level = 0; level < depth; level++) list = listOf(list)
  return list
}

/** RLP of about so many bytes. */
const bulkOf = (bytes: number, dice: Dice): string => {
  switch (dice(6)) {
    case 0:
      return listOf("01".repeat(bytes))
    case 1:
      return listOf("c0".repeat(bytes))
    case 2:
      return listOf("c20102".repeat(bytes / 3))
    case 3:
      return deep(Math.min(2000, bytes >> 2))
    case 4:
      return encodeRlp(`0x${"ab".repeat(bytes)}`).slice(2)
    default:
      return listOf("80".repeat(bytes >> 1) + encodeRlp(`0x${"cd".repeat(bytes >> 1)}`).slice(2))
  }
}

const raw = (item: unknown): string => encodeRlp(item as never).slice(2)

/** Makes the header's root at `place` that of `node`, and the block's hash that of the header. */
const rooted = (ledger: Owner, place: 4 | 5, node: string): void => {
  const inclusion = ledger.inclusion as Owner
  const items = decodeRlp(String(inclusion.header)) as Array<never>
  items[place] = keccak256(node) as never
  inclusion.header = encodeRlp(items)
  ledger.blockHash = keccak256(String(inclusion.header))
}

const mutateNode = (ledger: Owner, bulk: string, dice: Dice): string => {
  const inclusion = ledger.inclusion as Owner
  const key = keyOf(Number(inclusion.transactionIndex))
  const [name, place] = pick(dice, [
    ["receipt", 5],
    ["transaction", 4]
  ] as const)
  const nibble = Number.parseInt(key.charAt(0), 16)
  const branch = (child: string) =>
    listOf(Array.from({ length: 17 }, (_, at) => (at === nibble ? child : "80")).join(""))
  const leaf = (value: string) => listOf(raw(`0x20${key}`) + value)
  const body = `0x${pick(dice, ["", "02", "01"])}${pick(dice, [bulk, listOf(`0180${bulk}${bulk}`), listOf(`01${raw("0x5208")}${raw(`0x${"00".repeat(256)}`)}${listOf(listOf(raw(`0x${"11".repeat(20)}`) + bulk + bulk))}`)])}`
  const nodes = pick(dice, [
    [branch(bulk)],
    [bulk],
    [listOf(`00${bulk}`)],
    [leaf(bulk)],
    [leaf(raw(body))],
    Array.from({ length: 64 }, () => branch(bulk.slice(0, 40_000)))
  ]).map((node) => `0x${node}`)
  rooted(ledger, place, nodes[0]!)
  inclusion[name] = body
  inclusion[`${name}Path`] = nodes
  return `${name} of ${bulk.length / 2} bytes`
}

const mutateJson = (file: Owner, bytes: number, dice: Dice): string => {
  const commit = file.commit as Owner
  const record = commit.record as Owner
  const value = pick<Json>(dice, [
    "x".repeat(bytes),
    Array.from({ length: bytes >> 2 }, () => 1),
    nested(Math.min(bytes, 3000)),
    { [`${"k".repeat(bytes)}`]: 1 },
    "\u202e".repeat(bytes >> 2)
  ])
  const [owner, key] = pick(dice, [
    [
      record,
      pick(dice, ["author", "assetTreeCid", "assetTreeSignature", "actSignature", "abstract", "more", "committer"])
    ],
    [commit, "commitData"],
    [file.tree as Owner, pick(dice, ["cid", "bytes"])],
    [file.ledger as Owner, pick(dice, ["network", "contract", "inclusionMissing"])],
    [file, "more"]
  ] as const)
  owner[key] = value
  if (dice(2) === 0) commit.commitData = JSON.stringify(record)
  return `${key} of ${bytes} bytes`
}

const nested = (depth: number): Json => {
  let value: Json = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

export const mutateSize = (file: Json, dice: Dice): string => {
  const bytes = Math.min(LARGEST, 2 ** (6 + dice(16)) + dice(200))
  const whole = file as Owner
  const ledger = whole.ledger as Owner
  if (ledger.inclusion === undefined || dice(3) === 0) return mutateJson(whole, bytes, dice)
  const bulk = bulkOf(bytes, dice)
  if (dice(4) > 0) return mutateNode(ledger, bulk, dice)
  const inclusion = ledger.inclusion as Owner
  const items = (decodeRlp(String(inclusion.header)) as ReadonlyArray<unknown>).map(raw)
  inclusion.header = `0x${listOf(items.join("") + bulk.slice(0, 130_000))}`
  ledger.blockHash = keccak256(String(inclusion.header))
  return `header of ${bulk.length / 2} bytes more`
}

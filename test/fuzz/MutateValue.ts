/** Mutations of single values: texts, hex, base64 and bytes, RLP; and values that programs stumble over. */
import { decodeRlp, encodeRlp } from "ethers"
import type { Json } from "./Mutate.ts"

/** A whole number from 0 to `below` - 1. */
export type Dice = (below: number) => number

export const pick = <A>(dice: Dice, list: ReadonlyArray<A>): A => list[dice(list.length)]!

export const VALUES: ReadonlyArray<Json> = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  "",
  "\0",
  "0x",
  "\u001b[31m\u202e",
  "\ud800",
  "0".repeat(5000),
  [],
  [[[[]]]],
  {},
  { "/": "bafkqaaa" },
  "bafkqaaa",
  `0x${"00".repeat(20)}`,
  `0x${"00".repeat(32)}`,
  "qualified".repeat(3)
]

const CHARACTERS = ["0", "f", "F", "A", "=", " ", "\n", "\0", "é", "\u{1f600}", "\ud83d", "\u200b", '"', "\\", "z", "-"]

export const textMutated = (text: string, dice: Dice): string => {
  const at = dice(text.length + 1)
  switch (dice(7)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + pick(dice, CHARACTERS) + text.slice(at)
    case 2:
      return text.slice(0, at) + pick(dice, CHARACTERS) + text.slice(at + 1)
    case 3:
      return dice(2) === 0 ? text.toUpperCase() : text.toLowerCase()
    case 4:
      return pick(dice, [` ${text}`, `${text}\n`, `0x${text}`, text.replace(/^0x/, ""), text.normalize("NFD")])
    case 5:
      return text.slice(0, at) + String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << dice(7))) + text.slice(at + 1)
    default:
      return text + text
  }
}

export const bytesOf = (bytes: Uint8Array, dice: Dice): Uint8Array => {
  const at = dice(bytes.length)
  const flipped = Uint8Array.from(bytes)
  switch (dice(5)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Uint8Array.of(dice(256)), bytes.subarray(at)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice(40))])
    case 3:
      flipped[at] = dice(256)
      return flipped
    default:
      flipped[at]! ^= 1 << dice(8)
      return flipped
  }
}

type Rlp = string | Array<Rlp>

/** `hex` with a bit, a byte or, where it is RLP, an item changed. */
export const rlpMutated = (hex: string, dice: Dice): string => {
  const type = /^0x0[1-9a-f]/.test(hex) ? hex.slice(0, 4) : "0x"
  if (dice(2) === 0) return `0x${Buffer.from(bytesOf(Buffer.from(hex.slice(2), "hex"), dice)).toString("hex")}`
  try {
    const item = decodeRlp(`0x${hex.slice(type.length)}`) as Rlp
    return type + encodeRlp(itemMutated(item, dice)).slice(2)
  } catch {
    return textMutated(hex, dice)
  }
}

const itemMutated = (item: Rlp, dice: Dice): Rlp => {
  if (typeof item === "string") {
    const bytes = Buffer.from(item.slice(2), "hex")
    return bytes.length === 0 ? "0x01" : `0x${Buffer.from(bytesOf(bytes, dice)).toString("hex")}`
  }
  if (item.length === 0) return ["0x"]
  const at = dice(item.length)
  switch (dice(6)) {
    case 0:
      return item.toSpliced(at, 1)
    case 1:
      return item.toSpliced(at, 0, item[dice(item.length)]!)
    case 2:
      return item.with(at, [item[at]!])
    default:
      return item.with(at, itemMutated(item[at]!, dice))
  }
}

/** A member as the record has it, and as its text on the ledger has it; `before` is what both had. */
export const recordPairs = (before: Json): ReadonlyArray<readonly [Json, string]> => [
  [null, "1e400"],
  [{ x: 1 }, '[["x",1]]'],
  [[], "{}"],
  [1, '"1"'],
  [`0x${"11".repeat(20)}`, JSON.stringify(before)],
  [before, `"0x${"22".repeat(20)}"`],
  ["0x", '"0x"'],
  [`0x${"33".repeat(20)}`, `"0x${"33".repeat(20)}"`],
  [5, "5"],
  [["0x"], '["0x"]'],
  [false, "false"],
  [{}, "{}"],
  [null, "null"],
  [2 ** 53, "9007199254740993"],
  [2 ** 53, "9007199254740992.5"],
  [0.1, "0.10000000000000000001"],
  [1, "1.0"]
]

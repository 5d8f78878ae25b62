/**
 * One mutation of a proof, chosen by dice: of any member by its type, of the tree's bytes, the signature, the CIDs, the inclusion proof's RLP, of
 * how the JSON is written, or of bare bytes. Some are repaired afterwards as a forger would do it, so that the first check does not hide the others.
 */
import { createHash } from "node:crypto"
import { keccak256 } from "ethers"
import { cidOf, DAG_JSON_CODE, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { mutateSize } from "./MutateSize.ts"
import { bytesOf, type Dice, pick, recordPairs, rlpMutated, textMutated, VALUES } from "./MutateValue.ts"

/** A JSON value in the making. */
export type Json = null | boolean | number | string | Array<Json> | { [member: string]: Json }
export type Owner = { [member: string]: Json }

export interface Mutated {
  readonly bytes: Uint8Array
  /** What was done, for a person. */
  readonly what: string
  /** Whatever else it is, this text is not to be accepted. */
  readonly mustFail: boolean
}

const ownerAt = (file: Json, ...path: ReadonlyArray<string>): Owner => {
  let at = file
  for (const name of path) at = (at as Owner)[name]!
  return at as Owner
}

/** Every place of the file: the object or array, and the key in it. */
const places = (value: Json, found: Array<readonly [Owner, string]> = []): Array<readonly [Owner, string]> => {
  if (typeof value !== "object" || value === null) return found
  for (const key of Object.keys(value)) {
    found.push([value as Owner, key])
    places((value as Owner)[key]!, found)
  }
  return found
}

export const mutateMember = (file: Json, dice: Dice, other: Json): string => {
  const [owner, key] = pick(dice, places(file))
  const value = owner[key]!
  const [donor, donated] = pick(dice, places(other))
  switch (dice(7)) {
    case 0:
      if (Array.isArray(owner)) owner.splice(Number(key), 1)
      else delete owner[key]
      return `dropped ${key}`
    case 1:
      owner[key] = pick(dice, VALUES)
      return `${key} of another type`
    case 2:
      owner[key] = structuredClone(donor[donated]!)
      return `${key} from ${donated} of another proof`
    case 3: {
      const sibling = pick(dice, Object.keys(owner))
      owner[key] = owner[sibling]!
      owner[sibling] = value
      return `${key} and ${sibling} swapped`
    }
    case 4: {
      const same = places(other).filter(([, name]) => name === key)
      if (same.length === 0) return "nothing"
      const [otherOwner] = pick(dice, same)
      owner[key] = structuredClone(otherOwner[key]!)
      return `${key} of another proof`
    }
    case 5:
      owner[`${key}${dice(2) === 0 ? "" : " "}`] =
        typeof value === "number" ? value + pick(dice, [1, -1, 0.5, 2 ** 32]) : value
      return `${key} a little more`
    default:
      owner[key] = typeof value === "string" ? textMutated(value, dice) : pick(dice, VALUES)
      return `${key} as text, changed`
  }
}

const mutateTree = (file: Json, dice: Dice, other: Json): string => {
  const tree = ownerAt(file, "tree")
  const before = Buffer.from(String(tree.bytes), "base64")
  let bytes: Uint8Array = before
  const members: Owner = JSON.parse(before.toString())
  let what = "the tree's members"
  switch (dice(5)) {
    case 0:
      bytes = bytesOf(before, dice)
      what = "the tree's bytes"
      break
    case 1:
      bytes = Buffer.from(JSON.stringify(members, null, dice(5)))
      what = "the tree's white space"
      break
    case 2:
      bytes = Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(members).reverse())))
      what = "the order of the tree's keys"
      break
    default:
      mutateMember(members, dice, ownerAt(other, "commit", "record"))
      bytes = Buffer.from(JSON.stringify(members))
  }
  tree.bytes = Buffer.from(bytes).toString("base64")
  return what
}

/** As a forger would: the names of the tree made to fit its bytes, the record's text to fit the record, the block's hash to fit the header. */
const repair = (file: Json, dice: Dice): string => {
  const done: Array<string> = []
  const record = ownerAt(file, "commit", "record")
  const tree = ownerAt(file, "tree")
  const bytes = Buffer.from(String(tree.bytes), "base64")
  if (dice(2) === 0) {
    record.assetTreeSha256 = createHash("sha256").update(bytes).digest("hex")
    done.push("checksum")
  }
  if (dice(2) === 0) {
    tree.cid = cidOf(pick(dice, [DAG_JSON_CODE, RAW_CODE]), bytes)
    record.assetTreeCid = tree.cid
    done.push("CID")
  }
  if (dice(2) === 0) {
    ownerAt(file, "commit").commitData = JSON.stringify(record)
    done.push("commit data")
  }
  if (dice(2) === 0) {
    ownerAt(file, "ledger").blockHash = keccak256(String(ownerAt(file, "ledger", "inclusion").header))
    done.push("block hash")
  }
  return `, repaired: ${done.join(", ")}`
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const mutateSignature = (file: Json, dice: Dice): string => {
  const record = ownerAt(file, "commit", "record")
  const digits = String(record.assetTreeSignature).slice(2)
  const word = (number: bigint) => (number & (2n ** 256n - 1n)).toString(16).padStart(64, "0")
  const [r, s, v] = [BigInt(`0x${digits.slice(0, 64)}`), BigInt(`0x${digits.slice(64, 128)}`), digits.slice(128)]
  const flipped = { "1b": "1c", "1c": "1b", "00": "01", "01": "00" }[v] ?? "1b"
  const forms: ReadonlyArray<readonly [string, string]> = [
    ["s flipped", word(r) + word(ORDER - s) + flipped],
    ["s flipped, v kept", word(r) + word(ORDER - s) + v],
    ["v flipped", word(r) + word(s) + flipped],
    [`v of ${dice(256)}`, word(r) + word(s) + dice(256).toString(16).padStart(2, "0")],
    ["r + n", word(r + ORDER) + word(s) + v],
    [
      "number at an end of its range",
      word(pick(dice, [0n, 1n, ORDER - 1n, ORDER, r])) + word(pick(dice, [0n, ORDER, ORDER + 1n, s])) + v
    ],
    ["r and s swapped", word(s) + word(r) + v],
    ["v cut off", word(r) + word(s)],
    ["text", textMutated(digits, dice)]
  ]
  const [what, signature] = pick(dice, forms)
  record.assetTreeSignature = `0x${signature}`
  if (dice(3) > 0) ownerAt(file, "commit").commitData = JSON.stringify(record)
  return `signature: ${what}`
}

const mutateCid = (file: Json, dice: Dice): string => {
  const tree = ownerAt(file, "tree")
  const cid = String(tree.cid)
  const forms = [
    cid.slice(0, -1 - dice(5)) + "a".repeat(1 + dice(5)),
    cid.slice(0, 20) + pick(dice, [...cid]) + cid.slice(21),
    cid.slice(0, -2 - dice(20)),
    `${cid.slice(0, 40)}${[...cid.slice(40)].reverse().join("")}`,
    cid.toUpperCase(),
    textMutated(cid, dice)
  ]
  const changed = pick(dice, forms)
  tree.cid = changed
  const record = ownerAt(file, "commit", "record")
  if (dice(3) > 0) record.assetTreeCid = changed
  if (dice(2) > 0) ownerAt(file, "commit").commitData = JSON.stringify(record)
  return "CID"
}

const mutateInclusion = (file: Json, dice: Dice, other: Json): string => {
  const ledger = ownerAt(file, "ledger")
  if (ledger.inclusion === undefined) return mutateMember(file, dice, other)
  const inclusion = ownerAt(ledger, "inclusion")
  const key = pick(dice, Object.keys(inclusion))
  const value = inclusion[key]!
  if (typeof value === "number") {
    inclusion[key] = value + pick(dice, [1, -1, 2])
    return `${key} by one`
  }
  if (typeof value === "string") {
    inclusion[key] = rlpMutated(value, dice)
    return `RLP of ${key}`
  }
  const nodes = value as Array<Json>
  const at = dice(nodes.length)
  switch (dice(4)) {
    case 0:
      nodes.splice(at, 1)
      break
    case 1:
      nodes.splice(at, 0, nodes[dice(nodes.length)]!)
      break
    case 2:
      nodes.reverse()
      inclusion[pick(dice, ["receiptPath", "transactionPath"])] = nodes
      break
    default:
      nodes[at] = rlpMutated(String(nodes[at]), dice)
  }
  return `nodes of ${key}`
}

const mutatePlace = (file: Json, dice: Dice): string => {
  const ledger = ownerAt(file, "ledger")
  const inclusion = (ledger.inclusion ?? {}) as Owner
  const [owner, key] = pick(dice, [
    [ledger, "logIndex"],
    [ledger, "blockNumber"],
    [ledger, "chainId"],
    [inclusion, "transactionIndex"],
    [inclusion, "logPosition"]
  ] as const)
  owner[key] = pick(dice, [0, 1, 2, Number(owner[key]) + 1, Number(owner[key]) - 1])
  return `${key} of the place`
}

/** The record says other than its text, with the author or any member changed in one of the two or both. */
const mutateRecord = (file: Json, dice: Dice): string => {
  const commit = ownerAt(file, "commit")
  const record = ownerAt(commit, "record")
  const key = pick(dice, ["author", "committer", "actSignature", "more", pick(dice, Object.keys(record))])
  const before = record[key] ?? null
  const data: Owner = JSON.parse(String(commit.commitData))
  const [inRecord, inData] = pick(dice, recordPairs(before))
  record[key] = inRecord
  data[key] = "@value@"
  commit.commitData = JSON.stringify(data).replace('"@value@"', inData)
  return `${key} of record and commit data`
}

const MUTATIONS = [
  mutateMember,
  mutateMember,
  mutateTree,
  mutateSignature,
  mutateCid,
  mutateInclusion,
  mutateInclusion,
  mutatePlace,
  mutateRecord
]

const written = (
  file: Json,
  dice: Dice
): { readonly text: string; readonly what: string; readonly mustFail: boolean } => {
  const text = JSON.stringify(file, null, pick(dice, [0, 2, "\t"]))
  if (dice(12) > 0) return { text, what: "", mustFail: false }
  const keys = [...text.matchAll(/"([^"\\]+)": ?/g)]
  const key = pick(dice, keys)
  const twice = `${text.slice(0, key.index)}${key[0].replace("e", dice(2) === 0 ? "e" : "\\u0065")}${pick(dice, ["1", '"x"', "{}"])},${text.slice(key.index)}`
  return { text: twice, what: `, key ${key[1]} twice`, mustFail: !key[0].includes("\\") }
}

/** The mutation that `dice` choose of `text`; `other` is another proof to take parts from. */
export const mutate = (text: string, other: string, dice: Dice): Mutated => {
  if (dice(8) === 0) return { bytes: bytesOf(Buffer.from(text), dice), what: "bytes of the file", mustFail: false }
  const isLarge = dice(40) === 0
  const file: Json = JSON.parse(text)
  const donor: Json = JSON.parse(other)
  const done: Array<string> = []
  for (let count = dice(5) === 0 ? 2 : 1; count > 0; count--) {
    const mutation = isLarge ? mutateSize : pick(dice, MUTATIONS)
    done.push(attempt(() => mutation(file, dice, donor)))
  }
  if (dice(2) === 0) done.push(attempt(() => repair(file, dice)))
  const { text: changed, what, mustFail } = written(file, dice)
  return { bytes: Buffer.from(changed), what: done.join(" and ") + what, mustFail }
}

/** A second mutation may find what it wants to change gone. */
const attempt = (change: () => string): string => {
  try {
    return change()
  } catch {
    return "nothing"
  }
}

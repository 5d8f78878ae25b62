/**
 * What a proof file shows, found with ethers, node:crypto and a few lines of its own: nothing of core is imported here, so that a fault of core's
 * cannot hide itself. Each answer is a yes or no; whatever cannot be read is a no.
 */
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { AbiCoder, decodeRlp, encodeRlp, id, keccak256, toBeHex } from "ethers"
import { exactJson } from "./ExactJson.ts"
import { signerOfText } from "./Hands.ts"

/** JSON of unknown make: anything may be asked of it, and mostly the answer is undefined. */
export type Loose = { readonly [member: string]: Loose } | undefined

export interface Facts {
  readonly sha256: string
  readonly signer: string | undefined
  /** The author the tree names, else the record's. */
  readonly author: string | undefined
  readonly isAuthorInTree: boolean
  readonly authorsAgree: boolean
  readonly checksumHolds: boolean
  /** Whether a signature is looked for over this tree: no other checksum is named. */
  readonly isOverTree: boolean
  readonly cidsHold: boolean
  readonly recordIsCommitData: boolean
  readonly committerIsRecorder: boolean
  readonly isIncluded: boolean
  readonly isTransactionShown: boolean
  /** Whether it stands in the block, whatever hash is named. */
  readonly isTransactionInBlock: boolean
  /** Whether the tree is a JSON object whose members, those that verification reads, are text. */
  readonly treeReads: boolean
  /** The same of those members alone that name the asset, which are all that a file is compared with. */
  readonly assetReads: boolean
  readonly assetSha256: string | undefined
  /** The digest in the asset's CID, where that is a raw one. */
  readonly assetRawDigest: string | undefined
  /** Of the header, where it is the block named. */
  readonly blockTime: number | undefined
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/**
 * A record may name its author by the CID of an identity, of any codec, which nothing in a proof can be compared with: 20 bytes of a hash
 * at least, after four that say what they are.
 */
const IDENTITY_CID = /^b[a-z2-7]{39,}$/
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
const lower = (value: unknown): string | undefined => text(value)?.toLowerCase()
const or = <A>(otherwise: A, find: () => A): A => {
  try {
    return find()
  } catch {
    return otherwise
  }
}

const ASSET_TEXTS = ["assetCid", "assetSha256"]
const TREE_TEXTS = [...ASSET_TEXTS, "creatorWallet"]

export const factsOf = (bytes: Uint8Array): Facts => {
  const file: Loose = JSON.parse(Buffer.from(bytes).toString("utf8"))
  const tree = Buffer.from(text(file?.tree?.bytes) ?? "", "base64")
  const sha256 = createHash("sha256").update(tree).digest("hex")
  const members: Loose = or(undefined, () => JSON.parse(tree.toString("utf8")))
  const record = file?.commit?.record
  const commitData = text(file?.commit?.commitData) ?? ""
  const named = lower(record?.assetTreeSha256)
  const treeAuthor = text(members?.creatorWallet)
  const recordAuthor = text(record?.author)
  const isTextOrNone = (name: string) => (members?.[name] ?? null) === null || text(members?.[name]) !== undefined
  return {
    sha256,
    signer: or(undefined, () => signerOf(sha256, text(record?.assetTreeSignature) ?? "")),
    author: treeAuthor ?? recordAuthor,
    isAuthorInTree: treeAuthor !== undefined,
    authorsAgree:
      treeAuthor === undefined ||
      recordAuthor === undefined ||
      treeAuthor.toLowerCase() === recordAuthor.toLowerCase() ||
      IDENTITY_CID.test(recordAuthor),
    checksumHolds: named === undefined || named === sha256,
    isOverTree: named === undefined || named === sha256 || !/^[0-9a-f]{64}$/.test(named),
    cidsHold: [file?.tree?.cid, record?.assetTreeCid].every(
      (cid) => typeof cid !== "string" || or("", () => digestOfTreeCid(cid)) === sha256
    ),
    recordIsCommitData: or(false, () => {
      const exact: Loose = exactJson(Buffer.from(bytes).toString("utf8")) as Loose
      return isDeepStrictEqual(sorted(exactJson(commitData)), sorted(exact?.commit?.record))
    }),
    committerIsRecorder: lower(record?.committer) === lower(file?.ledger?.recorder),
    isIncluded: or(false, () => isIncluded(file?.ledger, { commitData, assetCid: text(members?.assetCid) ?? "" })),
    isTransactionShown: or(false, () => isTransactionShown(file?.ledger)),
    isTransactionInBlock: or(false, () => isTransactionInBlock(file?.ledger)),
    treeReads: TREE_TEXTS.every(isTextOrNone),
    assetReads: ASSET_TEXTS.every(isTextOrNone),
    assetSha256: text(members?.assetSha256),
    assetRawDigest: or(undefined, () => digestOfRawCid(text(members?.assetCid) ?? "")),
    blockTime: or(undefined, () => Number(headerOf(file?.ledger)[11]))
  }
}

/** Whatever the order of keys. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value)
    ? value.map(sorted)
    : Object.entries(value)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, member]) => ({ name, member: sorted(member) }))
}

export const signerOf = (checksum: string, signature: string): string | undefined => {
  const digits = Buffer.from(signature.slice(2), "hex").toString("hex")
  const s = BigInt(`0x${digits.slice(64, 128)}`) & (digits.length === 128 ? 2n ** 255n - 1n : 2n ** 256n - 1n)
  const v = Number(`0x${digits.slice(128) || "0"}`)
  if (![0, 1, 27, 28].includes(v) || s > ORDER / 2n || s === 0n) return undefined
  const full = `0x${digits.slice(0, 128)}${v % 27 === 0 ? "1b" : "1c"}`
  return signerOfText(checksum, digits.length === 128 ? `0x${digits}` : full)
}

const BASES: Readonly<Record<string, string>> = {
  b: "abcdefghijklmnopqrstuvwxyz234567",
  z: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  k: "0123456789abcdefghijklmnopqrstuvwxyz"
}

/** The sha256 in a CIDv1 of a raw or dag-json block. */
const digestOfTreeCid = (cid: string): string => digestIn(cid, /^0?1(?:55|a902)1220([0-9a-f]{64})$/) ?? ""
const digestOfRawCid = (cid: string): string | undefined => digestIn(cid, /^0?1551220([0-9a-f]{64})$/)

/** What `form` finds in the bytes of a CID (hex), whatever base it is spelled in. */
const digestIn = (cid: string, form: RegExp): string | undefined => {
  const alphabet = BASES[cid.charAt(0)]!
  let value = 0n
  for (const digit of cid.slice(1)) {
    const place = alphabet.indexOf(digit)
    if (place === -1) throw new Error("no digit")
    value = value * BigInt(alphabet.length) + BigInt(place)
  }
  if (cid.startsWith("b")) value >>= BigInt(((cid.length - 1) * 5) % 8)
  return form.exec(value.toString(16))?.[1]
}

const included = (root: string, index: unknown, value: unknown, nodes: unknown): boolean => {
  if (typeof value !== "string" || !Array.isArray(nodes) || typeof index !== "number") return false
  let nibbles = encodeRlp(index === 0 ? "0x" : toBeHex(index)).slice(2)
  let expected: unknown = root
  for (let used = 0; ; ) {
    let node: unknown = expected
    if (typeof expected === "string") {
      if (keccak256(nodes[used]) !== expected) return false
      node = decodeRlp(nodes[used++])
    }
    if (!Array.isArray(node)) return false
    if (node.length === 17) {
      expected = nibbles === "" ? node[16] : node[Number.parseInt(nibbles.charAt(0), 16)]
      if (nibbles === "") return used === nodes.length && expected === value.toLowerCase()
      nibbles = nibbles.slice(1)
      continue
    }
    const flag = Number.parseInt(node[0].charAt(2), 16)
    const path: string = node[0].slice(flag % 2 === 1 ? 3 : 4)
    if (!nibbles.startsWith(path)) return false
    nibbles = nibbles.slice(path.length)
    expected = node[1]
    if (flag >= 2) return nibbles === "" && used === nodes.length && expected === value.toLowerCase()
  }
}

const headerOf = (ledger: Loose): ReadonlyArray<string> => {
  const header = text(ledger?.inclusion?.header) ?? ""
  if (keccak256(header) !== lower(ledger?.blockHash)) throw new Error("another header")
  const items: unknown = decodeRlp(header)
  if (!Array.isArray(items) || items.length < 15) throw new Error("no header")
  return items
}

const isIncluded = (ledger: Loose, event: { readonly commitData: string; readonly assetCid: string }): boolean => {
  const header = headerOf(ledger)
  const inclusion = ledger?.inclusion
  const { transactionIndex, logPosition }: { transactionIndex?: unknown; logPosition?: unknown } = inclusion ?? {}
  const { blockNumber, logIndex }: { blockNumber?: unknown; logIndex?: unknown } = ledger ?? {}
  if (!included(header[5]!, transactionIndex, inclusion?.receipt, inclusion?.receiptPath)) return false
  const receipt = text(inclusion?.receipt) ?? ""
  const body = Number.parseInt(receipt.slice(2, 4), 16) < 0x80 ? `0x${receipt.slice(4)}` : receipt
  const log = (decodeRlp(body) as Array<Array<[string, Array<string>, string]>>)[3]![Number(logPosition)]!
  const topics = [id("Commit(address,string,string)"), toTopic(lower(ledger?.recorder) ?? ""), id(event.assetCid)]
  return (
    Number(header[8]) === blockNumber &&
    log[0] === lower(ledger?.contract) &&
    isDeepStrictEqual(log[1], topics) &&
    log[2] === AbiCoder.defaultAbiCoder().encode(["string"], [event.commitData]) &&
    (transactionIndex === 0 ? logIndex === logPosition : Number(logIndex) >= Number(logPosition))
  )
}

const toTopic = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

const isTransactionInBlock = (ledger: Loose): boolean => {
  const inclusion = ledger?.inclusion
  return included(headerOf(ledger)[4]!, inclusion?.transactionIndex, inclusion?.transaction, inclusion?.transactionPath)
}

const isTransactionShown = (ledger: Loose): boolean =>
  isTransactionInBlock(ledger) && keccak256(text(ledger?.inclusion?.transaction) ?? "") === lower(ledger?.txHash)

/**
 * The receipt of a charged call: canonical dag-json, signed by the service's wallet as asset trees are (EIP-191 over the 64 hex
 * characters of its sha256). Each names the hash of the account's receipt before it, so none can be left out or changed later.
 *
 * One text everywhere, in the header `Treemark-Receipt` and in statements: base64url of the receipt's bytes, a point, base64url of
 * the signature's 65 bytes, both without padding (docs/statement-format.md).
 */
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { checksumOf } from "../asset-tree/Checksum.ts"
import { canonicalSignature } from "../asset-tree/Signature.ts"
import { dagJsonText } from "../json/CanonicalJson.ts"
import type { JsonValue } from "../json/JsonValue.ts"
import { utf8Text } from "../json/Utf8.ts"
import { base64Of, parseBase64 } from "../proof/Base64.ts"

export const RECEIPT_VERSION = 1

/** Amounts are exact decimal numbers of native tokens; `amount` is `price` and `gas` together. */
export interface Receipt {
  readonly version: typeof RECEIPT_VERSION
  /** Id of the account that was charged. */
  readonly account: string
  /** 1 for the account's first receipt, then one more each. */
  readonly sequence: number
  /** sha256 of the account's receipt before this one, 64 lower-case hex digits; null for the first. */
  readonly previous: string | null
  readonly operation: string
  /** What was charged for: a commit's id, or a request's. */
  readonly reference: string
  readonly amount: string
  readonly price: string
  readonly gas: string
  /** Where the money came from: credits of the account, or tokens of its wallet. */
  readonly funding: string
  readonly priceListVersion: string
  /** Id of the entry in the service's books. */
  readonly posting: string
  /** When it was charged: ISO 8601 in UTC. */
  readonly issuedAt: string
  /** Address of the service's wallet, which signs. */
  readonly service: string
}

/** `text` is the receipt's canonical dag-json, `hash` its sha256 in hex, `signature` `0x` and 65 bytes in hex. */
export interface SignedReceipt {
  readonly text: string
  readonly hash: string
  readonly signature: string
}

/** Signs `receipt` with whatever signs 64 hex characters as text (EIP-191) for the service's wallet. */
export const signReceipt = (receipt: Receipt, signText: (text: string) => string): SignedReceipt => {
  const text = canonicalText(receipt)
  const hash = hashOfText(text)
  return { text, hash, signature: signText(hash) }
}

/** Canonical dag-json of a document whose members are texts, numbers, nulls, and objects and lists of them. */
export const canonicalText = (document: object): string => dagJsonText(document as JsonValue)

/** sha256 of the UTF-8 bytes of `text`, 64 lower-case hex digits. */
export const hashOfText = (text: string): string => checksumOf(utf8ToBytes(text))

/** The one text of a receipt, for headers and statements. */
export const compactReceipt = ({ text, signature }: Pick<SignedReceipt, "text" | "signature">): string =>
  `${base64UrlOf(utf8ToBytes(text))}.${base64UrlOf(hexToBytes(canonicalSignature(signature).slice(2)))}`

const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{87})$/

/** Longest compact receipt that is read; real ones have about 750 characters. */
export const COMPACT_LIMIT = 16_384

/** Reads a compact receipt; `undefined` when it is not one text of UTF-8 bytes with a signature of 65 bytes. */
export const openReceipt = (compact: string): SignedReceipt | undefined => {
  const parts = compact.length > COMPACT_LIMIT ? null : COMPACT.exec(compact)
  const bytes = parseBase64Url(parts?.[1] ?? "")
  const signature = parseBase64Url(parts?.[2] ?? "")
  const text = bytes === undefined ? undefined : utf8Text(bytes)
  if (bytes === undefined || text === undefined || signature?.length !== 65) return undefined
  return { text, hash: checksumOf(bytes), signature: `0x${bytesToHex(signature)}` }
}

const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

const parseBase64Url = (text: string): Uint8Array | undefined => {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/")
  return text === "" ? undefined : parseBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="))
}

/** The receipts in a statement: read from their charges, signed by the service, and chained from the opening to the closing. */

import { readJsonObjectText } from "../json/ReadJson.ts"
import { textIn } from "../proof/Members.ts"
import type { Finding, RecoverText } from "./Finding.ts"
import { canonicalText, openReceipt, RECEIPT_VERSION, type Receipt, type SignedReceipt } from "./Receipt.ts"
import type { Statement } from "./Statement.ts"
import { unitsIn } from "./Units.ts"

/** A receipt with its place in the statement. */
export interface PlacedReceipt {
  /** Index of the movement. */
  readonly index: number
  readonly receipt: Receipt
  readonly signed: SignedReceipt
}

export const pathOfReceipt = (index: number): string => `/movements/${index}/receipt`

/** The receipts of all charges, in the order of the movements, and the charges whose receipt is missing or cannot be read. */
export const readReceipts = (
  statement: Statement
): { readonly read: ReadonlyArray<PlacedReceipt>; readonly findings: ReadonlyArray<Finding> } => {
  const read: Array<PlacedReceipt> = []
  const findings: Array<Finding> = []
  for (const [index, { kind, receipt }] of statement.movements.entries()) {
    if (kind !== "charge") continue
    const path = pathOfReceipt(index)
    if (receipt === null) {
      findings.push({ code: "receipt_missing", path })
      continue
    }
    const signed = openReceipt(receipt)
    const document = signed === undefined ? undefined : parseReceipt(signed.text)
    if (signed === undefined || document === undefined) findings.push({ code: "receipt_unreadable", path })
    else read.push({ index, receipt: document, signed })
  }
  return { read, findings }
}

const TEXTS = [
  "account",
  "operation",
  "reference",
  "funding",
  "priceListVersion",
  "posting",
  "issuedAt",
  "service"
] as const
const AMOUNTS = ["amount", "price", "gas"] as const

/** The receipt of a text that is its canonical form; `undefined` for any other. */
export const parseReceipt = (text: string): Receipt | undefined => {
  const json = readJsonObjectText(text)
  if (!json.ok) return undefined
  const { previous, sequence, version } = json.value
  const isReceipt =
    version === RECEIPT_VERSION &&
    Number.isSafeInteger(sequence) &&
    (previous === null || (typeof previous === "string" && /^[0-9a-f]{64}$/.test(previous))) &&
    TEXTS.every((name) => textIn(json.value, name) !== undefined) &&
    AMOUNTS.every((name) => (unitsIn(json.value, name) ?? -1n) >= 0n)
  return isReceipt && isCanonical(json.value, text) ? (json.value as unknown as Receipt) : undefined
}

const isCanonical = (value: object, text: string): boolean => {
  try {
    return canonicalText(value) === text
  } catch {
    return false
  }
}

export const checkSignatures = (
  receipts: ReadonlyArray<PlacedReceipt>,
  service: string,
  recover: RecoverText
): ReadonlyArray<Finding> =>
  receipts.flatMap(({ index, signed }): ReadonlyArray<Finding> => {
    const path = pathOfReceipt(index)
    const recovered = recover(signed.hash, signed.signature)
    if (!recovered.ok) return [{ code: "receipt_signature", path, actual: recovered.message }]
    if (recovered.signer === service) return []
    return [{ code: "receipt_wrong_signer", path, expected: service, actual: recovered.signer }]
  })

/** Each receipt is the next after the one before it; the opening and the closing balance name the ends of the chain. */
export const checkChain = (statement: Statement, receipts: ReadonlyArray<PlacedReceipt>): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  let last = statement.opening.receipt
  for (const { index, receipt, signed } of receipts) {
    const path = pathOfReceipt(index)
    const expected = (last?.sequence ?? 0) + 1
    if (receipt.sequence !== expected) {
      findings.push({ code: "receipt_order", path, expected: String(expected), actual: String(receipt.sequence) })
    } else if (receipt.previous !== (last?.hash ?? null)) {
      findings.push({ code: "receipt_chain", path, expected: last?.hash ?? "none", actual: receipt.previous ?? "none" })
    }
    last = { sequence: receipt.sequence, hash: signed.hash }
  }
  const { closing } = statement
  if (closing.receipt?.hash !== last?.hash || closing.receipt?.sequence !== last?.sequence) {
    findings.push({
      code: "closing_receipt",
      path: "/closing/receipt",
      expected: last?.hash ?? "none",
      actual: closing.receipt?.hash ?? "none"
    })
  }
  return findings
}

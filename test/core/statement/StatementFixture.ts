/** A statement that holds, made by hand with a key of the test's own, and ways to sign a changed one again. */
import { addressOfPrivateKey, signPersonalMessage } from "../../../packages/core/src/asset-tree/Signature.ts"
import { compactReceipt, type Receipt, signReceipt } from "../../../packages/core/src/statement/Receipt.ts"
import {
  type Movement,
  STATEMENT_MEDIA_TYPE,
  type Statement,
  signStatement
} from "../../../packages/core/src/statement/Statement.ts"

export const KEY = new Uint8Array(32).fill(9)
export const SERVICE = addressOfPrivateKey(KEY)
const ACCOUNT = { id: "acc_1", name: "studio", wallet: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }

export const at = (second: number): string => `2026-11-21T10:00:${String(second).padStart(2, "0")}.000Z`

export const OPENING = { credits: "1", owed: "0.5", receipt: { sequence: 6, hash: "ab".repeat(32) } }

/** The receipt number `sequence` of the account; `changes` are signed with it. */
export const receiptOf = (sequence: number, previous: string | null, changes: Partial<Receipt> = {}, key = KEY) =>
  signReceipt(
    {
      version: 1,
      account: ACCOUNT.id,
      sequence,
      previous,
      operation: "commit",
      reference: `cmt_${sequence}`,
      amount: "0.104",
      price: "0.1",
      gas: "0.004",
      funding: sequence === 8 ? "tokens" : "credits",
      priceListVersion: "2026-11",
      posting: `capture:hold_${sequence}`,
      issuedAt: at(sequence),
      service: SERVICE,
      ...changes
    },
    (hash) => signPersonalMessage(hash, key)
  )

export const FIRST = receiptOf(7, OPENING.receipt.hash)
export const SECOND = receiptOf(8, FIRST.hash)

const charge = (sequence: number, receipt: string, credits: string, owed: string): Movement => ({
  at: at(sequence),
  kind: "charge",
  posting: `capture:hold_${sequence}`,
  reference: `cmt_${sequence}`,
  credits,
  owed,
  receipt,
  txHash: null
})

const GRANT: Movement = {
  at: at(1),
  kind: "grant",
  posting: "grant:grant_1",
  reference: "grant_1",
  credits: "2.5",
  owed: "0",
  receipt: null,
  txHash: null
}

const SETTLEMENT: Movement = {
  at: at(9),
  kind: "settlement",
  posting: "settled:stl_1",
  reference: "stl_1",
  credits: "0",
  owed: "-0.6",
  receipt: null,
  txHash: `0x${"7a".repeat(32)}`
}

/** Grant, a charge to credits, one to tokens, a settlement. */
export const STATEMENT: Statement = signed({
  mediaType: STATEMENT_MEDIA_TYPE,
  account: ACCOUNT,
  service: SERVICE,
  from: at(0),
  to: at(30),
  issuedAt: at(40),
  opening: OPENING,
  movements: [
    GRANT,
    charge(7, compactReceipt(FIRST), "-0.104", "0"),
    charge(8, compactReceipt(SECOND), "0", "0.104"),
    SETTLEMENT
  ],
  closing: { credits: "3.396", owed: "0.004", receipt: { sequence: 8, hash: SECOND.hash } },
  signature: ""
})

/** Signs a changed statement, so that only the change is wrong with it. */
export function signed(statement: Statement): Statement {
  return signStatement(statement, (checksum) => signPersonalMessage(checksum, KEY))
}

/** The statement with some members of a movement changed, signed again. */
export const withMovement = (index: number, changes: Partial<Movement>): Statement =>
  signed({
    ...STATEMENT,
    movements: STATEMENT.movements.map((movement, n) => (n === index ? { ...movement, ...changes } : movement))
  })

/** The statement with other receipts in its two charges, and the closing balance naming `last`. */
export const withReceipts = (first: typeof FIRST, second: typeof SECOND): Statement =>
  signed({
    ...STATEMENT,
    movements: STATEMENT.movements.map((movement, n) =>
      n === 1
        ? { ...movement, receipt: compactReceipt(first) }
        : n === 2
          ? { ...movement, receipt: compactReceipt(second) }
          : movement
    ),
    closing: { ...STATEMENT.closing, receipt: { sequence: 8, hash: second.hash } }
  })

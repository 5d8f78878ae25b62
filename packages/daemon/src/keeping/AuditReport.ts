/** What an audit finds: every place where books, jobs, ledger and content store disagree, and what to do about it. Codes are stable. */
import { Schema } from "effect"
import { ADVICE } from "./AuditAdvice.ts"

const MEANINGS = {
  entry_unbalanced: "The postings of an entry do not sum to zero.",
  balance_differs: "A balance is not the sum of its postings.",
  total_not_zero: "All balances together are not zero.",
  held_differs: "What an account's running calls hold is not what its book of holds says.",
  hold_abandoned: "Money is held for work that nobody does any more.",
  hold_not_closed: "A commit ended, and its hold is still open.",
  charge_not_booked: "A hold was captured, and the entry that takes the money is missing or of another amount.",
  charge_without_commit: "A commit was charged, and it is not on the ledger.",
  charge_differs: "A charge is not the price and the gas of its transaction.",
  commit_not_charged: "A commit is on the ledger, and what was held for it was given back.",
  commit_without_hold: "A commit was made without money held for it.",
  receipt_missing: "A charge has no receipt.",
  receipt_damaged: "A receipt is not what was signed, or not about its charge.",
  receipt_chain: "A receipt does not follow the one before it.",
  receipt_signature:
    "The newest receipt of an account, which covers those before it, is not signed by the service's wallet.",
  settlement_differs: "A settlement and its transfer on the ledger are not of one mind.",
  event_missing: "A commit that is finished here is not on the ledger where it should be.",
  event_differs: "The ledger has another text, asset or place for a commit than the job.",
  event_unknown: "The ledger has a commit by the service's wallet that no job here knows.",
  ledger_unread: "The ledger could not be read, so commits were not compared with it.",
  tree_missing: "The content store does not hold an asset tree that was committed.",
  tree_damaged: "The content store has an asset tree whose bytes are damaged or cannot be read.",
  block_missing: "A block of a registered file is not in the content store.",
  block_damaged: "A block of a registered file is damaged or cannot be read."
} as const

export type AuditCode = keyof typeof MEANINGS

export const AUDIT_CODES: Readonly<Record<AuditCode, string>> = MEANINGS

export const AuditFinding = Schema.Struct({
  code: Schema.Literals(Object.keys(MEANINGS) as ReadonlyArray<AuditCode>),
  /** What it is about: the id of an entry, a hold, a commit …, or a CID. */
  subject: Schema.String,
  detail: Schema.String,
  /** What to do about it. */
  advice: Schema.String
})
export type AuditFinding = typeof AuditFinding.Type

export const AuditReport = Schema.Struct({
  clean: Schema.Boolean,
  /** How much was looked at. */
  checked: Schema.Struct({
    entries: Schema.Int,
    accounts: Schema.Int,
    holds: Schema.Int,
    receipts: Schema.Int,
    commits: Schema.Int,
    events: Schema.Int,
    trees: Schema.Int,
    /** Files whose blocks were all read; `blocks` of them. */
    files: Schema.Int,
    blocks: Schema.Int
  }),
  /** When only a sample of the files was read: how many are registered with their bytes. Null: all were read. */
  sampledFrom: Schema.NullOr(Schema.Int),
  findings: Schema.Array(AuditFinding)
})
export type AuditReport = typeof AuditReport.Type

/** A finding with what to do about it. */
export const findingOf = (code: AuditCode, subject: string, detail: string): AuditFinding => ({
  code,
  subject,
  detail,
  advice: ADVICE[code]
})

/** Takes findings down while an audit goes on. */
export type Note = (code: AuditCode, subject: string, detail: string) => void

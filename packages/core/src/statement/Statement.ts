/**
 * The statement of an account: what it had at the start of a period, every movement in it with its receipt, what it had at the
 * end. One JSON file, signed by the service's wallet over the sha256 of its canonical dag-json without the member `signature`
 * (docs/statement-format.md). Amounts are exact decimal numbers of native tokens; times are ISO 8601 in UTC. Format version 1.
 */
import { canonicalText, hashOfText } from "./Receipt.ts"

export const STATEMENT_MEDIA_TYPE = "application/vnd.treemark.statement+json;version=1"

/** Largest file that is read, in bytes: about 40,000 charges. */
export const STATEMENT_LIMIT = 64 * 1024 * 1024

/** What an account has at a moment, without what only running calls hold. */
export interface StatementBalance {
  /** Credits, those held by running calls included. */
  readonly credits: string
  /** What the wallet owes: charged to its tokens and not yet transferred. */
  readonly owed: string
  /** The account's last receipt up to then: the chain goes on from it. */
  readonly receipt: { readonly sequence: number; readonly hash: string } | null
}

/** `grant`: credits given. `charge`: a call, with its receipt. `settlement`: tokens moved from the wallet to the service. */
export const MOVEMENT_KINDS = ["grant", "charge", "settlement"] as const
export type MovementKind = (typeof MOVEMENT_KINDS)[number]

export interface Movement {
  readonly at: string
  readonly kind: MovementKind
  /** Id of the entry in the service's books. */
  readonly posting: string
  readonly reference: string
  /** What is added to the credits; negative takes away. */
  readonly credits: string
  /** What is added to what the wallet owes; negative takes away. */
  readonly owed: string
  /** The compact receipt of a charge; null for other movements. */
  readonly receipt: string | null
  /** The transfer of a settlement on the ledger; null for other movements. */
  readonly txHash: string | null
}

export interface UnsignedStatement {
  readonly mediaType: typeof STATEMENT_MEDIA_TYPE
  readonly account: { readonly id: string; readonly name: string; readonly wallet: string }
  /** Address of the wallet that signs receipts and statement. */
  readonly service: string
  /** The first moment of the period. */
  readonly from: string
  /** The moment the period ends before. */
  readonly to: string
  readonly issuedAt: string
  readonly opening: StatementBalance
  readonly movements: ReadonlyArray<Movement>
  readonly closing: StatementBalance
}

export interface Statement extends UnsignedStatement {
  /** `0x` and 65 bytes in hex: EIP-191 over the statement's checksum as text. */
  readonly signature: string
}

/** The checksum that a statement's signature is over: of everything but the signature itself. */
export const statementChecksum = (statement: UnsignedStatement): string =>
  hashOfText(canonicalText(unsigned(statement)))

/** Signs with whatever signs 64 hex characters as text for the service's wallet. */
export const signStatement = (statement: UnsignedStatement, signText: (text: string) => string): Statement => ({
  ...unsigned(statement),
  signature: signText(statementChecksum(statement))
})

const unsigned = ({
  mediaType,
  account,
  service,
  from,
  to,
  issuedAt,
  opening,
  movements,
  closing
}: UnsignedStatement): UnsignedStatement => ({
  mediaType,
  account,
  service,
  from,
  to,
  issuedAt,
  opening,
  movements,
  closing
})

/** The file's text: one movement a line, so that two statements can be compared line by line. */
export const statementText = (statement: Statement): string => {
  const { movements, ...others } = statement
  const head = Object.entries(others).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  const lines = movements.map((movement) => `    ${JSON.stringify(movement)}`).join(",\n")
  return `{\n${[...head, `  "movements": [${lines === "" ? "" : `\n${lines}\n  `}]`].join(",\n")}\n}\n`
}

const COLUMNS = ["at", "kind", "credits", "owed", "reference", "posting", "txHash", "receipt"] as const

/** The movements as CSV (RFC 4180): a heading, then a line each; opening and closing balances stand as movements of their own kind. */
export const statementCsv = (statement: Statement): string => {
  const balance = (kind: string, at: string, { credits, owed }: StatementBalance) => [
    at,
    kind,
    credits,
    owed,
    "",
    "",
    "",
    ""
  ]
  const rows = statement.movements.map((movement) => COLUMNS.map((column) => movement[column] ?? ""))
  return [
    [...COLUMNS],
    balance("opening", statement.from, statement.opening),
    ...rows,
    balance("closing", statement.to, statement.closing)
  ]
    .map((row) => `${row.map(csvCell).join(",")}\r\n`)
    .join("")
}

/** Quoted where it needs to be; ids are ours, so no cell can start a formula but a negative amount, which is a number. */
const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

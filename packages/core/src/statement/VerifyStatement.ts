/**
 * Checks a statement offline: the receipts are the service's and form a chain, the movements are what the receipts say, the sums
 * agree. Reads as a table of contents; each check names the first place where it fails and how many there are.
 */
import { recoverSigner } from "../asset-tree/Signature.ts"
import { toEip55 } from "../identity/Eip55.ts"
import type { Finding, RecoverText } from "./Finding.ts"
import { checkMovements, checkPeriod, checkSums } from "./MovementChecks.ts"
import { checkChain, checkSignatures, readReceipts } from "./ReceiptChecks.ts"
import { type Statement, type StatementBalance, statementChecksum } from "./Statement.ts"
import { STATEMENT_CODES, type StatementCheckName, type StatementCode } from "./StatementCodes.ts"

/** One question that was asked of a statement, and how it came out. */
export interface StatementCheck {
  readonly name: StatementCheckName
  readonly outcome: "pass" | "fail" | "skipped"
  readonly code: StatementCode | "ok"
  /** JSON pointer of the first place that fails; null when there is none. */
  readonly path: string | null
  readonly expected: string | null
  readonly actual: string | null
  /** Places that fail. */
  readonly failures: number
}

/** What verification found of a statement. */
export interface StatementReport {
  readonly verdict: "valid" | "invalid"
  readonly account: Statement["account"]
  /** The wallet that the statement says signed it, with its EIP-55 checksum. */
  readonly service: string
  readonly from: string
  readonly to: string
  readonly opening: StatementBalance
  readonly closing: StatementBalance
  readonly movements: number
  readonly receipts: number
  readonly checks: ReadonlyArray<StatementCheck>
}

/** Checks `statement`. `expectedService`: whose statement you expect, an address in any letter case. */
export const verifyStatement = (
  statement: Statement,
  options: { readonly expectedService?: string | undefined; readonly recover?: RecoverText | undefined } = {}
): StatementReport => {
  const service = toEip55(statement.service)
  const recover = options.recover ?? recoverSigner
  const receipts = readReceipts(statement)
  const checks = [
    checkOf("receipts-signed", [...receipts.findings, ...checkSignatures(receipts.read, service, recover)]),
    checkOf("receipts-chained", checkChain(statement, receipts.read)),
    checkOf("movements-agree", checkMovements(statement, receipts.read)),
    checkOf("sums-agree", checkSums(statement)),
    checkOf("period-kept", checkPeriod(statement)),
    checkOf("statement-signed", checkStatementSignature(statement, service, recover)),
    checkService(service, options.expectedService)
  ]
  return {
    verdict: checks.some(({ outcome }) => outcome === "fail") ? "invalid" : "valid",
    account: statement.account,
    service,
    from: statement.from,
    to: statement.to,
    opening: statement.opening,
    closing: statement.closing,
    movements: statement.movements.length,
    receipts: receipts.read.length,
    checks
  }
}

const checkOf = (name: StatementCheckName, findings: ReadonlyArray<Finding>): StatementCheck => {
  const [first] = findings
  return {
    name,
    outcome: first === undefined ? "pass" : STATEMENT_CODES[first.code].outcome,
    code: first?.code ?? "ok",
    path: first?.path ?? null,
    expected: first?.expected ?? null,
    actual: first?.actual ?? null,
    failures: findings.length
  }
}

const checkStatementSignature = (
  statement: Statement,
  service: string,
  recover: RecoverText
): ReadonlyArray<Finding> => {
  const recovered = recover(statementChecksum(statement), statement.signature)
  if (!recovered.ok) return [{ code: "statement_signature", path: "/signature", actual: recovered.message }]
  if (recovered.signer === service) return []
  return [{ code: "statement_wrong_signer", path: "/signature", expected: service, actual: recovered.signer }]
}

const checkService = (service: string, expected: string | undefined): StatementCheck => {
  if (expected === undefined) {
    return {
      ...checkOf("expected-service", [{ code: "service_not_named", path: "/service", actual: service }]),
      failures: 0
    }
  }
  const named = toEip55(expected)
  return checkOf(
    "expected-service",
    named === service ? [] : [{ code: "service_differs", path: "/service", expected: named, actual: service }]
  )
}

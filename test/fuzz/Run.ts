/**
 * Fuzzing: mutated proofs through the verifier, each case from a seed and its number alone. What must hold of each:
 * never an exception, never a second of work, nothing raw for the terminal; `valid`, and every check that passes, only where Independent.ts agrees; and
 * no value that the report calls signed or on the ledger is another than in the proof it was made from.
 */

import {
  inputOfProof,
  parseProof,
  type Report,
  recoverSigner,
  type VerifyInput,
  verify
} from "../../packages/core/src/verify.ts"
import { render } from "../../packages/verify/src/Render.ts"
import { seeded } from "../core/proof/Seeded.ts"
import { corpus, type Original } from "./Corpus.ts"
import { type Facts, factsOf } from "./Independent.ts"
import { mutate } from "./Mutate.ts"

export interface Failure {
  readonly number: number
  readonly what: string
  readonly problem: string
}

/** Case `number` of `seed`, again. */
export const caseOf = (seed: number, number: number) => {
  const dice = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b))
  for (let warm = 0; warm < 3; warm++) dice(2)
  const original = corpus[dice(corpus.length)]!
  const other = corpus[dice(corpus.length)]!
  return { original, mutated: mutate(original.text, other.text, dice) }
}

/** Runs cases from `first` on until `isDone`; every failure is told at once. */
export const fuzz = (
  seed: number,
  isDone: (cases: number) => boolean,
  onFailure: (failure: Failure) => void,
  first = 0
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = { cases: 0 }
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  for (let number = first; !isDone(number - first); number++) {
    count("cases")
    const { mutated, original } = caseOf(seed, number)
    const { outcome, problems } = judge(mutated.bytes, original, mutated.mustFail)
    count(outcome)
    for (const problem of problems) onFailure({ number, what: `${original.kind}: ${mutated.what}`, problem })
  }
  return counts
}

const MOST_MILLISECONDS = 1000

export const judge = (bytes: Uint8Array, original: Original, mustFail = false) => {
  const before = process.cpuUsage()
  let outcome: string
  let problems: ReadonlyArray<string>
  try {
    const reading = parseProof(bytes)
    const input = reading.ok ? inputOfProof(reading.proof) : undefined
    const report = input && verify({ ...input, ...original.given, recover })
    outcome = report?.verdict ?? (reading.ok ? "" : reading.code)
    const { user, system } = process.cpuUsage(before)
    problems = [
      ...(user + system > MOST_MILLISECONDS * 1000 ? [`took ${(user + system) / 1000} ms`] : []),
      ...(report === undefined || input === undefined ? [] : reportProblems(report, input, bytes, original)),
      ...(report?.verdict === "valid" && mustFail ? ["accepted, although a key occurs twice"] : [])
    ]
  } catch (error) {
    outcome = "exception"
    problems = [`exception: ${error instanceof Error ? error.stack : String(error)}`]
  }
  return { outcome, problems }
}

const recovered = new Map<string, ReturnType<typeof recoverSigner>>()
/** Most cases have one of a few signatures over one of a few texts. */
const recover = (text: string, signature: string) => {
  const key = `${text} ${signature}`
  const known = recovered.get(key) ?? recoverSigner(text, signature)
  if (recovered.size < 1000) recovered.set(key, known)
  return known
}

const reportProblems = (
  report: Report,
  input: VerifyInput,
  bytes: Uint8Array,
  original: Original
): ReadonlyArray<string> => {
  const problems = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u.test(render(report, { colour: false }))
    ? ["raw on the terminal"]
    : []
  const passes = new Set(report.checks.filter(({ outcome }) => outcome === "pass").map(({ name }) => name))
  const codes = new Set(report.checks.map(({ code }) => code))
  if (report.verdict !== "valid" && passes.size === 0) return problems
  const facts = factsOf(bytes)
  const need = (claim: boolean, fact: boolean, what: string) => {
    if (claim && !fact) problems.push(`claimed, but not so: ${what}`)
  }
  const isValid = report.verdict === "valid"
  need(isValid || passes.has("tree-sha256"), facts.checksumHolds, "the checksum")
  need(isValid || passes.has("tree-cid"), facts.cidsHold, "the CID")
  need(isValid || passes.has("author-agrees"), facts.authorsAgree, "tree and record name one author")
  need(isValid || passes.has("commit-data"), facts.recordIsCommitData, "the record is the commit data")
  need(
    isValid,
    facts.signer !== undefined && facts.signer.toLowerCase() === facts.author?.toLowerCase(),
    "the author signed"
  )
  need(passes.has("committer-is-recorder"), facts.committerIsRecorder, "the committer is the recorder")
  need(passes.has("ledger-inclusion") || codes.has("block_not_compared"), facts.isIncluded, "the inclusion")
  need(
    passes.has("ledger-transaction") || codes.has("transaction_block_not_compared"),
    facts.isTransactionShown,
    "the transaction"
  )
  need(isValid && input.inclusion !== undefined, facts.isIncluded, "an inclusion proof given holds")
  return [...problems, ...changedValues(report, facts, original, passes.has("ledger-transaction"))]
}

/** The values of the proofs fuzzing starts from, by the checksum of their tree. */
const known = new Map<string, Array<Report>>()
for (const { given, text } of corpus) {
  const reading = parseProof(Buffer.from(text))
  if (!reading.ok) throw new Error(reading.message)
  const report = verify({ ...inputOfProof(reading.proof), ...given })
  if (report.verdict !== "valid") throw new Error("A proof that fuzzing starts from is not valid.")
  known.set(String(report.assetTreeSha256), [...(known.get(String(report.assetTreeSha256)) ?? []), report])
}

/** A CID's codec and base are the file's own choice; what is signed is its hash, which Independent.ts compares. */
const SIGNED = ["author", "signer", "assetCid", "assetTreeSha256"] as const

const changedValues = (
  report: Report,
  facts: Facts,
  original: Original,
  isTransactionShown: boolean
): ReadonlyArray<string> => {
  if (report.verdict !== "valid") return []
  const sources = known.get(facts.sha256) ?? []
  if (sources.length === 0) return ["valid, but nobody signed this tree"]
  const problems = SIGNED.filter((name) => report.provenance[name] === "signed" && report[name] !== sources[0]![name])
  if (report.provenance.ledger !== "ledger") return problems.map((name) => `signed value changed: ${name}`)
  const ledgers = sources.flatMap(({ committer, ledger, time }) =>
    ledger === null ? [] : [{ committer, ledger, time }]
  )
  const isKnown = ledgers.some(
    ({ committer, ledger, time }) =>
      report.ledger?.chainId === ledger.chainId &&
      report.ledger.contract === ledger.contract &&
      report.ledger.blockNumber === ledger.blockNumber &&
      report.ledger.blockHash === ledger.blockHash &&
      report.ledger.recorder === ledger.recorder &&
      (!isTransactionShown || report.ledger.txHash === ledger.txHash) &&
      report.time === time &&
      (report.provenance.committer !== "ledger" || report.committer === committer)
  )
  return [
    ...problems.map((name) => `signed value changed: ${name}`),
    ...(isKnown ? [] : [`a value on the ledger changed, of ${original.kind}`])
  ]
}

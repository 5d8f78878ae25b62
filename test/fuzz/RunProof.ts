/** One proof through the verifier, and the report held against the judge's. */
import {
  inputOfProof,
  parseProof,
  type Report,
  recoverSigner,
  type VerifyInput,
  verify
} from "../../packages/core/src/verify.ts"
import { render } from "../../packages/verify/src/Render.ts"
import { corpus } from "./Corpus.ts"
import type { Facts } from "./Independent.ts"
import { type Judgment, judge } from "./Judge.ts"
import { inputOfReader, type Reader } from "./Reader.ts"
import type { Outcome } from "./Run.ts"

export interface Given {
  readonly reader: Reader
  /** Whatever else it is, this text is not to be accepted. */
  readonly mustFail: boolean
  readonly isMutated: boolean
  readonly isForged: boolean
}

const MOST_MILLISECONDS = 1000

export const judgeProof = (bytes: Uint8Array, given: Given): Outcome => {
  const before = process.cpuUsage()
  const reading = parseProof(bytes)
  const brought = inputOfReader(given.reader)
  const input = reading.ok && brought !== undefined ? { ...inputOfProof(reading.proof), ...brought } : undefined
  const report = input && verify({ ...input, recover })
  const { user, system } = process.cpuUsage(before)
  const text = report && render(report, { colour: false })
  const judgment = reading.ok ? judge(bytes, given.reader) : undefined
  return {
    outcome: report?.verdict ?? (reading.ok ? "reader_refused" : reading.code),
    problems: [
      ...(user + system > MOST_MILLISECONDS * 1000 ? [`took ${(user + system) / 1000} ms`] : []),
      ...(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u.test(text ?? "") ? ["raw on the terminal"] : []),
      ...(reading.ok ? refusalProblems(brought !== undefined, judgment !== undefined) : []),
      ...(report && input && judgment ? reportProblems(report, input, judgment, given) : []),
      ...(report?.verdict === "valid" && given.mustFail ? ["accepted, although a key occurs twice"] : [])
    ]
  }
}

const recovered = new Map<string, ReturnType<typeof recoverSigner>>()
/** Most cases have one of a few signatures over one of a few texts. */
const recover = (text: string, signature: string) => {
  const key = `${text} ${signature}`
  const known = recovered.get(key) ?? recoverSigner(text, signature)
  if (recovered.size < 1000) recovered.set(key, known)
  return known
}

const refusalProblems = (isAccepted: boolean, isSound: boolean): ReadonlyArray<string> =>
  isAccepted === isSound
    ? []
    : [isAccepted ? "a reader's file was accepted that is forged" : "a reader's file was refused that is sound"]

const reportProblems = (
  report: Report,
  input: VerifyInput,
  judgment: Judgment,
  given: Given
): ReadonlyArray<string> => [
  ...overclaims(report, judgment, input),
  ...(given.isMutated ? [] : differences(report, judgment)),
  ...(given.isForged ? [] : changedValues(report, judgment.facts))
]

/** What the report claims and the judge does not find. */
const overclaims = (report: Report, judgment: Judgment, input: VerifyInput): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const { facts } = judgment
  const passes = new Set<string>(report.checks.filter(({ outcome }) => outcome === "pass").map(({ name }) => name))
  const codes = new Set(report.checks.map(({ code, name }) => `${name}: ${code}`))
  const isValid = report.verdict === "valid"
  const need = (claim: boolean, fact: boolean, what: string) => {
    if (claim && !fact) problems.push(`claimed, but not so: ${what}`)
  }
  need(isValid, judgment.verdict === "valid", `valid (the judge says ${judgment.verdict})`)
  need(isValid || passes.has("tree-sha256"), facts.checksumHolds, "the checksum")
  need(isValid || passes.has("tree-cid"), facts.cidsHold, "the CID")
  need(isValid || passes.has("author-agrees"), facts.authorsAgree, "tree and record name one author")
  need(isValid || passes.has("commit-data"), facts.recordIsCommitData, "the record is the commit data")
  need(passes.has("committer-is-recorder"), facts.committerIsRecorder, "the committer is the recorder")
  need(passes.has("ledger-inclusion"), judgment.isOnLedger, "the commit is on the ledger")
  need(codes.has("ledger-inclusion: block_not_compared"), facts.isIncluded, "the inclusion")
  need(passes.has("ledger-contract"), judgment.isContractKnown, "the contract is known")
  need(
    passes.has("ledger-transaction") || codes.has("ledger-transaction: transaction_block_not_compared"),
    facts.isTransactionShown,
    "the transaction"
  )
  need(passes.has("transaction-sender"), judgment.sender === "recorder", "the recorder sent the transaction")
  need(isValid && input.inclusion !== undefined, facts.isIncluded, "an inclusion proof given holds")
  for (const [name, provenance] of Object.entries(report.provenance)) {
    need(provenance === "ledger", judgment.isTold, `${name} is on the ledger`)
  }
  need(report.provenance.committer === "ledger", facts.recordIsCommitData, "the committer is on the ledger")
  need(
    report.provenance.author === "signed",
    facts.signer !== undefined && facts.isOverTree,
    "the author's name is signed"
  )
  need(
    report.signerName !== null && report.answers.who !== "nobody",
    report.signerName === judgment.name,
    "the signer's name"
  )
  need(report.answers.file === "same", judgment.file === "same", "the same file")
  need(report.answers.file === "different", judgment.file === "different", "a different file")
  need(
    ["expected", "named"].includes(report.answers.who),
    report.answers.who === judgment.who,
    `${report.answers.who} (the judge says ${judgment.who})`
  )
  need(report.answers.when === "proven", judgment.when === "proven", "a proven time")
  need(report.act?.by === "author", judgment.by === "author", "the author's act")
  need(report.act?.provenance === "ledger", judgment.act === "ledger", "an act on the ledger")
  return problems
}

/** Of a proof that is whole, both say the same. */
const differences = (report: Report, judgment: Judgment): ReadonlyArray<string> => {
  const said: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["verdict", report.verdict, judgment.verdict],
    ["file", report.answers.file, judgment.file],
    ["who", report.answers.who, judgment.who],
    ["when", report.answers.when, judgment.when],
    ["name", report.signerName ?? undefined, judgment.name],
    ["act by", report.act?.by ?? "recorder", judgment.by],
    ["act", report.act?.provenance ?? judgment.act, judgment.act]
  ]
  return said.flatMap(([what, reported, found]) =>
    reported === found ? [] : [`${what} is ${reported}; the judge says ${found} (${codesOf(report)})`]
  )
}

const codesOf = (report: Report): string =>
  report.checks.flatMap(({ code, outcome }) => (outcome === "pass" ? [] : [code])).join(" ")

/** The values of the proofs fuzzing starts from, by the checksum of their tree. */
const known = new Map<string, Array<Report>>()
for (const { reader, text } of corpus) {
  const reading = parseProof(Buffer.from(text))
  if (!reading.ok) throw new Error(reading.message)
  const report = verify({ ...inputOfProof(reading.proof), ...inputOfReader(reader) })
  if (report.verdict !== "valid") throw new Error("A proof that fuzzing starts from is not valid.")
  known.set(String(report.assetTreeSha256), [...(known.get(String(report.assetTreeSha256)) ?? []), report])
}

/** A CID's codec and base are the file's own choice; what is signed is its hash, which Independent.ts compares. */
const SIGNED = ["author", "signer", "assetCid", "assetTreeSha256"] as const

/** No value that the report calls signed or on the ledger is another than in the proof it was made from. */
const changedValues = (report: Report, facts: Facts): ReadonlyArray<string> => {
  if (report.verdict !== "valid") return []
  const sources = known.get(facts.sha256) ?? []
  if (sources.length === 0) return ["valid, but nobody signed this tree"]
  const problems = SIGNED.filter((name) => report.provenance[name] === "signed" && report[name] !== sources[0]![name])
  const isKnown = sources.some((source) => isSameOnLedger(report, source))
  return [
    ...problems.map((name) => `signed value changed: ${name}`),
    ...(report.provenance.ledger !== "ledger" || isKnown ? [] : ["a value on the ledger changed"])
  ]
}

const PLACE = ["chainId", "contract", "blockNumber", "blockHash", "recorder"] as const

const isSameOnLedger = (report: Report, source: Report): boolean => {
  const isTransactionShown = report.checks.some(
    ({ name, outcome }) => name === "ledger-transaction" && outcome === "pass"
  )
  return (
    PLACE.every((name) => report.ledger?.[name] === source.ledger?.[name]) &&
    (!isTransactionShown || report.ledger?.txHash === source.ledger?.txHash) &&
    report.time === source.time &&
    (report.provenance.committer !== "ledger" || report.committer === source.committer)
  )
}

/**
 * Verifies a history commit by commit, in the order of its index. Each proof is judged as it is alone; beside that, the index must be in the
 * ledger's order and say of each commit what its proof says. A problem never hides another, and none stops the rest.
 */
import type { Act, Answers, Report, Verdict } from "@treemark/core/verify"
import type { Verifier } from "../bulk/Verifier.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { HISTORY_CODES, type HistoryProblem, problem } from "./HistoryCodes.ts"
import type { HistoryEntry, HistoryIndex, HistoryPlace } from "./HistoryIndex.ts"
import type { HistorySource } from "./HistorySource.ts"
import { type NamedRecorders, type Recorders, recordersOf } from "./Recorders.ts"

/**
 * As git's `%G?`: G signed by its author, and done by the author or recorded by a wallet whose word is taken; R the tree is the author's, and what was done
 * is the word of whoever recorded it; U unconfirmed, B bad, N nothing to check: the export has no proof.
 */
export type Letter = "G" | "R" | "U" | "B" | "N"

export interface CommitFinding extends HistoryPlace {
  /** From 1. */
  readonly number: number
  readonly status: Letter
  /** Name of the proof's file, or its CID. */
  readonly proof: string | null
  /** Why the export has no proof. */
  readonly reason: string | null
  /** What was done, and whose word that is here: an act that was copied is not its author's a second time. */
  readonly act: Act | null
  readonly answers: Answers | null
  readonly problems: ReadonlyArray<HistoryProblem>
  /** The report that the proof has alone; null when it could not be read. */
  readonly report: Report | null
}

export interface HistorySummary {
  readonly verdict: Verdict
  readonly commits: number
  readonly good: number
  /** Of the author's tree, with the word of a recorder for what was done. */
  readonly recorded: number
  readonly unconfirmed: number
  readonly bad: number
  readonly notChecked: number
  /** Number of the first commit that is not good; null when all are. */
  readonly breaksAt: number | null
}

const VERDICTS = { G: "valid", R: "unconfirmed", U: "unconfirmed", N: "unconfirmed", B: "invalid" } as const
const HEAVIEST_FIRST = ["invalid", "unconfirmed", "valid"] as const

/** Whose word for an act is taken in the history at `source`. */
export const recordersIn = ({ index }: HistorySource, named: NamedRecorders): Recorders =>
  recordersOf(named, index?.entries[0]?.place.recorder)

/** Every commit in turn. `recorders`: without them, those that are expected where nobody is named. */
export function* findings(
  source: HistorySource,
  verifier: Pick<Verifier, "verifyBytes">,
  recorders: Recorders = recordersIn(source, {})
): Generator<CommitFinding> {
  const { index } = source
  if (index === undefined) return
  const named = new Set<string>()
  const acts = new Set<string>()
  for (const [at, entry] of index.entries.entries()) {
    const { place, proof, reason } = entry
    const problems = [...orderProblems(index.entries[at - 1], entry, at), ...nameProblems(entry, named, at)]
    const judged = proof === null ? withoutProof(entry, at) : withProof(proof, { entry, index, source, verifier })
    problems.push(...judged.problems, ...copyProblems(judged.report, acts, at))
    yield {
      number: at + 1,
      status: letterOf(judged.report, problems, recorders),
      ...place,
      proof,
      reason,
      act: actIn(judged.report, problems),
      answers: judged.report?.answers ?? null,
      problems,
      report: judged.report
    }
  }
}

export const summarize = (): {
  readonly add: (finding: CommitFinding) => void
  readonly end: (strays: ReadonlyArray<HistoryProblem>) => HistorySummary
} => {
  const counts = { G: 0, R: 0, U: 0, B: 0, N: 0 }
  let breaksAt: number | null = null
  return {
    add: ({ number, status }) => {
      counts[status]++
      if (status !== "G") breaksAt ??= number
    },
    end: (strays) => {
      const verdicts = new Set<string>(strays.map(({ code }) => HISTORY_CODES[code].leadsTo))
      for (const letter of ["G", "R", "U", "B", "N"] as const) if (counts[letter] > 0) verdicts.add(VERDICTS[letter])
      return {
        verdict: HEAVIEST_FIRST.find((verdict) => verdicts.has(verdict)) ?? "invalid",
        commits: counts.G + counts.R + counts.U + counts.B + counts.N,
        good: counts.G,
        recorded: counts.R,
        unconfirmed: counts.U,
        bad: counts.B,
        notChecked: counts.N,
        breaksAt
      }
    }
  }
}

const orderProblems = (
  before: HistoryEntry | undefined,
  { place }: HistoryEntry,
  at: number
): ReadonlyArray<HistoryProblem> => {
  if (before === undefined) return []
  const step = place.blockNumber - before.place.blockNumber || place.logIndex - before.place.logIndex
  if (step > 0) return []
  const compared = { expected: `after ${placeText(before.place)}`, actual: placeText(place) }
  return [problem(step === 0 ? "commit_twice" : "commit_out_of_order", `/commits/${at}`, compared)]
}

const placeText = ({ blockNumber, logIndex }: HistoryPlace): string => `block ${blockNumber}, log ${logIndex}`

const nameProblems = ({ proof }: HistoryEntry, named: Set<string>, at: number): ReadonlyArray<HistoryProblem> => {
  if (proof === null) return []
  if (named.has(proof)) return [problem("proof_named_twice", `/commits/${at}`, { actual: proof })]
  named.add(proof)
  return []
}

interface Judged {
  readonly report: Report | null
  readonly problems: ReadonlyArray<HistoryProblem>
}

const withoutProof = ({ reason }: HistoryEntry, at: number): Judged => ({
  report: null,
  problems: [problem("proof_left_out", `/commits/${at}`, { actual: reason ?? undefined })]
})

const withProof = (
  name: string,
  {
    entry,
    index,
    source,
    verifier
  }: { entry: HistoryEntry; index: HistoryIndex; source: HistorySource; verifier: Pick<Verifier, "verifyBytes"> }
): Judged => {
  const found = source.proof(name)
  if (!found.ok) return { report: null, problems: [found.problem] }
  const report = verifier.verifyBytes(found.bytes)
  if (report instanceof UnusableInput) {
    return {
      report: null,
      problems: [problem("proof_unusable", name, { actual: `${report.code}: ${report.message}` })]
    }
  }
  return { report, problems: differences(name, entry.place, index, report) }
}

/** Where the proof is of something else than the index says. Hex has any letter case. */
const differences = (
  name: string,
  place: HistoryPlace,
  index: HistoryIndex,
  report: Report
): ReadonlyArray<HistoryProblem> => {
  const { assetCid, ledger } = report
  const compared = [
    ["proof_other_chain", String(index.network.chainId), String(ledger?.chainId)],
    ["proof_other_contract", index.network.contract, String(ledger?.contract)],
    ["proof_other_transaction", place.txHash, String(ledger?.txHash)],
    ["proof_other_block", `${place.blockNumber}, ${place.blockHash}`, `${ledger?.blockNumber}, ${ledger?.blockHash}`],
    ["proof_other_log", String(place.logIndex), String(ledger?.logIndex)],
    ["proof_other_recorder", place.recorder, String(ledger?.recorder)]
  ] as const
  const asset =
    assetCid === null
      ? [problem("proof_asset_unknown", name, { expected: index.assetCid })]
      : assetCid === index.assetCid
        ? []
        : [problem("proof_other_asset", name, { expected: index.assetCid, actual: assetCid })]
  return [
    ...asset,
    ...compared
      .filter(([, expected, actual]) => expected.toLowerCase() !== actual.toLowerCase())
      .map(([code, expected, actual]) => problem(code, name, { expected, actual }))
  ]
}

/** What tells a signed act from every other: its signature, in its one form. */
const signedActOf = ({ checks }: Report): string | undefined => {
  const check = checks.find(({ name }) => name === "act-signature")
  return check?.code === "ok" && check.actual !== null ? check.actual : undefined
}

/** The author's signature over an act can be sent again by anybody who saw it; the second time it is the sender's word. */
const copyProblems = (report: Report | null, acts: Set<string>, at: number): ReadonlyArray<HistoryProblem> => {
  const act = report === null ? undefined : signedActOf(report)
  if (act === undefined) return []
  if (acts.has(act)) return [problem("act_copied", `/commits/${at}`, { actual: act })]
  acts.add(act)
  return []
}

const isCopied = (problems: ReadonlyArray<HistoryProblem>): boolean =>
  problems.some(({ code }) => code === "act_copied")

const actIn = (report: Report | null, problems: ReadonlyArray<HistoryProblem>): Act | null => {
  const act = report?.act ?? null
  if (act === null || !isCopied(problems)) return act
  return { ...act, by: "recorder", provenance: report?.provenance.committer === "ledger" ? "ledger" : "claimed" }
}

const letterOf = (report: Report | null, problems: ReadonlyArray<HistoryProblem>, recorders: Recorders): Letter => {
  const leads = new Set(problems.map(({ code }) => HISTORY_CODES[code].leadsTo))
  if (leads.has("invalid") || report?.verdict === "invalid") return "B"
  if (report === null) return "N"
  if (leads.has("unconfirmed") || report.verdict === "unconfirmed") return "U"
  const isOwnAct = signedActOf(report) !== undefined && !isCopied(problems)
  return isOwnAct || recorders.trusts(report) ? "G" : "R"
}

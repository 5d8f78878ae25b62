/**
 * One letter for each commit of an asset's history, as git has them (`%G?`), read off a report of verification, and from whether the tree is about
 * the asset at all: anybody may commit anything under any asset's name. A tree's signature says whose the asset's properties are and goes with
 * the tree wherever it is recorded again, so a stranger's commit of the author's tree is R and not G: what was done is the stranger's word.
 */
import type { Code } from "../verification/Meanings.ts"
import type { Report } from "../verification/Report.ts"
import { weightOf } from "../verification/Weights.ts"

export const STATUS_LETTERS = ["G", "R", "U", "B", "N"] as const
export type StatusLetter = (typeof STATUS_LETTERS)[number]

/** What each letter means, for people. */
export const STATUS_MEANINGS: Readonly<Record<StatusLetter, string>> = {
  G: "signed by its author, and done by the author or recorded by a wallet you trust",
  R: "the tree is its author's; what was done with it is the word of the wallet that recorded it",
  U: "unconfirmed: the signer is not shown to be the author",
  B: "bad: something does not hold",
  N: "not checked: the tree is not here"
}

export interface CommitStatus {
  readonly letter: StatusLetter
  /** Why it is not G: the codes of verification that lead to it (docs/proof-format.md), worst first. */
  readonly codes: ReadonlyArray<Code>
}

export interface CommitInHistory {
  readonly assetCid: string
  /** Whether the report was made with the tree. */
  readonly isTreeHere: boolean
  /** Wallets whose word for an act is taken (EIP-55). */
  readonly trustedRecorders: ReadonlySet<string>
  /** The acts of the commits before it, as {@link signedActOf} names them: the same act again is a copy, and the copier's word. */
  readonly actsBefore?: ReadonlySet<string> | undefined
}

/** The status of a commit in the history of `assetCid`. */
export const statusOf = (report: Report, commit: CommitInHistory): CommitStatus => {
  const codes = [
    ...(commit.isTreeHere ? assetCodes(report, commit.assetCid) : []),
    ...report.checks.map(({ code }) => code)
  ]
  const reasons = [...new Set(codes)].filter(
    (code) => code !== "ok" && weightOf(code).leadsTo !== "nothing"
  ) as Array<Code>
  const isBad = (code: Code): boolean => weightOf(code).leadsTo === "invalid"
  const sorted = [...reasons.filter(isBad), ...reasons.filter((code) => !isBad(code))]
  const consequences = sorted.map((code) => weightOf(code).leadsTo)
  return { letter: letterOf(consequences, report, commit), codes: sorted }
}

/** What tells a signed act from every other: its signature in its one form. undefined when the author did not sign the act. */
export const signedActOf = (report: Report): string | undefined => {
  const check = report.checks.find(({ name }) => name === "act-signature")
  return check?.code === "ok" && check.actual !== null ? check.actual : undefined
}

const assetCodes = (report: Report, assetCid: string): ReadonlyArray<Code> => {
  if (report.assetCid === assetCid) return []
  return [report.assetCid === null ? "inclusion_asset_unknown" : "inclusion_asset_differs"]
}

const letterOf = (consequences: ReadonlyArray<string>, report: Report, commit: CommitInHistory): StatusLetter => {
  if (!commit.isTreeHere) return "N"
  if (consequences.includes("invalid")) return "B"
  if (consequences.includes("unconfirmed")) return "U"
  return isOwnAct(report, commit) || isByTrusted(report, commit) ? "G" : "R"
}

const isOwnAct = (report: Report, { actsBefore }: CommitInHistory): boolean => {
  const act = signedActOf(report)
  return act !== undefined && actsBefore?.has(act) !== true
}

/** Where a place is named, its recorder counts; a commit with neither a place nor an act has nothing that could be anybody's word. */
const isByTrusted = ({ act, ledger }: Report, { trustedRecorders }: CommitInHistory): boolean => {
  if (ledger === null && act === null) return true
  const recorder = ledger?.recorder ?? act?.recorder
  return recorder !== undefined && recorder !== null && trustedRecorders.has(recorder)
}

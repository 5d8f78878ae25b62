/**
 * One letter for each commit of an asset's history, as git has them (`%G?`): G the author signed; U nothing is wrong, but the signer is not
 * shown to be the author; B something does not hold; N not ours to check, because the tree is not here. The letter is read off a report
 * of verification, and from whether the tree is about the asset at all: anybody may commit anything under any asset's name.
 */
import { CODES, type Code } from "../verification/Codes.ts"
import type { Report } from "../verification/Report.ts"

export const STATUS_LETTERS = ["G", "U", "B", "N"] as const
export type StatusLetter = (typeof STATUS_LETTERS)[number]

/** What each letter means, for people. */
export const STATUS_MEANINGS: Readonly<Record<StatusLetter, string>> = {
  G: "signed by its author",
  U: "unconfirmed: the signer is not shown to be the author",
  B: "bad: something does not hold",
  N: "not checked: the tree is not here"
}

export interface CommitStatus {
  readonly letter: StatusLetter
  /** Why it is not G: the codes of verification that lead to it (docs/proof-format.md), worst first. */
  readonly codes: ReadonlyArray<Code>
}

/** The status of a commit in the history of `assetCid`, whose report was made with the tree (`isTreeHere`) or without. */
export const statusOf = (report: Report, commit: { readonly assetCid: string; readonly isTreeHere: boolean }) => {
  const { assetCid, isTreeHere } = commit
  const codes = [...(isTreeHere ? assetCodes(report, assetCid) : []), ...report.checks.map(({ code }) => code)]
  const reasons = [...new Set(codes)].filter(
    (code) => code !== "ok" && CODES[code].leadsTo !== "nothing"
  ) as Array<Code>
  const isBad = (code: Code): boolean => CODES[code].leadsTo === "invalid"
  const sorted = [...reasons.filter(isBad), ...reasons.filter((code) => !isBad(code))]
  return {
    letter: letterOf(
      sorted.map((code) => CODES[code].leadsTo),
      isTreeHere
    ),
    codes: sorted
  } satisfies CommitStatus
}

const assetCodes = (report: Report, assetCid: string): ReadonlyArray<Code> => {
  if (report.assetCid === assetCid) return []
  return [report.assetCid === null ? "inclusion_asset_unknown" : "inclusion_asset_differs"]
}

const letterOf = (consequences: ReadonlyArray<string>, isTreeHere: boolean): StatusLetter => {
  if (!isTreeHere) return "N"
  if (consequences.includes("invalid")) return "B"
  return consequences.includes("unconfirmed") ? "U" : "G"
}

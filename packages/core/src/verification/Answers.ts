/**
 * The three answers (decisions.md, section 11): whether the file is the one described, whether the verifier knows who signed, and whether the time is
 * proven. Read off the checks and off nothing else, so that what a person is told never says more than the report does.
 */
import type { CheckName } from "./Codes.ts"
import { type Evidence, signerOf } from "./Evidence.ts"
import type { Answers, Check, Provenance } from "./Report.ts"

/** What of a report the answers are read from, beside its checks. */
export interface Answered {
  readonly signerName: string | null
  readonly time: Provenance | null
}

export const answersOf = (evidence: Evidence, checks: ReadonlyArray<Check>, answered: Answered): Answers => {
  const of = (name: CheckName): Check => checks.find((check) => check.name === name)!
  return {
    file: fileAnswer(evidence, of),
    who: whoAnswer(evidence, of, answered.signerName),
    when: answered.time === null ? "none" : answered.time === "ledger" ? "proven" : "claimed"
  }
}

type Of = (name: CheckName) => Check

/** What a tree says of the file counts for nothing when the tree does not read, or is not the one that was named. */
const fileAnswer = ({ input, tree }: Evidence, of: Of): Answers["file"] => {
  if (input.asset === undefined) return "not-given"
  const isTreeSound = tree !== undefined && of("tree-json").outcome === "pass" && of("tree-sha256").outcome !== "fail"
  if (!isTreeSound) return "not-comparable"
  const [bySha256, byCid] = [of("asset-sha256"), of("asset-cid")]
  if (bySha256.code === "asset_sha256_differs" || byCid.code === "asset_cid_differs") return "different"
  const outcomes = [bySha256.outcome, byCid.outcome]
  return outcomes.includes("pass") && !outcomes.includes("fail") ? "same" : "not-comparable"
}

const whoAnswer = (evidence: Evidence, of: Of, signerName: string | null): Answers["who"] => {
  const { checksum, tree } = evidence
  const isOverTree = tree === undefined || tree.sha256 === checksum
  if (signerOf(evidence) === undefined || !isOverTree) return "nobody"
  const expected = of("expected-author")
  if (expected.outcome === "fail" || of("signer-is-author").code === "signer_not_author") return "not-the-author"
  if (expected.outcome === "pass") return "expected"
  return signerName === null ? "unknown" : "named"
}

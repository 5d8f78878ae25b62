/** Histories whose reports are made by hand: what a history makes of a report, whatever made that. A "proof" here is its report as JSON. */
import type { Report } from "@treemark/core/verify"
import { proofText } from "../../packages/core/src/proof/Proof.ts"
import type { HistorySource } from "../../packages/verify/src/history/HistorySource.ts"
import { verifyProof } from "../../packages/verify/src/index.ts"
import { utf8 } from "../core/verification/Fixtures.ts"
import { proofOfCommit } from "./HistoryFixtures.ts"

/** The report of commit number `index`, recorded by `recorder`. */
export const reportOf = (index: number, recorder: string): Report => {
  const proof = proofOfCommit(index)
  const commitData = JSON.stringify({ ...proof.commit.record, committer: recorder })
  const commit = { record: JSON.parse(commitData), commitData }
  return verifyProof(proofText({ ...proof, commit, ledger: { ...proof.ledger, recorder } }))
}

/** The same, with an act that its author signed; the same act whatever `index` is. */
export const copied = (index: number, recorder: string): Report => {
  const report = reportOf(index, recorder)
  const check = {
    name: "act-signature",
    outcome: "pass",
    code: "ok",
    expected: report.author,
    actual: `0x${"ac".repeat(65)}`
  }
  return {
    ...report,
    verdict: "valid",
    act: report.act && { ...report.act, by: "author", provenance: "signed" },
    checks: [...report.checks.filter(({ name }) => name !== "act-signature"), check as Report["checks"][number]]
  }
}

export const sourceOf = (reports: ReadonlyArray<Report>): HistorySource => ({
  index: {
    assetCid: reports[0]?.assetCid ?? undefined,
    network: { chainId: reports[0]!.ledger!.chainId, contract: reports[0]!.ledger!.contract },
    entries: reports.map(({ ledger }, at) => ({ place: ledger!, proof: String(at), reason: null }))
  },
  proof: (name) => ({ ok: true, bytes: utf8(JSON.stringify(reports[Number(name)])) }),
  strays: () => [],
  close: () => {}
})

export const readReport = (bytes: Uint8Array): Report => JSON.parse(new TextDecoder().decode(bytes))

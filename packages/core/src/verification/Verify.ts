/**
 * Verification, whole: evidence in, report out. Pure and total: no network, no clock, no exception, whatever the input. The exact
 * bytes given are hashed; a tree is never serialised again.
 */
import { toEip55 } from "../identity/Eip55.ts"
import type { ReadProof } from "../proof/ParseProof.ts"
import { textMember } from "../proof/Proof.ts"
import { assetCid, assetSha256 } from "./AssetChecks.ts"
import { authorAgrees, expectedAuthor, signature, signerIsAuthor } from "./AuthorChecks.ts"
import { type Evidence, evidenceOf, isTreeSigned, person, signerOf, type VerifyInput } from "./Evidence.ts"
import { commitData, committerIsRecorder, ledgerInclusion } from "./LedgerChecks.ts"
import { type Findings, type Provenance, type Report, verdictOf } from "./Report.ts"
import { computedTreeCid, namedTreeCids, treeCid, treeJson, treeSha256 } from "./TreeChecks.ts"

/** Checks everything that can be checked offline and says what came of each check. */
export const verify = (input: VerifyInput): Report => {
  const evidence = evidenceOf(input)
  const checks = [
    treeJson(evidence),
    treeSha256(evidence),
    treeCid(evidence),
    signature(evidence),
    authorAgrees(evidence),
    signerIsAuthor(evidence),
    expectedAuthor(evidence),
    commitData(evidence),
    committerIsRecorder(evidence),
    ledgerInclusion(evidence),
    assetSha256(evidence),
    assetCid(evidence)
  ]
  const findings = findingsOf(evidence)
  return { verdict: verdictOf(checks), ...findings, provenance: provenanceOf(evidence, findings), checks }
}

/** What a proof gives {@link verify} to work with. */
export const inputOfProof = (proof: ReadProof): VerifyInput => ({
  tree: proof.treeBytes,
  treeCid: proof.treeCid,
  record: proof.record,
  commitData: proof.commitData,
  ledger: proof.ledger
})

const findingsOf = (evidence: Evidence): Findings => {
  const { input, tree, treeAuthor, recordAuthor, checksum } = evidence
  const { ledger } = input
  return {
    author: treeAuthor ?? recordAuthor ?? null,
    signer: signerOf(evidence) ?? null,
    committer: person(textMember(input.record, "committer")) ?? null,
    assetCid: textMember(tree?.members, "assetCid") ?? null,
    assetTreeCid: namedTreeCids(evidence)[0] ?? computedTreeCid(evidence) ?? null,
    assetTreeSha256: tree?.sha256 ?? checksum ?? null,
    ledger:
      ledger === undefined
        ? null
        : { ...ledger, contract: toEip55(ledger.contract), recorder: toEip55(ledger.recorder) }
  }
}

const provenanceOf = (evidence: Evidence, findings: Findings): Report["provenance"] => {
  const tree: Provenance = isTreeSigned(evidence) ? "signed" : "claimed"
  const isChecksumSigned = signerOf(evidence) !== undefined && findings.assetTreeSha256 === evidence.checksum
  const isCidSigned = isChecksumSigned && treeCid(evidence).outcome !== "fail"
  const mark = (value: unknown, provenance: Provenance) => (value === null ? null : provenance)
  return {
    author: mark(findings.author, evidence.treeAuthor === undefined ? "claimed" : tree),
    signer: mark(findings.signer, "signed"),
    committer: mark(findings.committer, "claimed"),
    assetCid: mark(findings.assetCid, tree),
    assetTreeCid: mark(findings.assetTreeCid, isCidSigned ? "signed" : "claimed"),
    assetTreeSha256: mark(findings.assetTreeSha256, isChecksumSigned ? "signed" : "claimed"),
    ledger: mark(findings.ledger, "claimed")
  }
}

/**
 * Verification, whole: evidence in, report out. Pure and total: no network, no clock, no exception, whatever the input. The exact
 * bytes given are hashed; a tree is never serialised again.
 */
import { toEip55 } from "../identity/Eip55.ts"
import { textMember } from "../json/JsonValue.ts"
import { shown, shownOrNull } from "../json/Shown.ts"
import type { ReadProof } from "../proof/ParseProof.ts"
import { actOf, actSignature } from "./ActFinding.ts"
import { answersOf } from "./Answers.ts"
import { assetCid, assetSha256 } from "./AssetChecks.ts"
import { authorAgrees, expectedAuthor, signature, signerIsAuthor } from "./AuthorChecks.ts"
import { ledgerContract, transactionSender } from "./ContractChecks.ts"
import { type Evidence, evidenceOf, isTreeSigned, person, signerOf, type VerifyInput } from "./Evidence.ts"
import { ledgerInclusion, ledgerTransaction } from "./InclusionChecks.ts"
import { commitData, committerIsRecorder } from "./LedgerChecks.ts"
import { type CommitTime, isoTime, namedSigner } from "./NamedSigner.ts"
import { recordMembers } from "./RecordChecks.ts"
import { type Findings, type Provenance, type Report, verdictOf } from "./Report.ts"
import { computedTreeCid, namedTreeCids, treeCid, treeJson, treeSha256 } from "./TreeChecks.ts"
import { witnessesOf } from "./Witnesses.ts"

/** Checks everything that can be checked offline and says what came of each check. */
export const verify = (input: VerifyInput): Report => {
  const evidence = evidenceOf(input)
  const onLedger = ledgerInclusion(evidence)
  const contract = ledgerContract(evidence)
  const sender = transactionSender(evidence, contract, onLedger)
  const isPlaceShown = onLedger.outcome === "pass" && contract.outcome === "pass" && sender.outcome !== "fail"
  const time = commitTime(evidence, isPlaceShown)
  const signer = namedSigner(evidence, time)
  const signedAct = actSignature(evidence)
  const recordIsText = commitData(evidence)
  const cid = treeCid(evidence)
  const checks = [
    treeJson(evidence),
    treeSha256(evidence),
    cid,
    recordMembers(evidence),
    signature(evidence),
    authorAgrees(evidence),
    signerIsAuthor(evidence),
    expectedAuthor(evidence),
    signer.check,
    signedAct,
    recordIsText,
    committerIsRecorder(evidence, contract, onLedger),
    onLedger,
    contract,
    ledgerTransaction(evidence, onLedger),
    sender,
    assetSha256(evidence),
    assetCid(evidence)
  ]
  const findings = findingsOf(evidence, time)
  const covered = {
    place: isPlaceShown,
    record: recordIsText.outcome === "pass",
    cid: cid.outcome !== "fail"
  }
  const provenance = provenanceOf(evidence, findings, covered)
  const answers = answersOf(evidence, checks, { signerName: signer.name, time: provenance.time })
  return {
    verdict: verdictOf(checks),
    ...findings,
    signerName: answers.who === "nobody" ? null : signer.name,
    act: actOf(evidence, signedAct, covered.place && covered.record),
    answers,
    witnesses: witnessesOf(evidence),
    provenance,
    checks
  }
}

/** What a proof gives {@link verify} to work with. */
export const inputOfProof = (proof: ReadProof): VerifyInput => ({
  tree: proof.treeBytes,
  treeCid: proof.treeCid,
  record: proof.record,
  recordText: proof.recordText,
  commitData: proof.commitData,
  ledger: proof.ledger,
  inclusion: proof.inclusion,
  inclusionMissing: proof.inclusionMissing
})

const LAST_SECOND = 253_402_300_799

const commitTime = ({ inclusion, input }: Evidence, isPlaceShown: boolean): CommitTime | undefined => {
  if (isPlaceShown && inclusion?.ok === true) {
    return timeWithin(inclusion.header.timestamp, true)
  }
  return timeWithin(input.record?.timestampCreated, false)
}

const timeWithin = (seconds: unknown, isProven: boolean): CommitTime | undefined =>
  typeof seconds === "number" && Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= LAST_SECOND
    ? { seconds, isProven }
    : undefined

const findingsOf = (evidence: Evidence, time: CommitTime | undefined): Findings => {
  const { input, tree, treeAuthor, recordAuthor, checksum } = evidence
  const { ledger } = input
  return {
    author: shownOrNull(treeAuthor ?? recordAuthor),
    signer: signerOf(evidence) ?? null,
    committer: shownOrNull(person(textMember(input.record, "committer"))),
    assetCid: shownOrNull(textMember(tree?.members, "assetCid")),
    assetTreeCid: shownOrNull(namedTreeCids(evidence)[0] ?? computedTreeCid(evidence)),
    assetTreeSha256: tree?.sha256 ?? checksum ?? null,
    time: time === undefined ? null : isoTime(time.seconds),
    ledger:
      ledger === undefined
        ? null
        : {
            ...ledger,
            network: shown(ledger.network),
            txHash: ledger.txHash.toLowerCase(),
            blockHash: ledger.blockHash.toLowerCase(),
            contract: toEip55(ledger.contract),
            recorder: toEip55(ledger.recorder)
          }
  }
}

/** What the ledger covers: the commit's place (by a known contract, in a block that is on the ledger), and, where the record is the text on the ledger, what the record says. */
interface Covered {
  readonly place: boolean
  readonly record: boolean
  /** Whether the tree's CID is that of its checksum. */
  readonly cid: boolean
}

const provenanceOf = (evidence: Evidence, findings: Findings, covered: Covered): Report["provenance"] => {
  const tree: Provenance = isTreeSigned(evidence) ? "signed" : "claimed"
  const record: Provenance = covered.place && covered.record ? "ledger" : "claimed"
  const isChecksumSigned = signerOf(evidence) !== undefined && findings.assetTreeSha256 === evidence.checksum
  const isCidSigned = isChecksumSigned && covered.cid
  const mark = (value: unknown, provenance: Provenance) => (value === null ? null : provenance)
  return {
    author: mark(findings.author, evidence.treeAuthor === undefined ? record : tree),
    signer: mark(findings.signer, "signed"),
    committer: mark(findings.committer, record),
    assetCid: mark(findings.assetCid, tree),
    assetTreeCid: mark(findings.assetTreeCid, isCidSigned ? "signed" : "claimed"),
    assetTreeSha256: mark(findings.assetTreeSha256, isChecksumSigned ? "signed" : "claimed"),
    time: mark(findings.time, covered.place ? "ledger" : "claimed"),
    ledger: mark(findings.ledger, covered.place ? "ledger" : "claimed")
  }
}

/**
 * A report explained, check by check: what is compared, which bytes are hashed, how to do the same by hand, and, where a check does not hold, the
 * usual mistake that would explain it. Pure and total like verification itself, and only advice: the report is what counts.
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { textMember } from "../../json/JsonValue.ts"
import { shown } from "../../json/Shown.ts"
import { CHECKS, type CheckName, CODES } from "../Codes.ts"
import { type Evidence, evidenceOf, signerOf, type VerifyInput } from "../Evidence.ts"
import type { Check, Report } from "../Report.ts"
import { namedTreeCids } from "../TreeChecks.ts"
import { ABOUT } from "./About.ts"
import { actMiss } from "./ActMisses.ts"
import { checksumMiss, treeCidMiss } from "./ByteMisses.ts"
import { commandsFor } from "./Commands.ts"
import type { ExplainedInput, Explanation, FileNames, HashedBytes, NearMiss } from "./Explanation.ts"
import { hashedBytes } from "./HashedBytes.ts"
import { assetCidMiss, assetMiss, ledgerMiss } from "./PlaceMisses.ts"
import { signatureMiss } from "./SignatureMisses.ts"
import { personalMessage } from "./SignedOtherwise.ts"
import { contractMiss, keyMiss, quorumMiss, senderMiss, walletMiss } from "./TrustMisses.ts"

/** One explanation for each check of `report`, in its order. `input` is what was verified; `names` are the files it came from. */
export const explain = (input: VerifyInput, report: Report, names: FileNames = {}): ReadonlyArray<Explanation> => {
  const evidence = evidenceOf(input)
  const misses = nearMisses(evidence, report)
  return report.checks.map((check) => ({
    check: check.name,
    outcome: check.outcome,
    code: check.code,
    summary: check.code === "ok" ? CHECKS[check.name] : CODES[check.code].meaning,
    paragraphs: [ABOUT[check.name]],
    inputs: inputsOf(check.name, evidence),
    hashed: hashedFor(check.name, evidence),
    expected: check.expected,
    actual: check.actual,
    commands: commandsFor(check.name, evidence, names),
    nearMiss: misses.get(check.name) ?? null
  }))
}

/** Codes that leave something to explain; a signature's mistake is told once, at the first check that it breaks. */
const nearMisses = (evidence: Evidence, report: Report): ReadonlyMap<CheckName, NearMiss> => {
  const misses = new Map<CheckName, NearMiss>()
  const stopped = report.checks.filter(({ code }) => code !== "ok" && CODES[code].leadsTo !== "nothing")
  const note = (name: CheckName, miss: NearMiss | undefined) => {
    if (miss !== undefined) misses.set(name, miss)
  }
  const bySigner = stopped.find(({ name }) => SIGNERS.includes(name))
  if (bySigner !== undefined) note(bySigner.name, signatureMiss(evidence))
  for (const { name } of stopped) {
    if (name === "tree-sha256") note(name, checksumMiss(evidence))
    if (name === "tree-cid") note(name, treeCidMiss(evidence))
    if (name === "asset-sha256") note(name, assetMiss(evidence))
  }
  const byName = (name: CheckName): Check | undefined => report.checks.find((check) => check.name === name)
  if (byName("asset-cid")?.code !== "ok") note("asset-cid", assetCidMiss(evidence, byName("asset-sha256")))
  if (byName("ledger-inclusion")?.code !== "ok") note("ledger-inclusion", ledgerMiss(evidence))
  for (const check of report.checks) note(check.name, TRUST[check.name]?.(evidence, check))
  return misses
}

/** Advice where nothing is wrong with the file, but with whom or what it asks its reader to rely on. */
const TRUST: { readonly [Name in CheckName]?: (evidence: Evidence, check: Check) => NearMiss | undefined } = {
  signature: walletMiss,
  "signer-named": keyMiss,
  "act-signature": actMiss,
  "ledger-inclusion": quorumMiss,
  "ledger-contract": contractMiss,
  "transaction-sender": senderMiss
}

const SIGNERS: ReadonlyArray<CheckName> = ["signature", "signer-is-author", "expected-author"]

const inputsOf = (check: CheckName, evidence: Evidence): ReadonlyArray<ExplainedInput> =>
  INPUTS[check](evidence).flatMap(([label, value]) =>
    value === undefined ? [] : [{ label, value: shown(String(value)) }]
  )

type Inputs = ReadonlyArray<readonly [label: string, value: string | number | undefined]>

const size = ({ input }: Evidence): Inputs[number] => [
  "asset tree",
  input.tree === undefined ? undefined : `${input.tree.length} bytes`
]
const checksum = (evidence: Evidence): Inputs[number] => ["checksum that was signed", evidence.checksum]
const signer = (evidence: Evidence): Inputs[number] => ["signer, found from the signature", signerOf(evidence)]

const INPUTS: Readonly<Record<CheckName, (evidence: Evidence) => Inputs>> = {
  "tree-json": (evidence) => [size(evidence)],
  "tree-sha256": (evidence) => [size(evidence), ["checksum named", evidence.namedSha256]],
  "tree-cid": (evidence) => [size(evidence), ...namedTreeCids(evidence).map((cid) => ["CID named", cid] as const)],
  "record-members": ({ input: { record } }) => [
    ["members of the commit record", record === undefined ? undefined : Object.keys(record).length]
  ],
  signature: (evidence) => [checksum(evidence), ["signature", evidence.signature], signer(evidence)],
  "author-agrees": ({ treeAuthor, recordAuthor }) => [
    ["author in the tree", treeAuthor],
    ["author in the commit record", recordAuthor]
  ],
  "signer-is-author": (evidence) => [["author", evidence.treeAuthor ?? evidence.recordAuthor], signer(evidence)],
  "expected-author": (evidence) => [["whom you expect", evidence.input.expectedAuthor], signer(evidence)],
  "signer-named": (evidence) => [["names in your authors file", evidence.input.authors?.size], signer(evidence)],
  "act-signature": ({ input }) => [
    ["commit message", textMember(input.record, "abstract")],
    ["action", textMember(input.record, "action")],
    ["signature of the act", textMember(input.record, "actSignature")]
  ],
  "commit-data": ({ input }) => [
    ["commit data", input.commitData === undefined ? undefined : `${input.commitData.length} characters`]
  ],
  "committer-is-recorder": ({ input }) => [
    ["committer in the commit record", textMember(input.record, "committer")],
    ["sender of the transaction", input.ledger?.recorder]
  ],
  "ledger-inclusion": ({ input: { ledger, checkpoints = [] } }) => [
    ["block", ledger === undefined ? undefined : `${ledger.blockNumber} of chain ${ledger.chainId}`],
    ["block hash named", ledger?.blockHash],
    ["checkpoints given", ledger === undefined ? undefined : checkpoints.length]
  ],
  "ledger-contract": ({ input }) => [
    ["chain", input.ledger?.chainId],
    ["contract named", input.ledger?.contract]
  ],
  "ledger-transaction": ({ input }) => [["transaction named", input.ledger?.txHash]],
  "transaction-sender": ({ input }) => [
    ["recorder named", input.ledger?.recorder],
    ["contract named", input.ledger?.contract]
  ],
  "asset-sha256": (evidence) => assetInputs(evidence, "sha256 in the tree", "assetSha256"),
  "asset-cid": (evidence) => assetInputs(evidence, "CID in the tree", "assetCid")
}

const assetInputs = ({ input, tree }: Evidence, label: string, member: string): Inputs => [
  ["asset", input.asset === undefined ? undefined : `${input.asset.size} bytes`],
  [label, textMember(tree?.members, member)]
]

const hashedFor = (check: CheckName, evidence: Evidence): ReadonlyArray<HashedBytes> => {
  const { tree, inclusion } = evidence.input
  switch (check) {
    case "tree-sha256":
    case "tree-cid":
      return tree === undefined ? [] : [hashedBytes("the asset tree", "sha256", tree)]
    case "signature":
      return evidence.checksum === undefined
        ? []
        : [hashedBytes("the message", "keccak-256", personalMessage(utf8ToBytes(evidence.checksum)))]
    case "ledger-inclusion":
      return inclusion === undefined ? [] : [hashedBytes("the block header", "keccak-256", inclusion.header)]
    case "ledger-transaction":
      return inclusion?.transaction === undefined
        ? []
        : [hashedBytes("the transaction", "keccak-256", inclusion.transaction.value)]
    default:
      return []
  }
}

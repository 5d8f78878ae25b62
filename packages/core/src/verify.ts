/**
 * `@treemark/core/verify`: proofs and their verification as pure functions on noble and multiformats, without the Effect runtime.
 * The offline verifier and browsers import this, and nothing else of core.
 */
export { isSha256Text } from "./asset-tree/Checksum.ts"
export { cidOfSha256, DAG_JSON_CODE, parseCid, RAW_CODE, SHA2_256_CODE } from "./asset-tree/Cid.ts"
export { KnownSigners } from "./asset-tree/KnownSigners.ts"
export {
  nobleRecoverKey,
  type RecoverKey,
  type Recovery,
  recoverSigner,
  type SignatureRefusal
} from "./asset-tree/Signature.ts"
export { isAddressText, toEip55 } from "./identity/Eip55.ts"
export { isJsonObject, type JsonObject, textMember } from "./json/JsonValue.ts"
export { type JsonReading, type JsonRefusalCode, readJsonObject } from "./json/ReadJson.ts"
export { shown, shownOrNull } from "./json/Shown.ts"
export { base64Of, parseBase64 } from "./proof/Base64.ts"
export {
  CHECKPOINT_LIMIT,
  type Checkpoint,
  type CheckpointReading,
  type CheckpointRefusalCode,
  type CheckpointsDisagreement,
  checkpointsDisagreement,
  parseCheckpoint
} from "./proof/Checkpoint.ts"
export {
  CHECKPOINT_MEDIA_TYPE,
  type CheckpointContent,
  type CheckpointDocument,
  type CheckpointSignature,
  checkpointChecksum,
  checkpointText
} from "./proof/CheckpointFile.ts"
export type { Inclusion, InclusionDocument, ProvenLeaf } from "./proof/Inclusion.ts"
export { KNOWN_CONTRACTS, type KnownContract } from "./proof/KnownContracts.ts"
export type { LedgerPosition } from "./proof/LedgerPosition.ts"
export { addressIn, countIn, hashIn, memberOf, type Need, objectIn, textIn } from "./proof/Members.ts"
export {
  type ProofProblem,
  type ProofReading,
  type ProofRefusalCode,
  parseProof,
  type ReadProof
} from "./proof/ParseProof.ts"
export {
  type InclusionOrReason,
  PROOF_LIMIT,
  PROOF_MEDIA_TYPE,
  type ProofDocument,
  proofOf,
  proofText,
  RECORD_LIMIT,
  TREE_LIMIT
} from "./proof/Proof.ts"
export { parseStatement, type StatementReading, type StatementRefusalCode } from "./statement/ReadStatement.ts"
export { openReceipt, type Receipt, type SignedReceipt } from "./statement/Receipt.ts"
export { STATEMENT_LIMIT, STATEMENT_MEDIA_TYPE, type Statement, type StatementBalance } from "./statement/Statement.ts"
export {
  STATEMENT_CHECKS,
  STATEMENT_CODES,
  type StatementCheckName,
  type StatementCode
} from "./statement/StatementCodes.ts"
export { type StatementCheck, type StatementReport, verifyStatement } from "./statement/VerifyStatement.ts"
export { needsUnixfs } from "./verification/AssetChecks.ts"
export { AssetMeter, type MeasuredAsset, measureAsset } from "./verification/AssetMeter.ts"
export {
  AUTHORS_LIMIT,
  type AuthorsFile,
  type AuthorsReading,
  type AuthorsRefusalCode,
  type KnownAuthor,
  parseAuthors,
  type Revocation,
  type Role,
  revocationOf,
  roleLines
} from "./verification/AuthorsFile.ts"
export { CHECKS, type CheckName, CODES, type Code, type CodeMeaning } from "./verification/Codes.ts"
export type { Recover, VerifyInput } from "./verification/Evidence.ts"
export { explain } from "./verification/explain/Explain.ts"
export type {
  BytesExcerpt,
  ExplainedCommand,
  ExplainedInput,
  Explanation,
  FileNames,
  HashedBytes,
  NearMiss
} from "./verification/explain/Explanation.ts"
export type { NearMissKind } from "./verification/explain/NearMiss.ts"
export { type CommitTime, keyProblem } from "./verification/NamedSigner.ts"
export type { Act, Answers, Check, Findings, Provenance, Report, Verdict, Witness } from "./verification/Report.ts"
export type { Sha256 } from "./verification/Unixfs.ts"
export { inputOfProof, verify } from "./verification/Verify.ts"

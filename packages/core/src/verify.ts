/**
 * `@treemark/core/verify`: proofs and their verification as pure functions on noble and multiformats, without the Effect runtime.
 * The offline verifier and browsers import this, and nothing else of core.
 */
export { isSha256Text } from "./asset-tree/Checksum.ts"
export { type RecoverKey, type Recovery, recoverSigner, type SignatureRefusal } from "./asset-tree/Signature.ts"
export { isAddressText, toEip55 } from "./identity/Eip55.ts"
export type { LedgerPosition } from "./proof/LedgerPosition.ts"
export {
  type ProofProblem,
  type ProofReading,
  type ProofRefusalCode,
  parseProof,
  type ReadProof
} from "./proof/ParseProof.ts"
export {
  type JsonObject,
  PROOF_LIMIT,
  PROOF_MEDIA_TYPE,
  type ProofDocument,
  proofOf,
  proofText,
  RECORD_LIMIT,
  TREE_LIMIT,
  textMember
} from "./proof/Proof.ts"
export { type JsonReading, type JsonRefusalCode, readJsonObject } from "./proof/ReadJson.ts"
export { needsUnixfs } from "./verification/AssetChecks.ts"
export { AssetMeter, type MeasuredAsset, measureAsset } from "./verification/AssetMeter.ts"
export { CHECKS, type CheckName, CODES, type Code, type CodeMeaning } from "./verification/Codes.ts"
export type { Recover, VerifyInput } from "./verification/Evidence.ts"
export type { Check, Findings, Provenance, Report, Verdict } from "./verification/Report.ts"
export type { Sha256 } from "./verification/Unixfs.ts"
export { inputOfProof, verify } from "./verification/Verify.ts"

/**
 * `@treemark/verify`: checks Treemark proofs offline. No network, no account, no configuration; runs in Node and in browsers.
 *
 * ```ts
 * const report = verifyProof(await readFile("photo.proof.json"))
 * console.log(report.verdict, report.author)
 * ```
 */
export {
  AssetMeter,
  type AuthorsFile,
  CHECKS,
  type Check,
  type CheckName,
  type Checkpoint,
  CODES,
  type Code,
  type CodeMeaning,
  type JsonObject,
  type KnownAuthor,
  type LedgerPosition,
  type MeasuredAsset,
  type ProofProblem,
  type Provenance,
  type Recover,
  type Recovery,
  type Report,
  type Sha256,
  type SignatureRefusal,
  type StatementCheck,
  type StatementReport,
  type Verdict
} from "@treemark/core/verify"
export { checkStatement } from "./CheckStatement.ts"
export { proofPage } from "./ProofPage.ts"
export { UnusableInput, type UnusableInputCode } from "./UnusableInput.ts"
export {
  type NamedBy,
  type RecordInput,
  readAuthors,
  readCheckpoint,
  type VerifyOptions,
  verifyProof,
  verifyRecord,
  verifyTree
} from "./Verification.ts"

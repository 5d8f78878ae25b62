/**
 * `@treemark/verify`: checks Treemark proofs offline. No network, no account, no configuration; runs in Node and in browsers.
 *
 * ```ts
 * const report = verifyProof(await readFile("photo.proof.json"))
 * console.log(report.verdict, report.author)
 * ```
 *
 * `verifyProofAsync` takes what has to be read first (a File, a stream, a Response, `{ path }`, a promise), for the asset, too.
 */
export {
  type Act,
  type Answers,
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
  type KnownContract,
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
  type Verdict,
  type Witness
} from "@treemark/core/verify"
export { checkStatement } from "./CheckStatement.ts"
export type { GivenBytes, GivenText } from "./given/Bytes.ts"
export { readAuthors, readCheckpoint, type VerifyOptions } from "./given/Options.ts"
export type { BlobLike, PathLike, ResponseLike, Source, StreamLike } from "./given/Source.ts"
export { proofPage } from "./ProofPage.ts"
export { UnusableInput, type UnusableInputCode } from "./UnusableInput.ts"
export { type NamedBy, type RecordInput, verifyProof, verifyRecord, verifyTree } from "./Verification.ts"
export { type Later, type VerifyOptionsLater, verifyProofAsync } from "./VerifyAsync.ts"

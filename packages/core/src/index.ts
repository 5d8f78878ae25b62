/** The public API of `@treemark/core`: rules, trees, signatures, prices and the use cases over ports. Pure; runs in a browser. */
export { ACTION_COMMIT, type Action, PREDEFINED_ACTIONS, parseAction } from "./asset-tree/Action.ts"
export { type AssetTree, assetTreeOf, type SigningPlace } from "./asset-tree/AssetTree.ts"
export { checksumOf, isSha256Text } from "./asset-tree/Checksum.ts"
export {
  cidOf,
  DAG_JSON_CODE,
  DAG_PB_CODE,
  type ParsedCid,
  parseCid,
  RAW_CODE,
  SHA2_256_CODE,
  treeCidOf
} from "./asset-tree/Cid.ts"
export { encodeDagJson } from "./asset-tree/DagJson.ts"
export { type License, licenseOf } from "./asset-tree/License.ts"
export { NitTree } from "./asset-tree/NitTree.ts"
export {
  addressOfPrivateKey,
  canonicalSignature,
  personalMessageHash,
  type Recovery,
  recoverSigner,
  type SignatureRefusal,
  signPersonalMessage
} from "./asset-tree/Signature.ts"
export type { EncodedTree, TreeEncoding, TreeFormatName } from "./asset-tree/TreeEncoding.ts"
export { DagJson, TREE_FORMATS, TreeFormat } from "./asset-tree/TreeFormat.ts"
export { AllNetworksDeadline, allNetworksBalance, balancesOn } from "./balance/AllNetworksBalance.ts"
export { mainnetBalance } from "./balance/MainnetBalance.ts"
export { type BalanceNetwork, NativeBalance } from "./balance/NativeBalance.ts"
export { type Call, type CallKey, IdempotencyKeyInUse } from "./charging/Call.ts"
export { Charges, type Hold, InsufficientFunds } from "./charging/Charges.ts"
export { SpendingLimitReached } from "./charging/SpendingLimit.ts"
export { carryCommit, commitAsset } from "./commit/CommitAsset.ts"
export { AssetNotRegistered, type CommitError } from "./commit/CommitError.ts"
export {
  type CommitAction,
  type CommitEvent,
  type CommitState,
  type Duty,
  dutyOf,
  type Money,
  next
} from "./commit/CommitMachine.ts"
export { CommitReceipt } from "./commit/CommitReceipt.ts"
export { type CommitMade, type CommitPlan, Commits, type WorkError } from "./commit/Commits.ts"
export { Provider } from "./commit/PrepareCommit.ts"
export { quoteCommit } from "./commit/QuoteCommit.ts"
export { refuseRepeated } from "./commit/SignedAct.ts"
export {
  HISTORY_FILE,
  HISTORY_MEDIA_TYPE,
  type HistoryCommit,
  type HistoryDocument,
  historyBlock,
  historyText,
  proofBlock
} from "./history/HistoryFile.ts"
export { type Change, changesOf, jsonPatchOf, type PatchOperation } from "./history/JsonPatch.ts"
export {
  type CommitInHistory,
  type CommitStatus,
  STATUS_LETTERS,
  STATUS_MEANINGS,
  type StatusLetter,
  signedActOf,
  statusOf
} from "./history/Status.ts"
export { AccountId, Caller } from "./identity/Caller.ts"
export { isAddressText, toEip55 } from "./identity/Eip55.ts"
export { WalletAddress, walletAddress } from "./identity/WalletAddress.ts"
export { dagJsonText } from "./json/CanonicalJson.ts"
export type { JsonValue } from "./json/JsonValue.ts"
export { readJsonObject, readJsonObjectText } from "./json/ReadJson.ts"
export type { JsonLimits } from "./json/StrictReader.ts"
export { compareUtf8 } from "./json/Utf8.ts"
export { type ActClaim, Acts } from "./ledger/Acts.ts"
export { ContentStore, StorageUnavailable } from "./ledger/ContentStore.ts"
export {
  type CommitOutcome,
  CommitPending,
  type CommitWork,
  type HistoryRange,
  Ledger,
  type LedgerCommit,
  LedgerEntry,
  type LedgerPlace,
  LedgerUnavailable,
  NetworkRole,
  type Place
} from "./ledger/Ledger.ts"
export { Registration, Registry } from "./ledger/Registry.ts"
export { Amount, AmountInTokens, amount, formatTokens, parseTokens, UNITS_PER_TOKEN } from "./money/Amount.ts"
export { BalanceText, balanceText } from "./money/BalanceText.ts"
export { Operation, PriceList, Prices } from "./money/PriceList.ts"
export { type ActStatement, actBytes, actChecksum } from "./proof/Act.ts"
export { type Checkpoint, type CheckpointReading, parseCheckpoint } from "./proof/Checkpoint.ts"
export {
  type CheckpointContent,
  type CheckpointSignature,
  checkpointChecksum,
  checkpointDocument,
  checkpointFileText,
  checkpointText
} from "./proof/CheckpointFile.ts"
export { type CommitRecord, commitDataOf, commitRecordOf } from "./proof/CommitRecord.ts"
export type { Inclusion, ProvenLeaf } from "./proof/Inclusion.ts"
export type { LedgerPosition } from "./proof/LedgerPosition.ts"
export { type InclusionOrReason, PROOF_MEDIA_TYPE, type ProofDocument, proofOf, proofText } from "./proof/Proof.ts"
export { BalanceRequest, decodeBalanceRequest } from "./rules/BalanceRequest.ts"
export { CommitRequest } from "./rules/CommitRequest.ts"
export { decodeCommitRequest } from "./rules/CommitRules.ts"
export { decodeBody, FieldProblem, fieldProblems, InvalidFields } from "./rules/FieldProblem.ts"
export { CidText, MediaType, Sha256Text } from "./rules/RequestFields.ts"
export { MalformedJson, parseStrictJson, parseStrictJsonText } from "./rules/StrictJson.ts"
export { Signer, SignerUnavailable } from "./signing/Signer.ts"
export { compactReceipt, openReceipt, type Receipt, type SignedReceipt, signReceipt } from "./statement/Receipt.ts"
export {
  type Movement,
  type MovementKind,
  STATEMENT_MEDIA_TYPE,
  type Statement,
  type StatementBalance,
  signStatement,
  statementCsv,
  statementText
} from "./statement/Statement.ts"

/** Which sentences of the table checks and codes are told with. Codes of one cause for a person share a sentence; the code itself stands beside it. */
import type { Check, CheckName, Code, Verdict } from "@treemark/core/verify"
import { CODES } from "@treemark/core/verify"
import type { HistoryCode } from "../src/history/HistoryCodes.ts"
import type { Key } from "./Language.ts"

/** What a check is about, its title, and what it says when it passes. Checks and codes that core does not know yet may be among these. */
const ALL_CHECKS = {
  "tree-json": ["groupRecord", "checkTreeJson", "passTreeJson"],
  "tree-sha256": ["groupRecord", "checkTreeSha256", "passTreeSha256"],
  "tree-cid": ["groupRecord", "checkTreeCid", "passTreeCid"],
  "record-members": ["groupRecord", "checkRecordMembers", "passRecordMembers"],
  signature: ["groupSignature", "checkSignature", "passSignature"],
  "author-agrees": ["groupSignature", "checkAuthorAgrees", "passAuthorAgrees"],
  "signer-is-author": ["groupSignature", "checkSignerIsAuthor", "passSignerIsAuthor"],
  "expected-author": ["groupSignature", "checkExpectedAuthor", "passExpectedAuthor"],
  "signer-named": ["groupSignature", "checkSignerNamed", "passSignerNamed"],
  "act-signature": ["groupAct", "checkActSignature", "passActSignature"],
  "commit-data": ["groupAct", "checkCommitData", "passCommitData"],
  "committer-is-recorder": ["groupAct", "checkCommitterIsRecorder", "passCommitterIsRecorder"],
  "ledger-inclusion": ["groupLedger", "checkLedgerInclusion", "passLedgerInclusion"],
  "ledger-contract": ["groupLedger", "checkLedgerContract", "passLedgerContract"],
  "ledger-transaction": ["groupLedger", "checkLedgerTransaction", "passLedgerTransaction"],
  "transaction-sender": ["groupLedger", "checkTransactionSender", "passTransactionSender"],
  "asset-sha256": ["groupFile", "checkAssetSha256", "passAssetSha256"],
  "asset-cid": ["groupFile", "checkAssetCid", "passAssetCid"]
} as const

const CHECK_KEYS: Readonly<Record<CheckName, readonly [group: Group, title: Key, passed: Key]>> = ALL_CHECKS

/** What the checks are about, in the order in which the page shows it. */
export const GROUPS = ["groupFile", "groupRecord", "groupSignature", "groupAct", "groupLedger"] as const
type Group = (typeof GROUPS)[number]

const ALL_CODES = {
  tree_not_given: "codeTreeMissing",
  tree_too_large: "codeTreeUnreadable",
  tree_not_utf8: "codeTreeUnreadable",
  tree_not_json: "codeTreeUnreadable",
  tree_duplicate_key: "codeTreeUnreadable",
  tree_too_deep: "codeTreeUnreadable",
  tree_not_object: "codeTreeUnreadable",
  tree_member_malformed: "codeMalformed",

  tree_sha256_not_given: "codeNotNamed",
  tree_sha256_malformed: "codeMalformed",
  tree_sha256_differs: "codeTreeChanged",

  tree_cid_not_given: "codeNotNamed",
  tree_cid_malformed: "codeMalformed",
  tree_cid_codec: "codeMalformed",
  tree_cid_hash: "codeMalformed",
  tree_cid_differs: "codeTreeCidDiffers",
  tree_cid_ambiguous: "codeTreeCidTwo",

  record_not_given: "codeNotNamed",
  record_member_malformed: "codeMalformed",

  signature_missing: "codeSignatureMissing",
  signature_malformed: "codeSignatureMalformed",
  signature_recovery_id: "codeSignatureMalformed",
  signature_out_of_range: "codeSignatureMalformed",
  signature_high_s: "codeSignatureHighS",
  signature_unrecoverable: "codeSignatureMalformed",
  signature_without_checksum: "codeSignatureOverNothing",
  contract_wallet_signature: "codeSignatureContract",

  author_disagrees: "codeAuthorDisagrees",
  author_malformed: "codeMalformed",
  author_only_in_tree: "codeAuthorOnlyTree",
  author_only_in_record: "codeAuthorOnlyRecord",
  author_not_comparable: "codeAuthorNotAddress",
  author_absent: "codeAuthorAbsent",

  signer_unknown: "codeSignerUnknown",
  signer_not_author: "codeSignerNotAuthor",
  author_not_address: "codeAuthorNotAddress",
  author_not_named: "codeAuthorNotNamed",
  signer_named_instead: "codeSignerNamedInstead",

  expected_author_not_given: "codeExpectedNotGiven",
  expected_author_malformed: "codeExpectedMalformed",
  expected_author_differs: "codeExpectedDiffers",

  authors_not_given: "codeAuthorsNotGiven",
  authors_empty: "codeAuthorsEmpty",
  authors_roles_only: "codeAuthorsEmpty",
  signer_not_listed: "codeSignerNotListed",
  signer_not_yet_valid: "codeSignerNotYet",
  signer_expired: "codeSignerExpired",
  signer_revoked: "codeSignerRevoked",
  signing_time_unknown: "codeTimeUnknown",
  signing_time_claimed: "codeTimeClaimed",

  act_signature_not_given: "codeActNotGiven",
  act_place_unknown: "codeActPlaceUnknown",
  act_signature_malformed: "codeSignatureMalformed",
  act_signature_differs: "codeActDiffers",

  commit_data_not_given: "codeCommitDataNotGiven",
  commit_data_not_json: "codeCommitDataNotJson",
  commit_data_differs: "codeCommitDataDiffers",

  recorder_not_given: "codeRecorderNotGiven",
  recorder_not_shown: "codeRecorderNotShown",
  committer_not_address: "codeCommitterNotAddress",
  committer_differs: "codeCommitterDiffers",

  ledger_not_given: "codeLedgerNotGiven",
  inclusion_not_given: "codeInclusionNotGiven",
  inclusion_left_out: "codeInclusionNotGiven",
  inclusion_malformed: "codeInclusionBroken",
  inclusion_header_differs: "codeInclusionBroken",
  inclusion_block_number_differs: "codeInclusionBroken",
  inclusion_path_broken: "codeInclusionBroken",
  inclusion_log_absent: "codeInclusionBroken",
  inclusion_contract_differs: "codeInclusionBroken",
  inclusion_event_differs: "codeInclusionBroken",
  inclusion_recorder_differs: "codeInclusionBroken",
  inclusion_commit_data_differs: "codeInclusionOtherText",
  inclusion_asset_differs: "codeInclusionOtherAsset",
  inclusion_asset_unknown: "codeInclusionAssetUnknown",
  inclusion_log_index_differs: "codeInclusionBroken",
  block_not_compared: "codeBlockNotCompared",
  checkpoint_without_inclusion: "codeCheckpointUseless",
  checkpoint_chain_absent: "codeCheckpointChain",
  checkpoint_block_absent: "codeCheckpointBlock",
  checkpoint_block_differs: "codeCheckpointDiffers",
  checkpoint_quorum_missing: "codeQuorumMissing",
  contract_not_known: "codeContractUnknown",

  transaction_not_shown: "codeTransactionNotShown",
  transaction_block_not_compared: "codeTransactionBlockOpen",
  transaction_path_broken: "codeTransactionBroken",
  transaction_differs: "codeTransactionBroken",
  transaction_malformed: "codeTransactionBroken",
  transaction_sender_differs: "codeSenderDiffers",
  transaction_indirect: "codeTransactionIndirect",
  transaction_type_unknown: "codeTransactionType",

  asset_not_given: "codeAssetNotGiven",
  asset_sha256_not_named: "codeNotNamed",
  asset_sha256_malformed: "codeMalformed",
  asset_sha256_differs: "codeAssetDiffers",
  asset_cid_not_named: "codeNotNamed",
  asset_cid_not_comparable: "codeAssetCidOpen",
  asset_cid_differs: "codeAssetDiffers",
  asset_not_tied: "codeAssetNotTied"
} as const

const CODE_KEYS: Readonly<Record<Code, Key>> = ALL_CODES

const ALL_HISTORY = {
  act_copied: "storyCopied",
  proof_left_out: "storyLeftOut",
  proof_missing: "storyMissing",
  proof_unreadable: "storyMissing",
  proof_unusable: "storyUnusable",
  proof_named_twice: "storyTwice",
  name_leaves_folder: "storyOutside",
  file_is_link: "storyOutside",
  file_not_regular: "storyOutside",
  file_unreferenced: "storyUnnamed",
  link_malformed: "storyOutside",
  block_hash_differs: "storyHash",
  block_hash_unknown: "storyHash",
  block_twice: "storyTwice",
  block_unreferenced: "storyUnnamed",
  root_missing: "storyMissing",
  commit_out_of_order: "storyOrder",
  commit_twice: "storyTwice",
  proof_other_asset: "storyOther",
  proof_asset_unknown: "storyAssetUnknown",
  proof_other_chain: "storyOther",
  proof_other_contract: "storyOther",
  proof_other_transaction: "storyOther",
  proof_other_block: "storyOther",
  proof_other_log: "storyOther",
  proof_other_recorder: "storyOther"
} as const

export const HISTORY_KEYS: Readonly<Record<HistoryCode, Key>> = ALL_HISTORY

export const groupOf = (name: CheckName): Group => CHECK_KEYS[name][0]

export const titleOf = (name: CheckName): Key => CHECK_KEYS[name][1]

export const meaningOf = (code: Code): Key => CODE_KEYS[code]

/** What a check found, as a sentence. */
export const sentenceOf = ({ code, name }: Check): Key => (code === "ok" ? CHECK_KEYS[name][2] : meaningOf(code))

/** The codes that led to the verdict, first ones first. */
export const reasonsOf = (checks: ReadonlyArray<Check>, verdict: Verdict): ReadonlyArray<Code> =>
  checks.flatMap(({ code }) => (code !== "ok" && CODES[code].leadsTo === verdict ? [code] : []))

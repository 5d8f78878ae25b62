/**
 * How much each code weighs: `invalid` and `unconfirmed` are the verdicts it leads to, `nothing` leaves the verdict alone. The verdict is
 * read from this table and from nowhere else, so a problem in one check never hides another. Apart from the words, which a program that
 * only asks for the verdict does not carry.
 */
import type { Code } from "./Meanings.ts"

export interface Weight {
  readonly outcome: "fail" | "skipped"
  readonly leadsTo: "invalid" | "unconfirmed" | "nothing"
}

const INVALID: Weight = { outcome: "fail", leadsTo: "invalid" }
const UNCONFIRMED: Weight = { outcome: "fail", leadsTo: "unconfirmed" }
const SKIPPED_UNCONFIRMED: Weight = { outcome: "skipped", leadsTo: "unconfirmed" }
const SKIPPED: Weight = { outcome: "skipped", leadsTo: "nothing" }

/** Those that are not `invalid`, which is what a code is unless it is named here. */
const LIGHTER: Readonly<Partial<Record<Code, Weight>>> = {
  tree_not_given: SKIPPED_UNCONFIRMED,
  tree_sha256_not_given: SKIPPED,
  tree_cid_not_given: SKIPPED,
  record_not_given: SKIPPED,
  contract_wallet_signature: SKIPPED_UNCONFIRMED,
  author_only_in_tree: SKIPPED,
  author_only_in_record: SKIPPED,
  author_not_comparable: SKIPPED,
  author_absent: SKIPPED,
  signer_unknown: SKIPPED,
  signer_not_author: UNCONFIRMED,
  author_not_address: UNCONFIRMED,
  author_not_named: SKIPPED_UNCONFIRMED,
  signer_named_instead: SKIPPED,
  expected_author_not_given: SKIPPED,
  expected_author_malformed: UNCONFIRMED,
  expected_author_differs: UNCONFIRMED,
  authors_not_given: SKIPPED,
  authors_empty: SKIPPED_UNCONFIRMED,
  authors_roles_only: SKIPPED,
  signer_not_listed: UNCONFIRMED,
  signer_not_yet_valid: UNCONFIRMED,
  signer_expired: UNCONFIRMED,
  signer_revoked: UNCONFIRMED,
  signing_time_unknown: UNCONFIRMED,
  signing_time_claimed: UNCONFIRMED,
  act_signature_not_given: SKIPPED,
  act_place_unknown: SKIPPED,
  commit_data_not_given: SKIPPED,
  recorder_not_given: SKIPPED,
  committer_not_address: SKIPPED,
  recorder_not_shown: SKIPPED_UNCONFIRMED,
  ledger_not_given: SKIPPED,
  inclusion_not_given: SKIPPED,
  inclusion_left_out: SKIPPED,
  inclusion_asset_unknown: SKIPPED_UNCONFIRMED,
  block_not_compared: SKIPPED,
  checkpoint_without_inclusion: SKIPPED_UNCONFIRMED,
  checkpoint_chain_absent: SKIPPED_UNCONFIRMED,
  checkpoint_block_absent: SKIPPED_UNCONFIRMED,
  checkpoint_quorum_missing: SKIPPED_UNCONFIRMED,
  contract_not_known: SKIPPED,
  transaction_not_shown: SKIPPED,
  transaction_block_not_compared: SKIPPED,
  transaction_type_unknown: SKIPPED,
  transaction_indirect: SKIPPED,
  asset_not_given: SKIPPED,
  asset_sha256_not_named: SKIPPED,
  asset_cid_not_named: SKIPPED,
  asset_cid_not_comparable: SKIPPED,
  asset_not_tied: SKIPPED_UNCONFIRMED
}

export const weightOf = (code: Code): Weight => LIGHTER[code] ?? INVALID

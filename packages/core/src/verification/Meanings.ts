/**
 * The words of verification: the checks, each with what it says when it passes, and the closed list of what a check can say besides `ok`.
 * Each code has one cause. Codes are never renamed; docs/proof-format.md explains each.
 */

/** The checks, in the order of a report, each with what it says when it passes. */
const PASSED = {
  "tree-json": "The asset tree reads as JSON, in one way only.",
  "tree-sha256": "The tree's exact bytes have the checksum named.",
  "tree-cid": "The tree's CID belongs to its bytes.",
  "record-members":
    "What the commit record says is of the kind that it must be, so that every program reads the same out of it.",
  signature: "The signature is well formed and leads to one signer.",
  "author-agrees": "The tree and the commit record name the same author.",
  "signer-is-author": "The signer is the author.",
  "expected-author": "The signer is who you named with --author.",
  "signer-named": "The signer is in your authors file, and the key was valid then.",
  "act-signature": "The author signed this very act: what was done, when, and where it was recorded.",
  "commit-data": "The commit record is the text that stands on the ledger.",
  "committer-is-recorder": "The committer is the wallet that the event names as the sender.",
  "ledger-inclusion": "The commit is part of the block named, and your checkpoint has that block.",
  "ledger-contract": "The contract named is a known commit contract, which writes down who really called it.",
  "ledger-transaction": "The transaction named is the one that made the commit.",
  "transaction-sender": "The transaction calls that contract, and was signed by the wallet that recorded the commit.",
  "asset-sha256": "The asset's file has the sha256 that the tree names.",
  "asset-cid": "The asset's file has the CID that the tree names."
} as const

/** What a check is called. */
export type CheckName = keyof typeof PASSED

/** The checks in the order of a report, each with what it says when it passes. */
export const CHECKS: Readonly<Record<CheckName, string>> = PASSED

/** The sentence of each code. */
export const MEANINGS = {
  tree_not_given: "The asset tree is not here, so nobody can see what was signed. Give the tree's file.",
  tree_too_large: "The asset tree is larger than 1 MiB and was not read.",
  tree_not_utf8: "The asset tree's bytes are not UTF-8 text.",
  tree_not_json: "The asset tree is not JSON.",
  tree_duplicate_key: "A key occurs twice in the asset tree; programs would disagree on what it says.",
  tree_too_deep: "The asset tree nests deeper than 64 levels.",
  tree_not_object: "The asset tree is not a JSON object.",
  tree_member_malformed:
    "The asset tree names the asset by something that is not text: programs would disagree on which asset it is.",

  tree_sha256_not_given: "The commit record names no checksum; the signature is checked against the tree's own.",
  tree_sha256_malformed: "The checksum named is not 64 hexadecimal digits.",
  tree_sha256_differs: "The tree's bytes have another checksum than the one named: they are not what was committed.",

  tree_cid_not_given: "No CID is named for the asset tree.",
  tree_cid_malformed: "The CID named for the asset tree is not a CID.",
  tree_cid_codec: "The CID named for the asset tree is neither a raw nor a dag-json CID.",
  tree_cid_hash: "The CID named for the asset tree does not use sha256.",
  tree_cid_differs: "The CID named for the asset tree belongs to other bytes.",
  tree_cid_ambiguous: "The proof and its commit record name the asset tree by two different CIDs.",

  record_not_given: "There is no commit record, only a tree.",
  record_member_malformed:
    "A member of the commit record is of the wrong kind (a list where a text must be, say): programs would disagree on what it says.",

  signature_missing: "There is no signature, so nobody vouches for the tree.",
  signature_malformed: "The signature is not 0x and 130 hexadecimal digits (or 128: EIP-2098).",
  contract_wallet_signature:
    "The signature is longer than a key makes one, as those of contract wallets are (ERC-1271, ERC-6492). Only the wallet's contract can say whether it holds; ask it on its chain.",
  signature_recovery_id: "The signature's last byte is not 27 or 28 (or 0 or 1).",
  signature_out_of_range: "The signature's numbers are outside their range; no key makes such a signature.",
  signature_high_s: "The signature is in its malleable form (high s, EIP-2), which anybody can make from the real one.",
  signature_unrecoverable: "No key belongs to this signature.",
  signature_without_checksum: "There is neither a tree nor a checksum that the signature could be over.",

  author_disagrees: "The commit record names another author than the signed tree does.",
  author_malformed: "The tree's creatorWallet is not text.",
  author_only_in_tree: "Only the tree names the author; there is nothing to compare with.",
  author_only_in_record: "Only the commit record names the author; the signature does not cover that name.",
  author_not_comparable:
    "The commit record names the author by an identity's CID, which cannot be compared with an address offline.",
  author_absent: "Neither the tree nor a commit record names an author.",

  signer_unknown: "No signer could be found, so there is nobody to compare.",
  signer_not_author:
    "The tree was signed by somebody other than the author it names. If you trust this signer, name it with --author.",
  author_not_address:
    "The author is named by something other than an address, so the signer cannot be matched to it offline.",
  author_not_named: "Nobody is named as the author. Say with --author whose signature you expect.",
  signer_named_instead: "The signer is not the author named in the file, but it is who you named with --author.",

  expected_author_not_given: "You named nobody with --author; the signer was compared with the author in the file.",
  expected_author_malformed: "The address you expect is not 0x and 40 hexadecimal digits.",
  expected_author_differs: "The tree was signed by somebody other than who you named with --author.",

  authors_not_given: "You gave no authors file, so no name stands behind the signer's address.",
  authors_empty: "Your authors file names nobody. Is it the right file?",
  authors_roles_only:
    "Your authors file names recorders or witnesses only, so no name stands behind the signer's address.",
  signer_not_listed: "The signer is not in your authors file.",
  signer_not_yet_valid: "The signer's key was not valid yet: the commit is from before its first day.",
  signer_expired: "The signer's key was not valid any more: the commit is from after its last day.",
  signer_revoked: "The signer's key is revoked. Only a commit that the ledger shows to be older than that is trusted.",
  signing_time_unknown: "The signer's key is valid for a limited time, and nothing says when the commit was made.",
  signing_time_claimed:
    "The signer's key is valid for a limited time, and the commit's time is only claimed, which whoever has the key can do. A proof of inclusion and a checkpoint of its block prove the time.",

  act_signature_not_given:
    "The author did not sign what was done, only what the asset is: the act is the word of the wallet that recorded it.",
  act_place_unknown:
    "The act is signed for a place on a ledger, and nothing says which; whether the author signed this one cannot be told.",
  act_signature_malformed: "The signature of the act is no signature that a key can have made.",
  act_signature_differs:
    "The author did not sign this act: it was changed after it was signed, or its signature was copied from another act or place.",

  commit_data_not_given: "The commit record came as a file of its own, without the text that stands on the ledger.",
  commit_data_not_json: "The commit data of the proof is not a JSON object.",
  commit_data_differs: "The commit record of the proof says something else than its commit data.",

  recorder_not_given: "Nothing says who sent the transaction.",
  committer_not_address:
    "The commit record names no committer, or an identity by its CID, which cannot be compared with an address offline.",
  committer_differs: "The commit record names another committer than the wallet that sent the transaction.",
  recorder_not_shown:
    "The event is on the ledger, but another contract than a known one wrote it, and could name any wallet: who recorded the commit is not shown.",

  ledger_not_given: "Nothing says where the commit is on a ledger.",
  inclusion_not_given:
    "The place on the ledger is what the proof says; it carries no proof of inclusion. Look the transaction up to be sure.",
  inclusion_left_out:
    "The place on the ledger is what the proof says; no proof of inclusion could be made, for the reason it gives.",
  inclusion_malformed: "The proof of inclusion holds something that is no block header or no receipt.",
  inclusion_header_differs: "The block header of the proof has another hash than the block it names.",
  inclusion_block_number_differs: "The block header has another number than the block that the proof names.",
  inclusion_path_broken: "The path does not lead from the block header to the receipt of the proof.",
  inclusion_log_absent: "The transaction wrote fewer logs than the proof says.",
  inclusion_contract_differs: "Another contract than the one named wrote the log.",
  inclusion_event_differs: "The log is no Commit event (ERC-7053).",
  inclusion_recorder_differs: "The event names another sender than the proof does.",
  inclusion_commit_data_differs: "The event carries another text than the commit data of the proof.",
  inclusion_asset_differs: "The event is about another asset than the tree.",
  inclusion_asset_unknown: "The tree names no asset, so whether the event is about it cannot be told.",
  inclusion_log_index_differs: "The event cannot stand at the place in the block that the proof names.",
  block_not_compared:
    "The commit is included in the block named; whether that block is on the ledger was not compared. Add --checkpoint FILE.",
  checkpoint_without_inclusion:
    "You gave a checkpoint, but the proof carries no proof of inclusion that it could be compared with.",
  checkpoint_chain_absent: "The commit is included in the block named, but your checkpoint is of another chain.",
  checkpoint_block_absent:
    "The commit is included in the block named, but your checkpoint does not list that block. Export a newer one.",
  checkpoint_block_differs: "Your checkpoint has another block at this number: the one named is not on the ledger.",
  checkpoint_quorum_missing:
    "The commit is included in the block named, but fewer signers of your checkpoints than you asked for have that block. Get a checkpoint of it from another witness.",

  contract_not_known:
    "The contract named is none that is known, and such a contract can write any wallet's name into its event. If you have read its code, name it with --contract.",

  transaction_not_shown: "The transaction's hash is what the proof says; nothing shows it.",
  transaction_block_not_compared:
    "The transaction named stands in the block named, at the commit's place; whether that block is on the ledger is not known.",
  transaction_path_broken: "The path does not lead from the block header to the transaction of the proof.",
  transaction_differs: "The transaction that made the commit has another hash than the one named.",

  transaction_malformed: "The transaction of the proof is none that a wallet can have signed.",
  transaction_type_unknown:
    "The transaction is of a type that this verifier does not read, so who sent it was not looked at.",
  transaction_indirect:
    "The transaction calls another contract, which called the commit contract: the recorder is a contract, or was named by one.",
  transaction_sender_differs:
    "The transaction was sent by another wallet than the one that the event names as the recorder.",

  asset_not_given: "The asset's file was not checked. Add --asset FILE to check it.",
  asset_sha256_not_named: "The tree names no sha256 for the asset.",
  asset_sha256_malformed: "The sha256 that the tree names for the asset is not 64 hexadecimal digits.",
  asset_sha256_differs: "The asset's file is not the one the tree describes: its sha256 is another.",
  asset_cid_not_named: "The tree names no CID for the asset.",
  asset_cid_not_comparable:
    "The asset's CID was made in a way that cannot be repeated here; its sha256 is what counts.",
  asset_cid_differs: "The asset's file is not the one the tree describes: its CID is another.",
  asset_not_tied: "Neither a sha256 nor a CID ties this file to the tree, so whether it is the asset cannot be told."
} as const

/** A code other than `ok`. */
export type Code = keyof typeof MEANINGS

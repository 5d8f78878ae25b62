/**
 * The closed list of what verifying a history can say of it, besides what the report of each proof says. Each code has one cause; `leadsTo` is the
 * verdict. Codes are never renamed; docs/proof-format.md explains each.
 */
import { shown, shownOrNull } from "@treemark/core/verify"

export interface HistoryCodeMeaning {
  /** `recorded`: what was done is the word of whoever recorded it (letter R). */
  readonly leadsTo: "invalid" | "unconfirmed" | "recorded"
  readonly meaning: string
}

const invalid = (meaning: string): HistoryCodeMeaning => ({ leadsTo: "invalid", meaning })
const unconfirmed = (meaning: string): HistoryCodeMeaning => ({ leadsTo: "unconfirmed", meaning })

const recorded = (meaning: string): HistoryCodeMeaning => ({ leadsTo: "recorded", meaning })

const LIST = {
  proof_left_out: unconfirmed(
    "The export has no proof of this commit, for the reason it gives; there is nothing to check."
  ),
  proof_missing: invalid("The index names a proof that is not here."),
  proof_unreadable: invalid("The proof's file cannot be read."),
  proof_unusable: invalid("What the index names as a proof cannot be read as one."),
  proof_named_twice: invalid("The index names one proof for two commits."),

  name_leaves_folder: invalid("The index names a file outside of its folder; it was not opened."),
  file_is_link: invalid("The proof's file is a symbolic link; it was not followed."),
  file_not_regular: invalid(
    "What the index names as the proof's file is a folder, a device, a pipe or a socket; it was not read."
  ),
  file_unreferenced: invalid("A proof lies in the folder that the index does not name."),

  link_malformed: invalid("The index names the proof by something else than the CID of a raw block with sha256."),
  block_hash_differs: invalid("The block's bytes have another sha256 than its CID names."),
  block_hash_unknown: invalid("The block's CID uses another hash than sha256, so its bytes cannot be checked."),
  block_twice: invalid("The CAR holds this block twice."),
  block_unreferenced: invalid("The CAR holds a block that the index does not link to."),
  root_missing: invalid("The CAR does not hold the block that it names as its root."),

  commit_out_of_order: invalid(
    "The commit stands before the one above it on the ledger, so the index is not in the ledger's order."
  ),
  commit_twice: invalid("The commit stands at the same place on the ledger as the one above it."),

  act_copied: recorded(
    "The same signed act stands further up: its signature was sent a second time, which anybody who saw it can do, so this time it is the recorder's word."
  ),

  proof_other_asset: invalid("The proof is of another asset than the history."),
  proof_asset_unknown: unconfirmed(
    "The proof's tree names no asset, so whether it belongs to this history cannot be told."
  ),
  proof_other_chain: invalid("The proof is of a commit on another chain than the history."),
  proof_other_contract: invalid("The proof is of a commit to another contract than the history."),
  proof_other_transaction: invalid("The proof is of another transaction than the index says."),
  proof_other_block: invalid("The proof is of another block than the index says."),
  proof_other_log: invalid("The proof is of another event of its block than the index says."),
  proof_other_recorder: invalid("The proof names another sender than the index does.")
} as const satisfies Record<string, HistoryCodeMeaning>

export type HistoryCode = keyof typeof LIST

export const HISTORY_CODES: Readonly<Record<HistoryCode, HistoryCodeMeaning>> = LIST

/** What does not hold, and where: `at` is a file's name, a block's CID, or a JSON pointer into the index. */
export interface HistoryProblem {
  readonly code: HistoryCode
  readonly at: string
  readonly expected: string | null
  readonly actual: string | null
}

export const problem = (
  code: HistoryCode,
  at: string,
  compared: { readonly expected?: string | undefined; readonly actual?: string | undefined } = {}
): HistoryProblem => ({
  code,
  at: shown(at),
  expected: shownOrNull(compared.expected),
  actual: shownOrNull(compared.actual)
})

/**
 * The proof: one portable JSON file that holds all that offline verification needs (docs/proof-format.md). Format version 1.
 *
 * The tree's exact bytes travel as base64 and the commit record as the exact text of the ledger event, so that nothing is ever
 * serialised again; `commit.record` repeats that text as an object for readers. Unknown members are ignored, which is how
 * later additions join version 1, as the inclusion proof (Inclusion.ts) did.
 */
import { isJsonObject, type JsonObject } from "../json/JsonValue.ts"
import { base64Of } from "./Base64.ts"
import { type Inclusion, type InclusionDocument, inclusionDocument } from "./Inclusion.ts"
import { type LedgerPosition, ledgerPositionOf } from "./LedgerPosition.ts"

export const PROOF_MEDIA_TYPE = "application/vnd.treemark.proof+json;version=1"

/** Largest inputs that are read, in bytes. Trees and records of real commits are a few kilobytes. */
export const PROOF_LIMIT = 16 * 1024 * 1024
export const TREE_LIMIT = 1024 * 1024
export const RECORD_LIMIT = 1024 * 1024
/** Most brackets, commas and colons outside of strings. A real proof has about a hundred, for its large parts are texts. */
export const PROOF_MARKS = 100_000

/** A proof as its JSON file holds it. */
export interface ProofDocument {
  readonly mediaType: typeof PROOF_MEDIA_TYPE
  /** `bytes`: the asset tree's exact bytes in base64. */
  readonly tree: { readonly cid: string; readonly bytes: string }
  /** `commitData`: the exact text of the ledger event; `record`: the same, parsed. */
  readonly commit: { readonly record: JsonObject; readonly commitData: string }
  /** Where the commit is; `inclusion` proves it, or `inclusionMissing` says why nothing does. */
  readonly ledger: LedgerPosition & { readonly inclusion?: InclusionDocument; readonly inclusionMissing?: string }
}

/** An inclusion proof, or the reason why none could be made, as a sentence. */
export type InclusionOrReason = { readonly inclusion: Inclusion } | { readonly inclusionMissing: string }

/**
 * Builds a proof. `commitData` is the text as it stands on the ledger, `tree.bytes` the bytes that were signed.
 *
 * @throws TypeError when `commitData` is not the text of a JSON object.
 */
export const proofOf = (parts: {
  readonly tree: { readonly cid: string; readonly bytes: Uint8Array }
  readonly commitData: string
  readonly ledger: LedgerPosition
  readonly inclusion?: InclusionOrReason | undefined
}): ProofDocument => ({
  mediaType: PROOF_MEDIA_TYPE,
  tree: { cid: parts.tree.cid, bytes: base64Of(parts.tree.bytes) },
  commit: { record: recordOf(parts.commitData), commitData: parts.commitData },
  ledger: { ...ledgerPositionOf(parts.ledger), ...inclusionMembers(parts.inclusion) }
})

const inclusionMembers = (made: InclusionOrReason | undefined) => {
  if (made === undefined) return {}
  return "inclusion" in made ? { inclusion: inclusionDocument(made.inclusion) } : made
}

/** The text of a proof file: two-space JSON with a newline at the end. */
export const proofText = (proof: ProofDocument): string => `${JSON.stringify(proof, null, 2)}\n`

const recordOf = (commitData: string): JsonObject => {
  const record: unknown = JSON.parse(commitData)
  if (isJsonObject(record)) return record
  throw new TypeError("The commit data of a proof is the text of a JSON object.")
}

/**
 * What verification says (decisions.md, section 8; schema: packages/verify/schema/report-v1.schema.json). Values are shown in full even when
 * they do not hold; `provenance` says how much each is worth: `signed` is covered by the signature found, `ledger` by an
 * inclusion proof, `claimed` by nothing but the file itself.
 */

import { shownOrNull } from "../json/Shown.ts"
import type { LedgerPosition } from "../proof/LedgerPosition.ts"
import type { CheckName, Code } from "./Meanings.ts"
import { weightOf } from "./Weights.ts"

/**
 * `valid`: all holds, and the signer is the author or who was named; `unconfirmed`: the signature holds, and whose it is
 * is open; `invalid`: something does not hold.
 */
export type Verdict = "valid" | "unconfirmed" | "invalid"
/** What stands behind a value: the signature, the ledger, or the file's word alone. */
export type Provenance = "signed" | "ledger" | "claimed"

/** One question that was asked, and how it came out; `expected` and `actual` are what was compared. */
export interface Check {
  readonly name: CheckName
  readonly outcome: "pass" | "fail" | "skipped"
  readonly code: Code | "ok"
  readonly expected: string | null
  readonly actual: string | null
}

/** The values of a report that are read from the input, each null when the input does not tell it. */
export interface Findings {
  /** Whose work it is: an address (EIP-55), or an identity's CID in old records. */
  readonly author: string | null
  /** Whose key signed, found by recovery. */
  readonly signer: string | null
  /** Who sent the commit to the ledger. */
  readonly committer: string | null
  readonly assetCid: string | null
  readonly assetTreeCid: string | null
  /** sha256 of the tree's exact bytes; of a record checked without its tree, the one it names. */
  readonly assetTreeSha256: string | null
  /** When it was committed (ISO 8601, UTC): the block's timestamp when the ledger covers it, else as the record claims. */
  readonly time: string | null
  readonly ledger: LedgerPosition | null
}

/** What was done with the asset, and whose word for it there is: the tree's signature covers what the asset is, and nothing of this. */
export interface Act {
  /** Nid of the action's profile. */
  readonly action: string | null
  readonly actionName: string | null
  /** The commit message. */
  readonly message: string | null
  /** The wallet that recorded it (EIP-55). */
  readonly recorder: string | null
  /** `author` only where the author signed the act itself; else it is the word of the recorder. */
  readonly by: "author" | "recorder"
  readonly provenance: Provenance
}

/** The three questions of whoever gets a proof: is this the file, do I know who signed it, since when is that proven. */
export interface Answers {
  readonly file: "same" | "different" | "not-given" | "not-comparable"
  readonly who: "expected" | "named" | "unknown" | "not-the-author" | "nobody"
  readonly when: "proven" | "claimed" | "none"
}

/** Somebody whose checkpoint has the block: the word that the block's being on the ledger rests on. */
export interface Witness {
  /** EIP-55; null for a checkpoint file that nobody signed. */
  readonly signer: string | null
  /** The name on the signer's `witness` line in the verifier's authors file. */
  readonly name: string | null
}

/** Everything that verification found, with the values shown also where they do not hold. */
export interface Report extends Findings {
  readonly verdict: Verdict
  /** The signer's name in the verifier's authors file, when the key was valid then; null where the signature is not over this tree. */
  readonly signerName: string | null
  /** null when there is no commit record that says what was done, or by whom. */
  readonly act: Act | null
  readonly answers: Answers
  /** Empty when no checkpoint has the block. */
  readonly witnesses: ReadonlyArray<Witness>
  readonly provenance: { readonly [Value in keyof Findings]: Provenance | null }
  readonly checks: ReadonlyArray<Check>
}

/** What a check compared, for its line in the report. */
export interface Compared {
  readonly expected?: string | null | undefined
  readonly actual?: string | null | undefined
}

export const passed = (name: CheckName, compared: Compared = {}): Check => ({
  name,
  outcome: "pass",
  code: "ok",
  expected: shownOrNull(compared.expected),
  actual: shownOrNull(compared.actual)
})

/** A check that did not pass; whether it failed or was skipped is the code's. */
export const stopped = (name: CheckName, code: Code, compared: Compared = {}): Check => ({
  name,
  outcome: weightOf(code).outcome,
  code,
  expected: shownOrNull(compared.expected),
  actual: shownOrNull(compared.actual)
})

/** The verdict over all checks: the heaviest of what their codes lead to. */
export const verdictOf = (checks: ReadonlyArray<Check>): Verdict => {
  const consequences = checks.map(({ code }) => (code === "ok" ? "nothing" : weightOf(code).leadsTo))
  if (consequences.includes("invalid")) return "invalid"
  return consequences.includes("unconfirmed") ? "unconfirmed" : "valid"
}

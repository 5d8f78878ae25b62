/**
 * What checks and codes are called on this page: core's texts name options of the command line, which nobody has here, so those are
 * said again in the words of the page. Everything else is core's own text.
 */
import { CHECKS, type Check, type CheckName, CODES, type Code, type Verdict } from "@treemark/core/verify"

const TITLES: Readonly<Record<CheckName, string>> = {
  "tree-json": "Readable",
  "tree-sha256": "Unchanged",
  "tree-cid": "Right address",
  "record-members": "Well formed",
  signature: "Signature",
  "author-agrees": "One author",
  "signer-is-author": "Signed by the author",
  "expected-author": "Signed by who you expect",
  "signer-named": "Known by name",
  "act-signature": "Act signed by the author",
  "commit-data": "Same text on the ledger",
  "committer-is-recorder": "Sent by the committer",
  "ledger-inclusion": "Part of the block",
  "ledger-contract": "A contract that is known",
  "ledger-transaction": "Transaction",
  "transaction-sender": "Sent by the recorder",
  "asset-sha256": "The file's content",
  "asset-cid": "The file's address"
}

/** The checks by what they are about, in the order in which the page shows them. */
export const GROUPS: ReadonlyArray<{ readonly title: string; readonly checks: ReadonlyArray<CheckName> }> = [
  { title: "The record", checks: ["tree-json", "tree-sha256", "tree-cid", "record-members"] },
  {
    title: "The signature",
    checks: ["signature", "author-agrees", "signer-is-author", "expected-author", "signer-named", "act-signature"]
  },
  {
    title: "The ledger",
    checks: [
      "commit-data",
      "committer-is-recorder",
      "ledger-inclusion",
      "ledger-contract",
      "ledger-transaction",
      "transaction-sender"
    ]
  },
  { title: "The file", checks: ["asset-sha256", "asset-cid"] }
]

const PASSED: Partial<Record<CheckName, string>> = {
  "expected-author": "The signer is who you expect.",
  "signer-named": "The signer is in your list of authors, and the key was valid then."
}

const SAID_HERE: Partial<Record<Code, string>> = {
  tree_sha256_differs:
    "The record is not the one that was committed: its text has another checksum than the one named.",
  tree_not_given: "The asset tree is not here, so nobody can see what was signed.",
  signer_not_author:
    "The tree was signed by somebody other than the author it names. If you trust this signer, enter the address as the one you expect.",
  author_not_named: "Nobody is named as the author. Enter the address whose signature you expect.",
  signer_named_instead: "The signer is not the author named in the file, but it is who you expect.",
  expected_author_not_given: "You entered no address; the signer was compared with the author in the file.",
  expected_author_differs: "The tree was signed by somebody other than who you expect.",
  authors_not_given: "You gave no list of authors, so no name stands behind the signer's address.",
  block_not_compared:
    "The commit is included in the block named; whether that block is on the ledger was not compared. Add a checkpoint file to compare it.",
  asset_not_given: "The file itself was not checked. Add it above to check it."
}

export const titleOf = (name: CheckName): string => TITLES[name]

export const meaningOf = (code: Code): string => SAID_HERE[code] ?? CODES[code].meaning

/** What a check found, as a sentence. */
export const sentenceOf = (check: Check): string =>
  check.code === "ok" ? (PASSED[check.name] ?? CHECKS[check.name]) : meaningOf(check.code)

/** The codes that led to the verdict, first ones first. */
export const reasonsOf = (checks: ReadonlyArray<Check>, verdict: Verdict): ReadonlyArray<Code> =>
  checks.flatMap(({ code }) => (code !== "ok" && CODES[code].leadsTo === verdict ? [code] : []))

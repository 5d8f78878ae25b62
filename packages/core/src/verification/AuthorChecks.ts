/**
 * Who: the signature is well formed and leads to a signer; the names of the author agree; the signer is the author, or the one
 * who was expected. The author is read from what the signature covers (the tree's `creatorWallet`) where it is there.
 */
import { parseCid } from "../asset-tree/Cid.ts"
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { type Evidence, signerOf } from "./Evidence.ts"
import { type Check, passed, stopped } from "./Report.ts"

export const signature = ({ signature, checksum, recovery }: Evidence): Check => {
  const name = "signature"
  if (signature === undefined) return stopped(name, "signature_missing")
  if (checksum === undefined || recovery === undefined) {
    return stopped(name, "signature_without_checksum", { actual: signature })
  }
  if (recovery.ok) return passed(name, { actual: signature })
  return stopped(name, recovery.code, { expected: recovery.message, actual: signature })
}

export const authorAgrees = ({ tree, treeAuthor, recordAuthor }: Evidence): Check => {
  const name = "author-agrees"
  const compared = { expected: treeAuthor, actual: recordAuthor }
  if (treeAuthor === undefined && hasAuthorMember(tree)) return stopped(name, "author_malformed", compared)
  if (treeAuthor === undefined && recordAuthor === undefined) return stopped(name, "author_absent")
  if (treeAuthor === undefined) return stopped(name, "author_only_in_record", compared)
  if (recordAuthor === undefined) return stopped(name, "author_only_in_tree", compared)
  if (treeAuthor === recordAuthor) return passed(name, compared)
  return stopped(name, isNameOfContent(recordAuthor) ? "author_not_comparable" : "author_disagrees", compared)
}

/** The identity "hash" of multiformats, under which a CID holds its content itself. */
const INLINE = 0x00

/** A digest of fewer bytes names nothing for certain; readers of IPFS refuse it (boxo, verifcid). */
const SHORTEST_DIGEST = 20

/** Whether a CID names its content by a hash, as the CID of an author's identity does. */
const isNameOfContent = (text: string): boolean => {
  const cid = parseCid(text)
  return cid !== undefined && cid.hash !== INLINE && cid.digest.length >= SHORTEST_DIGEST
}

const hasAuthorMember = (tree: Evidence["tree"]): boolean =>
  tree?.members !== undefined && Object.hasOwn(tree.members, "creatorWallet") && tree.members.creatorWallet !== null

export const signerIsAuthor = (evidence: Evidence): Check => {
  const name = "signer-is-author"
  const signer = signerOf(evidence)
  const author = evidence.treeAuthor ?? evidence.recordAuthor
  const compared = { expected: author, actual: signer }
  if (signer === undefined) return stopped(name, "signer_unknown", compared)
  if (author === signer) return passed(name, compared)
  if (isExpected(evidence, signer)) return stopped(name, "signer_named_instead", compared)
  if (author === undefined) return stopped(name, "author_not_named", compared)
  return stopped(name, isAddressText(author) ? "signer_not_author" : "author_not_address", compared)
}

export const expectedAuthor = (evidence: Evidence): Check => {
  const name = "expected-author"
  const expected = evidence.input.expectedAuthor
  const signer = signerOf(evidence)
  if (expected === undefined) return stopped(name, "expected_author_not_given")
  if (!isAddressText(expected)) return stopped(name, "expected_author_malformed", { expected, actual: signer })
  const compared = { expected: toEip55(expected), actual: signer }
  if (signer === undefined) return stopped(name, "signer_unknown", compared)
  return isExpected(evidence, signer) ? passed(name, compared) : stopped(name, "expected_author_differs", compared)
}

const isExpected = ({ input }: Evidence, signer: string): boolean =>
  input.expectedAuthor !== undefined && isAddressText(input.expectedAuthor) && toEip55(input.expectedAuthor) === signer

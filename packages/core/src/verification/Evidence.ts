/**
 * What verification starts from, and what can be read from it before anything is compared: the tree's members and checksum, what
 * the commit record claims, the signer. Every part may be missing or hostile; nothing here decides.
 */
import { checksumOf, isSha256Text } from "../asset-tree/Checksum.ts"
import { type RecoverKey, type Recovery, recoverSigner } from "../asset-tree/Signature.ts"
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { type JsonObject, textMember } from "../json/JsonValue.ts"
import { readJsonObject } from "../json/ReadJson.ts"
import type { Checkpoint } from "../proof/Checkpoint.ts"
import type { Inclusion } from "../proof/Inclusion.ts"
import type { KnownContract } from "../proof/KnownContracts.ts"
import type { LedgerPosition } from "../proof/LedgerPosition.ts"
import { TREE_LIMIT } from "../proof/Proof.ts"
import type { MeasuredAsset } from "./AssetMeter.ts"
import type { AuthorsFile } from "./AuthorsFile.ts"
import type { Code } from "./Codes.ts"
import { type InclusionFinding, openInclusion, type TransactionFinding, transactionHolds } from "./InclusionProof.ts"

/** Finds the signer of `text`; the default is `recoverSigner` on @noble/curves. Another backend keeps its policy. */
export type Recover = (text: string, signature: string) => Recovery

export interface VerifyInput {
  /** The asset tree's exact bytes. Without them a report is at most `unconfirmed`. */
  readonly tree?: Uint8Array | undefined
  /** The commit record, or as much of one as there is. */
  readonly record?: JsonObject | undefined
  /** The record as it was written, where reading it may have rounded a number. */
  readonly recordText?: string | undefined
  /** The text on the ledger that `record` repeats. */
  readonly commitData?: string | undefined
  /** The tree's CID as named beside the record. */
  readonly treeCid?: string | undefined
  readonly ledger?: LedgerPosition | undefined
  /** Proof that the commit is part of the block that `ledger` names. */
  readonly inclusion?: Inclusion | undefined
  /** Why there is no such proof. */
  readonly inclusionMissing?: string | undefined
  /** Blocks that the verifier knows to be on the ledger. */
  readonly checkpoints?: ReadonlyArray<Checkpoint> | undefined
  /** So many different signers of checkpoints must have the block; files that nobody signed do not count then. */
  readonly quorum?: number | undefined
  /** Commit contracts that the verifier knows, beside those that everybody does and those of the checkpoints. */
  readonly contracts?: ReadonlyArray<KnownContract> | undefined
  /** Whom the verifier knows. */
  readonly authors?: AuthorsFile | undefined
  /** The asset's bytes, measured. */
  readonly asset?: MeasuredAsset | undefined
  /** Who is expected to have signed: an address in any letter case. */
  readonly expectedAuthor?: string | undefined
  readonly recover?: Recover | undefined
  /** The same backend for the transaction's signature; the default is @noble/curves. */
  readonly recoverKey?: RecoverKey | undefined
  /** sha256 of bytes as 64 lower-case hex digits, where the platform has a faster one; the default is @noble/hashes. */
  readonly sha256?: ((bytes: Uint8Array) => string) | undefined
}

export interface Tree {
  /** sha256 of the exact bytes, hex. */
  readonly sha256: string
  readonly members: JsonObject | undefined
  readonly problem: { readonly code: Code; readonly message: string } | undefined
}

export interface Evidence {
  readonly input: VerifyInput
  readonly tree: Tree | undefined
  /** The checksum named beside the tree, lower case when it is one. */
  readonly namedSha256: string | undefined
  /** What the signature is checked over: the checksum named, else the tree's own. */
  readonly checksum: string | undefined
  readonly signature: string | undefined
  readonly recovery: Recovery | undefined
  readonly treeAuthor: string | undefined
  readonly recordAuthor: string | undefined
  /** What the proof of inclusion shows; undefined when there is none. */
  readonly inclusion: InclusionFinding | undefined
  /** What it shows of the transaction; undefined when it shows none, or no block that it could stand in. */
  readonly transaction: TransactionFinding | undefined
}

export const evidenceOf = (input: VerifyInput): Evidence => {
  const tree = input.tree === undefined ? undefined : readTree(input.tree, input.sha256 ?? checksumOf)
  const namedSha256 = textMember(input.record, "assetTreeSha256")
  const isNamed = namedSha256 !== undefined && isSha256Text(namedSha256)
  const checksum = isNamed ? namedSha256.toLowerCase() : tree?.sha256
  const signature = textMember(input.record, "assetTreeSignature")
  const recover = input.recover ?? recoverSigner
  const inclusion = inclusionOf(input, tree)
  return {
    input,
    tree,
    namedSha256: isNamed ? namedSha256.toLowerCase() : namedSha256,
    checksum,
    signature,
    recovery: checksum === undefined || signature === undefined ? undefined : recover(checksum, signature),
    treeAuthor: person(textMember(tree?.members, "creatorWallet")),
    recordAuthor: person(textMember(input.record, "author")),
    inclusion,
    transaction: transactionOf(input, inclusion)
  }
}

const transactionOf = (
  { inclusion, ledger }: VerifyInput,
  finding: InclusionFinding | undefined
): TransactionFinding | undefined =>
  inclusion === undefined || ledger === undefined || finding?.ok !== true
    ? undefined
    : transactionHolds(inclusion, finding.header, ledger)

const inclusionOf = ({ commitData, inclusion, ledger }: VerifyInput, tree: Tree | undefined) =>
  inclusion === undefined || ledger === undefined
    ? undefined
    : openInclusion(inclusion, ledger, { assetCid: textMember(tree?.members, "assetCid"), commitData })

/** A name for a person, spelled one way: an address in EIP-55 form, anything else as it is. */
export const person = (text: string | undefined): string | undefined =>
  text !== undefined && isAddressText(text) ? toEip55(text) : text

/** The signer found, when the signature holds. */
export const signerOf = (evidence: Evidence): string | undefined =>
  evidence.recovery?.ok === true ? evidence.recovery.signer : undefined

/** Whether the signature found covers the tree that was given: it holds, and over this tree's checksum. */
export const isTreeSigned = (evidence: Evidence): boolean =>
  evidence.recovery?.ok === true && evidence.tree !== undefined && evidence.checksum === evidence.tree.sha256

const readTree = (bytes: Uint8Array, sha256Of: (bytes: Uint8Array) => string): Tree => {
  const sha256 = sha256Of(bytes)
  if (bytes.length > TREE_LIMIT) {
    return { sha256, members: undefined, problem: { code: "tree_too_large", message: "it is over 1 MiB" } }
  }
  const json = readJsonObject(bytes)
  return json.ok
    ? { sha256, members: json.value, problem: undefined }
    : { sha256, members: undefined, problem: { code: `tree_${json.code}`, message: json.message } }
}

/**
 * The act: what the commit record says was done, and whose word that is (decisions.md, section 10). The tree goes with its signature wherever anybody
 * records it again; only `actSignature`, over the act and its place on the ledger, makes the act the author's own.
 */
import { canonicalSignature, recoverSigner } from "../asset-tree/Signature.ts"
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { textMember } from "../json/JsonValue.ts"
import { shown, shownOrNull } from "../json/Shown.ts"
import { actChecksum } from "../proof/Act.ts"
import { type Evidence, signerOf } from "./Evidence.ts"
import { type Act, type Check, passed, stopped } from "./Report.ts"

/** `signature`: what act-signature says. `isOnLedger`: the record is the text that a known contract wrote for this recorder, in a block that is on the ledger. */
export const actOf = ({ input }: Evidence, signature: Check, isOnLedger: boolean): Act | null => {
  const { ledger, record } = input
  const action = shownOrNull(textMember(record, "action"))
  const actionName = shownOrNull(textMember(record, "actionName"))
  const message = shownOrNull(textMember(record, "abstract"))
  const committer = textMember(record, "committer")
  if (action === null && actionName === null && message === null && committer === undefined) return null
  const named = ledger?.recorder ?? (committer !== undefined && isAddressText(committer) ? committer : undefined)
  const isSigned = signature.outcome === "pass"
  return {
    action,
    actionName,
    message,
    recorder: named === undefined ? null : toEip55(named),
    by: isSigned ? "author" : "recorder",
    provenance: isSigned ? "signed" : isOnLedger ? "ledger" : "claimed"
  }
}

/** When it passes, `actual` is the signature in its one form, by which a second use of it is found. */
export const actSignature = (evidence: Evidence): Check => {
  const name = "act-signature"
  const { input, recordAuthor, treeAuthor } = evidence
  const signature = textMember(input.record, "actSignature")
  if (signature === undefined) return stopped(name, "act_signature_not_given")
  if (input.ledger === undefined) return stopped(name, "act_place_unknown", { actual: shown(signature) })
  const signer = signerOf(evidence)
  // Of a tree that is not the one named, nobody signed who its author is.
  const isOtherTree = evidence.tree !== undefined && evidence.tree.sha256 !== evidence.checksum
  if (signer === undefined || isOtherTree) return stopped(name, "signer_unknown", { actual: shown(signature) })
  const author = treeAuthor ?? recordAuthor ?? signer
  if (treeAuthor === undefined && author !== signer) {
    return stopped(name, "author_only_in_record", { expected: shown(author), actual: shown(signature) })
  }
  const signed = signedText(evidence, author)
  if (signed === undefined) {
    return stopped(name, "act_signature_differs", {
      expected: shown(author),
      actual: "a record without all that an act says"
    })
  }
  const recovery = (input.recover ?? recoverSigner)(signed, signature)
  if (!recovery.ok) {
    const isOfContract = recovery.code === "contract_wallet_signature"
    return stopped(name, isOfContract ? recovery.code : "act_signature_malformed", {
      expected: recovery.message,
      actual: shown(signature)
    })
  }
  return recovery.signer === author
    ? passed(name, { expected: author, actual: canonicalSignature(signature) })
    : stopped(name, "act_signature_differs", { expected: author, actual: recovery.signer })
}

/** What the author of this act has signed: 64 hex digits; undefined where the record lacks a part of it, or the author is no address. */
export const signedText = ({ checksum, input }: Evidence, author: string): string | undefined => {
  const { ledger, record } = input
  const [abstract, action] = [textMember(record, "abstract"), textMember(record, "action")]
  const timestampCreated = record?.timestampCreated
  if (ledger === undefined || checksum === undefined || abstract === undefined || action === undefined) return undefined
  if (typeof timestampCreated !== "number" || !Number.isSafeInteger(timestampCreated)) return undefined
  if (!isAddressText(author) || !abstract.isWellFormed() || !action.isWellFormed()) return undefined
  const { chainId: chainID, contract } = ledger
  return actChecksum({ abstract, action, assetTreeSha256: checksum, author, chainID, contract, timestampCreated })
}

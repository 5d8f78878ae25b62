/** The act's signature by hand: the text that was signed is put together by jq and hashed, and cast says whether the author signed it. */
import { canonicalSignature, recoverSigner } from "../../asset-tree/Signature.ts"
import { isAddressText, toEip55 } from "../../identity/Eip55.ts"
import { textMember } from "../../json/JsonValue.ts"
import { signedText } from "../ActFinding.ts"
import { type Evidence, signerOf } from "../Evidence.ts"
import type { ExplainedCommand, FileNames } from "./Explanation.ts"
import { command, fromFile, hexWord } from "./Shell.ts"

export const actCommands = (evidence: Evidence, names: FileNames): ReadonlyArray<ExplainedCommand> => {
  const { input, recordAuthor, treeAuthor } = evidence
  const author = treeAuthor ?? recordAuthor ?? signerOf(evidence)
  const text = author === undefined ? undefined : signedText(evidence, author)
  if (author === undefined || text === undefined || input.ledger === undefined || names.tree !== undefined) return []
  const words = { author: toEip55(author), contract: toEip55(input.ledger.contract), checksum: evidence.checksum }
  const tree = hexWord(words.checksum, 32, "")
  // jq writes the character DEL in its own way.
  if (tree === undefined || textMember(input.record, "abstract")?.includes("\x7f") === true) return []
  const members = `abstract, action, assetTreeSha256: "${tree}", author: "${words.author}", chainID: ${input.ledger.chainId}, contract: "${words.contract}", timestampCreated`
  const whole = `jq -Scj '.commit.record | {${members}}' ${fromFile(names.proof, "proof.json")}`
  return [
    command("sha256sum", [whole, "sha256sum", "cut -c1-64"], text, { note: "the text that the author signs" }),
    ...signedBy(text, words.author, evidence)
  ]
}

const signedBy = (text: string, author: string, { input }: Evidence): ReadonlyArray<ExplainedCommand> => {
  const given = textMember(input.record, "actSignature")
  if (given === undefined || !isAddressText(author) || !/^0x(?:[0-9a-fA-F]{128}|[0-9a-fA-F]{130})$/.test(given))
    return []
  const line = `cast wallet verify --address ${author} ${text} ${canonicalSignature(given)}`
  const recovery = recoverSigner(text, given)
  return recovery.ok && recovery.signer === author
    ? [command("cast", [line], `Validation succeeded. Address ${author} signed this message.`)]
    : [command("cast", [line], undefined, { note: "it fails: the author did not sign this act" })]
}

/** Near misses of an act: signed by its author for another place, signed by somebody else, or not signed and recorded by a stranger. */
import { type Recovery, recoverSigner } from "../../asset-tree/Signature.ts"
import { isAddressText, toEip55 } from "../../identity/Eip55.ts"
import { textMember } from "../../json/JsonValue.ts"
import { KNOWN_CONTRACTS } from "../../proof/KnownContracts.ts"
import { signedText } from "../ActFinding.ts"
import { roleLines } from "../AuthorsFile.ts"
import { type Evidence, signerOf } from "../Evidence.ts"
import type { Check } from "../Report.ts"
import type { NearMiss } from "./Explanation.ts"
import { knownPeople } from "./KnownPeople.ts"

/** For the check act-signature. */
export const actMiss = (evidence: Evidence, check: Check): NearMiss | undefined => {
  switch (check.code) {
    case "act_signature_not_given":
      return strangersAct(evidence)
    case "act_signature_differs":
      return otherPlace(evidence) ?? otherKey(evidence, check)
    default:
      return undefined
  }
}

const authorOf = (evidence: Evidence): string | undefined => {
  const author = evidence.treeAuthor ?? evidence.recordAuthor ?? signerOf(evidence)
  return author !== undefined && isAddressText(author) ? toEip55(author) : undefined
}

/** Only where the reader says whose word they take: the service's own wallet is the recorder of most commits. */
const strangersAct = (evidence: Evidence): NearMiss | undefined => {
  const { authors, ledger } = evidence.input
  const author = authorOf(evidence)
  if (authors === undefined || ledger === undefined || author === undefined) return undefined
  const recorder = toEip55(ledger.recorder)
  if (author === recorder || roleLines(authors, recorder, "recorder").length > 0) return undefined
  return {
    kind: "act_of_stranger",
    advice: `The author signed what the asset is, not what was done with it here: anybody can record a signed tree again, with any message. The action and the message are the word of ${recorder}, who is no recorder in your authors file. It would be the author's word with an actSignature in the record; if you trust this wallet, give it a line with recorder.`
  }
}

const otherPlace = (evidence: Evidence): NearMiss | undefined => {
  const { contracts = [], ledger, record } = evidence.input
  const author = authorOf(evidence)
  const signature = textMember(record, "actSignature")
  if (ledger === undefined || author === undefined || signature === undefined) return undefined
  for (const { chainId, contract } of [...KNOWN_CONTRACTS, ...contracts]) {
    const elsewhere = { ...evidence, input: { ...evidence.input, ledger: { ...ledger, chainId, contract } } }
    const text: string | undefined = isAddressText(contract) ? signedText(elsewhere, author) : undefined
    const found: Recovery | undefined = text === undefined ? undefined : recoverSigner(text, signature)
    if (found?.ok !== true || found.signer !== author) continue
    return {
      kind: "act_of_other_place",
      advice: `The author signed this act, but for chain ${chainId} and the contract ${toEip55(contract)}; here it stands on chain ${ledger.chainId}, in ${toEip55(ledger.contract)}. Somebody copied it: the author did it there and not here. It would pass as a commit of that chain.`
    }
  }
  return undefined
}

const otherKey = (evidence: Evidence, { actual }: Check): NearMiss | undefined => {
  const who = actual === null ? undefined : knownPeople(evidence)(actual)
  return who === undefined
    ? undefined
    : {
        kind: "act_by_other_key",
        advice: `The act was signed by ${actual}, ${who}, and not by the author. Only the author's signature makes it the author's act; without the member actSignature it would read as what it is: the word of the wallet that recorded it.`
      }
}

/** The ledger's side: the record is the text that was committed, and its committer is who sent the transaction. */
import { parseCid } from "../asset-tree/Cid.ts"
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { differingMember } from "../json/ExactJson.ts"
import { textMember } from "../json/JsonValue.ts"
import { isTextOf } from "../json/PlainJson.ts"
import { readJsonObjectText } from "../json/ReadJson.ts"
import { PROOF_MARKS } from "../proof/Proof.ts"
import { type Evidence, person } from "./Evidence.ts"
import { type Check, passed, stopped } from "./Report.ts"

export const commitData = ({ input }: Evidence): Check => {
  const name = "commit-data"
  const { record, recordText, commitData: text } = input
  if (text === undefined || record === undefined) return stopped(name, "commit_data_not_given")
  if (recordText === undefined ? isTextOf(record, text) : recordText === text) return passed(name)
  const onLedger = readJsonObjectText(text, PROOF_MARKS)
  if (!onLedger.ok)
    return stopped(name, "commit_data_not_json", { expected: "one JSON object", actual: onLedger.message })
  const differing = differingMember(text, recordText ?? JSON.parse(JSON.stringify(record, finite)))
  return differing === undefined
    ? passed(name)
    : stopped(name, "commit_data_differs", { expected: differing.left, actual: differing.right })
}

/** JSON.stringify writes infinity, which 1e400 becomes, as null. */
const finite = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value

/** `contract` and `onLedger`: what ledger-contract and ledger-inclusion say. The recorder of an unknown contract's event is anybody's invention. */
export const committerIsRecorder = ({ input }: Evidence, contract: Check, onLedger: Check): Check => {
  const name = "committer-is-recorder"
  if (input.ledger === undefined) return stopped(name, "recorder_not_given")
  const committer = person(textMember(input.record, "committer"))
  const compared = { expected: committer, actual: toEip55(input.ledger.recorder) }
  const isAddress = committer !== undefined && !isIdentity(committer)
  if (isAddress && compared.actual !== committer) return stopped(name, "committer_differs", compared)
  if (onLedger.outcome === "pass" && contract.outcome !== "pass") return stopped(name, "recorder_not_shown", compared)
  return isAddress ? passed(name, compared) : stopped(name, "committer_not_address", compared)
}

/** An address is never a CID; asking the parser costs an exception. */
const isIdentity = (committer: string): boolean => !isAddressText(committer) && parseCid(committer) !== undefined

/** The ledger's side: the record is the text that was committed, and its committer is who sent the transaction. */
import { parseCid } from "../asset-tree/Cid.ts"
import type { JsonValue } from "../asset-tree/DagJson.ts"
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { textMember } from "../proof/Proof.ts"
import { isTextOf, readJsonObjectText } from "../proof/ReadJson.ts"
import { type Evidence, person } from "./Evidence.ts"
import { type Check, passed, stopped } from "./Report.ts"

export const commitData = ({ input }: Evidence): Check => {
  const name = "commit-data"
  if (input.commitData === undefined || input.record === undefined) return stopped(name, "commit_data_not_given")
  if (isTextOf(input.record, input.commitData)) return passed(name)
  const onLedger = readJsonObjectText(input.commitData)
  if (!onLedger.ok)
    return stopped(name, "commit_data_not_json", { expected: "one JSON object", actual: onLedger.message })
  const differing = differingMember(onLedger.value, input.record)
  return differing === undefined ? passed(name) : stopped(name, "commit_data_differs", differing)
}

const differingMember = (
  onLedger: { readonly [member: string]: JsonValue },
  record: { readonly [member: string]: JsonValue }
) => {
  for (const key of new Set([...Object.keys(onLedger), ...Object.keys(record)])) {
    if (isSame(onLedger, record, key)) continue
    const expected = memberText(onLedger, key)
    const actual = memberText(record, key)
    if (expected !== actual) return { expected, actual }
  }
  return undefined
}

/** Most members are text or numbers, which compare without being written out. */
const isSame = (
  left: { readonly [member: string]: JsonValue },
  right: { readonly [member: string]: JsonValue },
  key: string
): boolean => Object.hasOwn(left, key) && Object.hasOwn(right, key) && left[key] === right[key]

const memberText = (object: { readonly [member: string]: JsonValue }, key: string): string =>
  Object.hasOwn(object, key) ? `${key}: ${comparable(object[key]!)}` : `no ${key}`

/** JSON text that is the same for equal values, in whatever order their keys stand. */
const comparable = (value: JsonValue): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1))
      : part
  )

export const committerIsRecorder = ({ input }: Evidence): Check => {
  const name = "committer-is-recorder"
  if (input.ledger === undefined) return stopped(name, "recorder_not_given")
  const committer = person(textMember(input.record, "committer"))
  const compared = { expected: committer, actual: toEip55(input.ledger.recorder) }
  if (committer === undefined || isIdentity(committer)) return stopped(name, "committer_not_address", compared)
  return compared.actual === committer ? passed(name, compared) : stopped(name, "committer_differs", compared)
}

/** An address is never a CID; asking the parser costs an exception. */
const isIdentity = (committer: string): boolean => !isAddressText(committer) && parseCid(committer) !== undefined

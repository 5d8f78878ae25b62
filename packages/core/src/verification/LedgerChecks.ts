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
    if (!isSame(memberIn(onLedger, key), memberIn(record, key))) {
      return { expected: memberText(onLedger, key), actual: memberText(record, key) }
    }
  }
  return undefined
}

const memberIn = (object: { readonly [member: string]: JsonValue }, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** Whether two JSON values are equal, in whatever order their keys stand. Texts would not do: 1e400 is written as null. */
const isSame = (left: JsonValue | undefined, right: JsonValue | undefined): boolean => {
  if (left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const members = Object.entries(left)
  return (
    members.length === Object.keys(right).length &&
    members.every(([key, value]) => isSame(value, memberIn(right as { readonly [member: string]: JsonValue }, key)))
  )
}

const memberText = (object: { readonly [member: string]: JsonValue }, key: string): string => {
  const value = memberIn(object, key)
  return value === undefined ? `no ${key}` : `${key}: ${JSON.stringify(value, finite)}`
}

const finite = (_: string, value: unknown): unknown =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value

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

/**
 * Reads a statement file of somebody else: strict JSON, every member what it must be, and no other: the signature covers the members named here
 * and no more, so one more could say what nobody signed. What the statement says is checked elsewhere.
 */

import { isJsonObject, type JsonObject } from "../json/JsonValue.ts"
import { readJsonObject } from "../json/ReadJson.ts"
import { shown } from "../json/Shown.ts"
import { addressIn, countIn, memberOf, type Need, objectIn, textIn } from "../proof/Members.ts"
import type { ProofProblem } from "../proof/ParseProof.ts"
import { COMPACT_LIMIT } from "./Receipt.ts"
import {
  MOVEMENT_KINDS,
  type Movement,
  STATEMENT_LIMIT,
  STATEMENT_MEDIA_TYPE,
  type Statement,
  type StatementBalance
} from "./Statement.ts"
import { unitsIn } from "./Units.ts"

export type StatementRefusalCode =
  | "statement_too_large"
  | "statement_not_json"
  | "statement_media_type"
  | "statement_members"

export type StatementReading =
  | { readonly ok: true; readonly statement: Statement }
  | {
      readonly ok: false
      readonly code: StatementRefusalCode
      readonly message: string
      readonly problems: ReadonlyArray<ProofProblem>
    }

/** The statement in `bytes` (UTF-8 JSON without duplicate keys), or why it is none. */
export const parseStatement = (bytes: Uint8Array): StatementReading => {
  if (bytes.length > STATEMENT_LIMIT) {
    return refuse(
      "statement_too_large",
      "A statement has at most 64 MiB; this file is larger. Ask for a shorter period."
    )
  }
  const json = readJsonObject(bytes, MOST_MARKS)
  if (!json.ok) return refuse("statement_not_json", `This is not a statement: ${json.message}`)
  if (textIn(json.value, "mediaType") !== STATEMENT_MEDIA_TYPE) {
    return refuse(
      "statement_media_type",
      `This JSON file is not a statement of version 1: one has the member "mediaType" with the value "${STATEMENT_MEDIA_TYPE}".`
    )
  }
  return readMembers(json.value)
}

const refuse = (
  code: StatementRefusalCode,
  message: string,
  problems: ReadonlyArray<ProofProblem> = []
): StatementReading => ({ ok: false, code, message, problems })

/** Brackets, commas and colons: a movement has about seventeen in 250 bytes or more. */
const MOST_MARKS = 5_000_000

/** So many problems are told; a file with more is another kind of file. */
const MOST_PROBLEMS = 10

const STATEMENT: ReadonlyArray<keyof Statement> = [
  "mediaType",
  "account",
  "service",
  "from",
  "to",
  "issuedAt",
  "opening",
  "movements",
  "closing",
  "signature"
]
const MOVEMENT: ReadonlyArray<keyof Movement> = [
  "at",
  "kind",
  "posting",
  "reference",
  "credits",
  "owed",
  "receipt",
  "txHash"
]

const UNKNOWN =
  "must not be there: no signature of a statement of version 1 covers it, so anybody could have put it in. Ask the service for the file as it signed it"

/** A member's name in a JSON pointer (RFC 6901). */
const pointerOf = (name: string): string => shown(name).replaceAll("~", "~0").replaceAll("/", "~1")

const readMembers = (file: JsonObject): StatementReading => {
  const problems: Array<ProofProblem> = []
  const need: Need = (path, value, wanted) => {
    if (value === undefined && problems.length < MOST_PROBLEMS) problems.push({ path, message: `must be ${wanted}` })
    return value
  }
  const only = (owner: JsonObject, path: string, names: ReadonlyArray<string>) => {
    const other = Object.keys(owner).find((name) => !names.includes(name))
    if (other === undefined || problems.length === MOST_PROBLEMS) return
    problems.push({ path: `${path}/${pointerOf(other)}`, message: UNKNOWN })
  }
  const text = (owner: JsonObject, name: string, path: string) =>
    need(path, textIn(owner, name, COMPACT_LIMIT), "text of at most 16,384 characters") ?? ""
  const time = (owner: JsonObject, name: string, path: string) =>
    need(path, timeIn(owner, name), "a time such as 2026-11-21T10:00:00.000Z") ?? ""
  const units = (owner: JsonObject, name: string, path: string) =>
    need(path, unitsIn(owner, name) === undefined ? undefined : textIn(owner, name), "an exact decimal number") ?? ""
  const part = (owner: JsonObject, name: string, path: string) => need(path, objectIn(owner, name), "an object") ?? {}

  const balance = (name: "opening" | "closing"): StatementBalance => {
    const found = part(file, name, `/${name}`)
    only(found, `/${name}`, ["credits", "owed", "receipt"])
    const receipt = memberOf(found, "receipt")
    return {
      credits: units(found, "credits", `/${name}/credits`),
      owed: units(found, "owed", `/${name}/owed`),
      receipt:
        receipt === null
          ? null
          : link(need(`/${name}/receipt`, objectIn(found, "receipt"), "an object or null") ?? {}, name)
    }
  }
  const link = (found: JsonObject, name: string) => {
    only(found, `/${name}/receipt`, ["sequence", "hash"])
    return {
      sequence: need(`/${name}/receipt/sequence`, countIn(found, "sequence"), "a whole number") ?? 0,
      hash: need(`/${name}/receipt/hash`, hexIn(found, "hash"), "64 lower-case hex digits") ?? ""
    }
  }
  const movement = (found: unknown, path: string): Movement => {
    const one = need(path, isJsonObject(found) ? found : undefined, "an object") ?? {}
    only(one, path, MOVEMENT)
    const kind = MOVEMENT_KINDS.find((known) => known === textIn(one, "kind"))
    return {
      at: time(one, "at", `${path}/at`),
      kind: need(`${path}/kind`, kind, "grant, charge or settlement") ?? "grant",
      posting: text(one, "posting", `${path}/posting`),
      reference: text(one, "reference", `${path}/reference`),
      credits: units(one, "credits", `${path}/credits`),
      owed: units(one, "owed", `${path}/owed`),
      receipt: memberOf(one, "receipt") === null ? null : text(one, "receipt", `${path}/receipt`),
      txHash: memberOf(one, "txHash") === null ? null : text(one, "txHash", `${path}/txHash`)
    }
  }
  only(file, "", STATEMENT)
  const account = part(file, "account", "/account")
  only(account, "/account", ["id", "name", "wallet"])
  const list = need("/movements", Array.isArray(file.movements) ? file.movements : undefined, "a list") ?? []
  const statement: Statement = {
    mediaType: STATEMENT_MEDIA_TYPE,
    account: {
      id: text(account, "id", "/account/id"),
      name: text(account, "name", "/account/name"),
      wallet: text(account, "wallet", "/account/wallet")
    },
    service: need("/service", addressIn(file, "service"), "an address: 0x and 40 hex digits") ?? "",
    from: time(file, "from", "/from"),
    to: time(file, "to", "/to"),
    issuedAt: time(file, "issuedAt", "/issuedAt"),
    opening: balance("opening"),
    movements: list.map((found, index) => movement(found, `/movements/${index}`)),
    closing: balance("closing"),
    signature: text(file, "signature", "/signature")
  }
  if (problems.length === 0) return { ok: true, statement }
  const places = problems.map(({ path, message }) => `${path} ${message}`).join("; ")
  return refuse("statement_members", `This statement is damaged: ${places}.`, problems)
}

/** UTC to the millisecond, in one spelling, so that times compare as text. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const timeIn = (owner: JsonObject, name: string): string | undefined => {
  const text = textIn(owner, name)
  return text !== undefined && TIME.test(text) ? text : undefined
}

const hexIn = (owner: JsonObject, name: string): string | undefined => {
  const text = textIn(owner, name)
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? text : undefined
}

/** Members of a JSON object that somebody else wrote, read as what they must be. Only own members count, never the prototype's. */
import { isAddressText } from "../identity/Eip55.ts"
import { isJsonObject, type JsonObject } from "../json/JsonValue.ts"

/** Answers `value`; when it is undefined, notes that the member at `path` (JSON pointer) must be what is `wanted`. */
export type Need = <A>(path: string, value: A | undefined, wanted: string) => A | undefined

export const memberOf = (owner: JsonObject, name: string): unknown =>
  Object.hasOwn(owner, name) ? owner[name] : undefined

export const objectIn = (owner: JsonObject, name: string): JsonObject | undefined => {
  const value = memberOf(owner, name)
  return isJsonObject(value) ? value : undefined
}

/** A text of at most `longest` UTF-16 units. */
export const textIn = (owner: JsonObject, name: string, longest = Number.POSITIVE_INFINITY): string | undefined => {
  const value = memberOf(owner, name)
  return typeof value === "string" && value.length <= longest ? value : undefined
}

/** A whole number from 0 to 2^53 - 1. */
export const countIn = (owner: JsonObject, name: string): number | undefined => {
  const value = memberOf(owner, name)
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** `0x` and 64 hex digits. */
export const hashIn = (owner: JsonObject, name: string): string | undefined => {
  const text = textIn(owner, name)
  return text !== undefined && /^0x[0-9a-fA-F]{64}$/.test(text) ? text : undefined
}

export const addressIn = (owner: JsonObject, name: string): string | undefined => {
  const text = textIn(owner, name)
  return text !== undefined && isAddressText(text) ? text : undefined
}

/** The bytes of `0x` and two hex digits a byte; undefined for anything else, and for more than `limit` bytes. */
export const hexBytes = (value: unknown, limit: number): Uint8Array | undefined => {
  if (typeof value !== "string" || value.length % 2 !== 0 || value.length > 2 + 2 * limit) return undefined
  if (!value.startsWith("0x")) return undefined
  const bytes = new Uint8Array((value.length - 2) / 2)
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [digitAt(value, 2 + 2 * at), digitAt(value, 3 + 2 * at)]
    if ((high | low) > 15) return undefined
    bytes[at] = (high << 4) | low
  }
  return bytes
}

const NONE = 0xff
const HEX_VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase())
  return value === -1 ? NONE : value
})

const digitAt = (text: string, at: number): number => HEX_VALUES[text.charCodeAt(at)] ?? NONE

/**
 * JSON (RFC 8259) read strictly: what JSON.parse lets pass in silence is refused here with its place. Refused besides bad
 * syntax: bytes that are not UTF-8, a byte order mark, a key twice in one object (compared after unescaping), half a
 * surrogate pair, nesting over a limit. Linear, and with a stack of its own: deep input cannot overflow the call stack.
 *
 * Numbers are read as JSON.parse reads them (1e400 is Infinity). Rounding never brings an integer from outside ±(2^53−1)
 * inside, so the commit rules still see from the value which numbers lost digits, and name the field.
 */
import { Result, Schema } from "effect"
import type { JsonValue } from "../asset-tree/DagJson.ts"
import { Refusal, readJsonNumber, readJsonString } from "./JsonTokens.ts"

/** Why a text is not strict JSON, and where. `code` is the one of the HTTP answer. */
export class MalformedJson extends Schema.TaggedError<MalformedJson>()("MalformedJson", {
  problem: Schema.String,
  place: Schema.String
}) {
  readonly code = "malformed_json"
  override get message() {
    return `${this.problem} (${this.place}).`
  }
}

/** How deep arrays and objects may nest: `[]` is one level, `[[]]` are two. */
export interface JsonLimits {
  readonly maxDepth: number
}

/** The limit for request bodies. */
const BODY_LIMITS: JsonLimits = { maxDepth: 64 }

/** The value in `bytes` (JSON in UTF-8), or why they are refused. A key `__proto__` becomes a property like any other. */
export const parseStrictJson = (
  bytes: Uint8Array,
  limits: JsonLimits = BODY_LIMITS
): Result.Result<JsonValue, MalformedJson> => {
  const text = decodeUtf8(bytes, { isWhole: true })
  return text === undefined
    ? Result.fail(
        new MalformedJson({ problem: "The JSON is not UTF-8", place: `near byte ${firstBadByte(bytes) + 1}` })
      )
    : parseStrictJsonText(text, limits)
}

/** The value in `text`, with the same refusals as {@link parseStrictJson}. */
export const parseStrictJsonText = (
  text: string,
  limits: JsonLimits = BODY_LIMITS
): Result.Result<JsonValue, MalformedJson> => {
  try {
    return Result.succeed(new Reader(text, limits).document())
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    return Result.fail(new MalformedJson({ problem: refusal.message, place: placeOf(text, refusal.at) }))
  }
}

type Container = Array<JsonValue> | { [key: string]: JsonValue }

/** A container whose end was not read yet, and the key its next value belongs to. */
interface Open {
  readonly container: Container
  key: string
}

class Reader {
  private readonly text: string
  private readonly limits: JsonLimits
  private readonly open: Array<Open> = []
  private at = 0

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.limits = limits
  }

  document(): JsonValue {
    if (this.text.startsWith("\ufeff")) throw new Refusal("A byte order mark stands before the JSON: leave it out", 0)
    let value = this.value()
    for (let top = this.open.at(-1); top !== undefined; top = this.open.at(-1)) {
      if (value !== undefined) put(top, value)
      value = this.next(top, value === undefined)
    }
    this.skipSpace()
    if (this.at < this.text.length) throw new Refusal("Something follows the end of the JSON", this.at)
    return value!
  }

  /** Reads a scalar; or opens a container, and answers `undefined`. */
  private value(): JsonValue | undefined {
    this.skipSpace()
    const first = this.text.charAt(this.at)
    if (first === "{" || first === "[") return this.enter(first === "{" ? {} : [])
    if (first === '"') return this.string()
    const word = WORDS.find(([name]) => this.text.startsWith(name, this.at))
    const token =
      word === undefined ? readJsonNumber(this.text, this.at) : { value: word[1], end: this.at + word[0].length }
    this.at = token.end
    return token.value
  }

  private enter(container: Container): undefined {
    if (this.open.length >= this.limits.maxDepth) {
      throw new Refusal(`Arrays and objects nest deeper than ${this.limits.maxDepth} levels`, this.at)
    }
    this.at++
    this.open.push({ container, key: "" })
  }

  /** Reads the next value of `top` (`undefined`: it opened a container), or closes `top` and answers it. */
  private next(top: Open, isFirst: boolean): JsonValue | undefined {
    const end = Array.isArray(top.container) ? "]" : "}"
    this.skipSpace()
    const found = this.text.charAt(this.at)
    if (found === end) {
      this.at++
      this.open.pop()
      return top.container
    }
    if (!isFirst) this.expect(",", `A comma or ${end} is missing`)
    if (end === "}") top.key = this.newKey(top.container)
    return this.value()
  }

  private newKey(container: Container): string {
    this.skipSpace()
    const at = this.at
    if (this.text.charAt(at) !== '"') throw new Refusal("A key in double quotes is missing", at)
    const key = this.string()
    if (Object.hasOwn(container, key)) throw new Refusal(`The key ${quoted(key)} occurs twice in one object`, at)
    this.skipSpace()
    this.expect(":", "A colon is missing after the key")
    return key
  }

  private expect(mark: string, complaint: string): void {
    if (this.text.charAt(this.at) !== mark) {
      throw new Refusal(this.at < this.text.length ? complaint : "The JSON ends too early", this.at)
    }
    this.at++
  }

  private string(): string {
    const token = readJsonString(this.text, this.at)
    this.at = token.end
    return token.value
  }

  private skipSpace(): void {
    while (SPACE.includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++
  }
}

const SPACE = " \t\n\r"

const WORDS = [
  ["true", true],
  ["false", false],
  ["null", null]
] as const

const put = ({ container, key }: Open, value: JsonValue): void => {
  if (Array.isArray(container)) container.push(value)
  else if (key !== "__proto__") container[key] = value
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}

const quoted = (key: string): string => JSON.stringify(key.length > 60 ? `${key.slice(0, 60).toWellFormed()}…` : key)

const placeOf = (text: string, at: number): string => {
  const before = text.slice(0, at).split("\n")
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}

const decodeUtf8 = (bytes: Uint8Array, { isWhole }: { readonly isWhole: boolean }): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return undefined
  }
}

/** Where UTF-8 ends to make sense: the offset of a byte that cannot follow those before it, or the length when the end is missing. */
const firstBadByte = (bytes: Uint8Array): number => {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (decodeUtf8(bytes.subarray(0, middle), { isWhole: false }) === undefined) bad = middle
    else good = middle
  }
  return good
}

/**
 * JSON (RFC 8259) read strictly, once for all of core: what JSON.parse lets pass in silence is refused here with its place. Refused besides
 * bad syntax: a byte order mark, a key twice in one object (compared after unescaping, for readers differ in which one they keep), half a
 * surrogate pair, nesting over a limit, more values than the caller allows. Linear, and with a stack of its own: deep input cannot
 * overflow the call stack.
 *
 * Numbers are read as JSON.parse reads them (1e400 is Infinity), unless the caller reads them itself. Rounding never brings an integer from
 * outside ±(2^53−1) inside, so the commit rules still see from the value which numbers lost digits, and name the field.
 */
import { type JsonFault, Refusal, readJsonNumber, readJsonString } from "./JsonTokens.ts"

/** A JSON value whose numbers are `N`. */
export type JsonOf<N> = null | boolean | N | string | ReadonlyArray<JsonOf<N>> | { readonly [key: string]: JsonOf<N> }

/** How deep arrays and objects may nest: `[]` is one level, `[[]]` are two. */
export interface JsonLimits {
  readonly maxDepth: number
  /** Brackets, commas and colons, outside of strings. Each may cost some hundred bytes of memory, a byte in a string at most four. */
  readonly mostMarks?: number
}

/** Why a text is refused: `message` for people, `at` a UTF-16 offset, `key` the one that occurs twice. */
export interface JsonRefusal {
  readonly ok: false
  readonly fault: JsonFault
  readonly message: string
  readonly at: number
  readonly key: string | undefined
}

export type JsonResult<N = number> = { readonly ok: true; readonly value: JsonOf<N> } | JsonRefusal

/** The value in `text`, or why it is refused. A key `__proto__` becomes a property like any other. */
export const readStrictJson = (text: string, limits: JsonLimits): JsonResult => answer(new Reader(text, limits, Number))

/** As {@link readStrictJson}, with numbers as `number` makes them of what is written, and no bounds: for texts that were read before. */
export const readNumbersAs = <N>(text: string, number: (written: string) => N): JsonResult<N> =>
  answer(new Reader(text, UNBOUNDED, number))

/** The text of the object under the member names of `path`, from the outermost inwards; `undefined` where there is none. */
export const textOfObject = (text: string, path: ReadonlyArray<string>): string | undefined => {
  const reader = new Reader(text, UNBOUNDED, Number, path)
  return answer(reader).ok ? reader.found : undefined
}

const UNBOUNDED: JsonLimits = { maxDepth: Number.POSITIVE_INFINITY }

const answer = <N>(reader: Reader<N>): JsonResult<N> => {
  try {
    return { ok: true, value: reader.document() }
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    const { at, fault, key, message } = refusal
    return { ok: false, fault, message, at, key }
  }
}

/** Where `at` is, for people. */
export const placeIn = (text: string, at: number): string => {
  const before = text.slice(0, at).split("\n")
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}

type Container<N> = Array<JsonOf<N>> | { [key: string]: JsonOf<N> }

/** A container whose end was not read yet, and the key its next value belongs to. */
interface Open<N> {
  readonly container: Container<N>
  readonly start: number
  key: string
}

class Reader<N> {
  /** The text of the object at the path looked for. */
  found: string | undefined
  private readonly text: string
  private readonly maxDepth: number
  private readonly mostMarks: number
  private readonly number: (written: string) => N
  private readonly path: ReadonlyArray<string> | undefined
  private readonly open: Array<Open<N>> = []
  private marks = 0
  private at = 0

  constructor(text: string, limits: JsonLimits, number: (written: string) => N, path?: ReadonlyArray<string>) {
    this.text = text
    this.maxDepth = limits.maxDepth
    this.mostMarks = limits.mostMarks ?? Number.POSITIVE_INFINITY
    this.number = number
    this.path = path
  }

  document(): JsonOf<N> {
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
  private value(): JsonOf<N> | undefined {
    this.skipSpace()
    switch (this.text.charCodeAt(this.at)) {
      case OPEN_OBJECT:
        return this.enter({})
      case OPEN_LIST:
        return this.enter([])
      case QUOTE:
        return this.string()
      case SMALL_T:
        return this.word("true", true)
      case SMALL_F:
        return this.word("false", false)
      case SMALL_N:
        return this.word("null", null)
    }
    const written = readJsonNumber(this.text, this.at)
    this.at += written.length
    return this.number(written)
  }

  private word<A>(name: string, value: A): A {
    if (!this.text.startsWith(name, this.at)) throw new Refusal("Here is no JSON value", this.at)
    this.at += name.length
    return value
  }

  private enter(container: Container<N>): undefined {
    if (this.open.length >= this.maxDepth) {
      throw new Refusal(`Arrays and objects nest deeper than ${this.maxDepth} levels`, this.at, "too_deep")
    }
    this.open.push({ container, start: this.at, key: "" })
    this.mark()
  }

  /** Reads the next value of `top` (`undefined`: it opened a container), or closes `top` and answers it. */
  private next(top: Open<N>, isFirst: boolean): JsonOf<N> | undefined {
    const isList = Array.isArray(top.container)
    const end = isList ? CLOSE_LIST : CLOSE_OBJECT
    this.skipSpace()
    if (this.text.charCodeAt(this.at) === end) {
      this.at++
      this.open.pop()
      if (this.path !== undefined && !isList && this.isAt(this.path)) this.found = this.text.slice(top.start, this.at)
      return top.container
    }
    if (!isFirst) this.expect(COMMA, isList ? "A comma or ] is missing" : "A comma or } is missing")
    if (!isList) top.key = this.newKey(top.container)
    return this.value()
  }

  private isAt(path: ReadonlyArray<string>): boolean {
    const { open } = this
    return (
      open.length === path.length &&
      open.every(({ container, key }, at) => !Array.isArray(container) && key === path[at])
    )
  }

  private newKey(container: Container<N>): string {
    this.skipSpace()
    const at = this.at
    if (this.text.charCodeAt(at) !== QUOTE) throw new Refusal("A key in double quotes is missing", at)
    const key = this.string()
    if (Object.hasOwn(container, key)) {
      throw new Refusal(`The key ${quoted(key)} occurs twice in one object`, at, "duplicate_key", key)
    }
    this.skipSpace()
    this.expect(COLON, "A colon is missing after the key")
    return key
  }

  private expect(mark: number, complaint: string): void {
    if (this.text.charCodeAt(this.at) !== mark) {
      throw new Refusal(this.at < this.text.length ? complaint : "The JSON ends too early", this.at)
    }
    this.mark()
  }

  private mark(): void {
    if (++this.marks > this.mostMarks) {
      throw new Refusal(`There are more than ${this.mostMarks} commas, colons and brackets`, this.at, "too_many")
    }
    this.at++
  }

  private string(): string {
    const token = readJsonString(this.text, this.at)
    this.at = token.end
    return token.value
  }

  private skipSpace(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at)
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return
      this.at++
    }
  }
}

const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const QUOTE = 0x22
const SMALL_T = 0x74
const SMALL_F = 0x66
const SMALL_N = 0x6e

const put = <N>({ container, key }: Open<N>, value: JsonOf<N>): void => {
  if (Array.isArray(container)) container.push(value)
  else if (key !== "__proto__") container[key] = value
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}

const quoted = (key: string): string => JSON.stringify(key.length > 60 ? `${key.slice(0, 60).toWellFormed()}…` : key)

/**
 * One pass over a JSON text, token by token, in time that grows with its length and memory that grows with its depth alone. Nothing is
 * checked here, for JSON.parse does that; in a text that is not JSON the tokens mean nothing, but the walk ends.
 */

/** `name`: the key of a member. `text`: any other string. `mark`: a comma or a colon. */
export type JsonToken = "object" | "list" | "close" | "name" | "text" | "mark" | "number"

/** Called with each token and where it lies (strings with their quotes); an answer ends the walk. */
export type JsonVisitor<A> = (token: JsonToken, start: number, end: number) => A | undefined

/** The first answer of `visit`. It must bound the depth. */
export const walkJson = <A>(text: string, visit: JsonVisitor<A>): A | undefined => {
  /** Whether what is open is an object. */
  const open: Array<boolean> = []
  let nameIsNext = false
  for (let at = 0; at < text.length; ) {
    const start = at++
    let token: JsonToken | undefined
    switch (text.charCodeAt(start)) {
      case OPEN_OBJECT:
      case OPEN_LIST:
        nameIsNext = text.charCodeAt(start) === OPEN_OBJECT
        open.push(nameIsNext)
        token = nameIsNext ? "object" : "list"
        break
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        open.pop()
        nameIsNext = false
        token = "close"
        break
      case COMMA:
        nameIsNext = open.at(-1) === true
        token = "mark"
        break
      case COLON:
        token = "mark"
        break
      case QUOTE:
        at = endOfString(text, start)
        token = nameIsNext ? "name" : "text"
        nameIsNext = false
        break
      default:
        if (!startsNumber(text.charCodeAt(start))) continue
        at = endOfNumber(text, at)
        token = "number"
    }
    const answer = visit(token, start, at)
    if (answer !== undefined) return answer
  }
  return undefined
}

/** The text of the object under the member names of `path`, from the outermost inwards, in the text of one object; `undefined` where there is none. */
export const textOfObject = (text: string, path: ReadonlyArray<string>): string | undefined => {
  const names: Array<string | undefined> = []
  let found: number | undefined
  return walkJson(text, (token, start, end) => {
    if (token === "object" || token === "list") {
      // The outermost object has no name, so names and path meet one level further in.
      if (token === "object" && names.length === path.length && path.every((name, at) => name === names[at]))
        found ??= start
      names.push(undefined)
    } else if (token === "close") {
      names.pop()
      if (found !== undefined && names.length === path.length) return text.slice(found, end)
    } else if (token === "name") {
      names[names.length - 1] = unescaped(text.slice(start, end))
    }
    return undefined
  })
}

/** The text a JSON string stands for; a broken string stands for itself, and JSON.parse refuses it afterwards. */
export const unescaped = (quoted: string): string => {
  if (!quoted.includes("\\")) return quoted.slice(1, -1)
  try {
    const value: unknown = JSON.parse(quoted)
    return String(value)
  } catch {
    return quoted
  }
}

/** The place after the closing quote of the string that opens at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote
    while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((quote - first) % 2 === 0) return quote + 1
  }
  return text.length
}

const endOfNumber = (text: string, from: number): number => {
  let at = from
  while (at < text.length && continuesNumber(text.charCodeAt(at))) at++
  return at
}

const startsNumber = (unit: number): boolean => unit === MINUS || isDigit(unit)

const continuesNumber = (unit: number): boolean =>
  isDigit(unit) || unit === POINT || unit === MINUS || unit === PLUS || unit === SMALL_E || unit === LARGE_E

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39

const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const SMALL_E = 0x65
const LARGE_E = 0x45

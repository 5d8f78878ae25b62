/**
 * JSON compared as it is written, not as doubles: 9007199254740993 is not 9007199254740992, and 1e400 is not 1e401. Numbers are the same
 * when their decimal values are (1, 1.0, 10e-1; 0 and -0), texts when their characters are, objects in whatever order their keys stand.
 */
import { isJsonObject, type JsonObject } from "./JsonValue.ts"
import { readNumbersAs } from "./StrictReader.ts"

/** A number as it is written. */
class Written {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Exact = null | boolean | number | Written | string | ReadonlyArray<Exact> | ExactObject
type ExactObject = { readonly [name: string]: Exact }

/**
 * The first member in which the object in `text` differs from `other`, as it is written on either side; `undefined` when they are the same.
 * Both texts were read strictly before; an object is for whoever has no text of it.
 */
export const differingMember = (text: string, other: string | JsonObject) => {
  const [left, right] = [exactObject(text), typeof other === "string" ? exactObject(other) : other]
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (!isSame(memberIn(left, name), memberIn(right, name))) {
      return { left: memberText(left, name), right: memberText(right, name) }
    }
  }
  return undefined
}

const exactObject = (text: string): ExactObject => {
  const read = readNumbersAs(text, (written) => new Written(written))
  return read.ok && isJsonObject(read.value) ? read.value : {}
}

const memberIn = (object: ExactObject, name: string): Exact | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

const isSame = (left: Exact | undefined, right: Exact | undefined): boolean => {
  if (left === right) return true
  if (left === undefined || right === undefined) return false
  const [one, two] = [numberText(left), numberText(right)]
  if (one !== undefined || two !== undefined) {
    return one !== undefined && two !== undefined && decimal(one) === decimal(two)
  }
  if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) return false
  const members = Object.entries(left)
  return (
    members.length === Object.keys(right).length &&
    members.every(([name, value]) => isSame(value, memberIn(right as ExactObject, name)))
  )
}

const numberText = (value: Exact): string | undefined => {
  if (value instanceof Written) return value.text
  return typeof value === "number" ? String(value) : undefined
}

const isContainer = (value: Exact): value is ReadonlyArray<Exact> | ExactObject =>
  typeof value === "object" && value !== null

/** Exponents of more digits are told apart by their spelling; no number of that size is anything but an attack. */
const EXPONENT_DIGITS = 12

/** One text for each decimal value: sign, digits without zeros at either end, the power of ten of the last digit. */
const decimal = (number: string): string => {
  const [mantissa = "", exponent = "0"] = number.toLowerCase().split("e")
  if (exponent.length > EXPONENT_DIGITS) return number
  const sign = mantissa.startsWith("-") ? "-" : ""
  const [whole = "", fraction = ""] = mantissa.slice(sign.length).split(".")
  const digits = whole + fraction
  let [first, end] = [0, digits.length]
  while (first < end && digits.charAt(first) === "0") first++
  while (end > first && digits.charAt(end - 1) === "0") end--
  if (first === end) return "0"
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

const memberText = (object: ExactObject, name: string): string => {
  const value = memberIn(object, name)
  return value === undefined ? `no ${name}` : `${name}: ${textOf(value)}`
}

/** The value as JSON again, numbers as they were. */
const textOf = (value: Exact): string => {
  if (value === null || typeof value === "string") return JSON.stringify(value)
  if (!isContainer(value)) return String(value)
  const number = numberText(value)
  if (number !== undefined) return number
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${textOf(member)}`)
    .join(",")}}`
}

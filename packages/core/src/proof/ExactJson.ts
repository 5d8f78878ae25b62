/**
 * JSON compared as it is written, not as doubles: 9007199254740993 is not 9007199254740992, and 1e400 is not 1e401. Numbers are the same
 * when their decimal values are (1, 1.0, 10e-1; 0 and -0), texts when their characters are, objects in whatever order their keys stand.
 */
import { walkJson } from "./WalkJson.ts"

/** A JSON value whose texts and names have an "s" before them, and whose numbers are texts too: "n" and the number as it is written. */
export type ExactJson = null | boolean | string | ReadonlyArray<ExactJson> | ExactObject
export type ExactObject = { readonly [name: string]: ExactJson }

/** The object in `text`, which must be that of a JSON object. */
export const exactJson = (text: string): ExactObject => {
  const parts: Array<string> = []
  let copied = 0
  walkJson(text, (token, start, end) => {
    if (token === "name" || token === "text") {
      parts.push(text.slice(copied, start), '"s')
      copied = start + 1
    } else if (token === "number") {
      parts.push(text.slice(copied, start), '"n', text.slice(start, end), '"')
      copied = end
    }
    return undefined
  })
  return JSON.parse(`${parts.join("")}${text.slice(copied)}`)
}

/** The first member that differs, as it is written on either side; `undefined` when the objects are the same. */
export const differingMember = (left: ExactObject, right: ExactObject) => {
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    if (!isSame(memberIn(left, name), memberIn(right, name))) {
      return { left: memberText(left, name), right: memberText(right, name) }
    }
  }
  return undefined
}

const memberIn = (object: ExactObject, name: string): ExactJson | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

const isObject = (value: ExactJson): value is ReadonlyArray<ExactJson> | ExactObject =>
  typeof value === "object" && value !== null

const isSame = (left: ExactJson | undefined, right: ExactJson | undefined): boolean => {
  if (left === right) return true
  if (left === undefined || right === undefined) return false
  if (typeof left === "string" && typeof right === "string") {
    return left.startsWith("n") && right.startsWith("n") && decimal(left.slice(1)) === decimal(right.slice(1))
  }
  if (!isObject(left) || !isObject(right) || Array.isArray(left) !== Array.isArray(right)) return false
  const members = Object.entries(left)
  return (
    members.length === Object.keys(right).length &&
    members.every(([name, value]) => isSame(value, memberIn(right as ExactObject, name)))
  )
}

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
  return value === undefined ? `no ${name.slice(1)}` : `${name.slice(1)}: ${textOf(value)}`
}

/** The value as JSON again, numbers as they were. */
const textOf = (value: ExactJson): string => {
  if (typeof value === "string") return value.startsWith("n") ? value.slice(1) : JSON.stringify(value.slice(1))
  if (!isObject(value)) return String(value)
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name.slice(1))}:${textOf(member)}`)
  return `{${members.join(",")}}`
}

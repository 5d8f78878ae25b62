/** `entity-bytes=from:to` of a CAR request: both ends count, negative ones from the end of the file, `*` is its last byte. */
import type { ByteRange } from "./ByteRange.ts"

/** As asked for; no `to` is the end of the file. */
export interface EntityBytes {
  readonly from: number
  readonly to: number | undefined
}

const ASKED = /^(-?\d{1,15}):(-?\d{1,15}|\*)$/

/** `undefined` when `text` is no such range, or one that ends before it begins whatever the file. */
export const readEntityBytes = (text: string): EntityBytes | undefined => {
  const [, first = "", last = ""] = ASKED.exec(text) ?? []
  if (first === "") return undefined
  const from = Number(first)
  if (last === "*") return { from, to: undefined }
  const to = Number(last)
  const isBackwards = from < 0 === to < 0 && to < from
  return isBackwards ? undefined : { from, to }
}

/** The part of a file of `size` bytes that is meant: what lies outside of it is cut off. */
export const entityRange = ({ from, to }: EntityBytes, size: number): ByteRange | "empty" | "outside" => {
  const first = from < 0 ? Math.max(0, size + from) : from
  const last = to === undefined ? size - 1 : to < 0 ? size + to : to
  if (size > 0 && (first >= size || last < 0)) return "outside"
  const end = Math.min(last + 1, size)
  return first < end ? { start: first, end } : "empty"
}

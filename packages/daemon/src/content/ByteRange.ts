/** The `Range` header (RFC 9110, section 14.2): one range of bytes. Several ranges, and what is not well formed, are ignored. */

/** Positions are bytes; `end` is exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

const ONE_RANGE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i

/** The part of `size` bytes that `header` asks for; `whole` when it asks for none that can be understood. */
export const byteRange = (header: string | undefined, size: number): ByteRange | "whole" | "unsatisfiable" => {
  const match = ONE_RANGE.exec(header ?? "")
  if (match === null) return "whole"
  const [, first = "", last = "", suffix = ""] = match
  if (suffix !== "") {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === "" ? size : Math.min(Number(last) + 1, size)
  if (last !== "" && Number(last) < start) return "whole"
  return start >= size ? "unsatisfiable" : { start, end }
}

/** r and s of a DER signature (SEQUENCE of two INTEGERs, X.690), strictly: one spelling, nothing left over. Records never carry DER; the vectors do. */

/** r ‖ s as 128 hex digits; `undefined` when it is not strict DER, or a number is negative or longer than 32 bytes. */
export const compactOfDer = (der: Uint8Array): string | undefined => {
  const body = contentOf(der, 0x30)
  if (body === undefined || body.rest.length > 0) return undefined
  const r = contentOf(body.content, 0x02)
  const s = r && contentOf(r.rest, 0x02)
  if (r === undefined || s === undefined || s.rest.length > 0) return undefined
  const numbers = [numberOf(r.content), numberOf(s.content)]
  return numbers.includes(undefined) ? undefined : numbers.join("")
}

const contentOf = (bytes: Uint8Array, tag: number) => {
  const length = bytes[1]
  // r and s of a 256-bit curve always fit lengths below 128, so any longer spelling is not DER.
  if (bytes[0] !== tag || length === undefined || length >= 0x80 || bytes.length < 2 + length) return undefined
  return { content: bytes.subarray(2, 2 + length), rest: bytes.subarray(2 + length) }
}

const numberOf = (content: Uint8Array): string | undefined => {
  const [first, second] = content
  if (first === undefined || first >= 0x80) return undefined
  if (first === 0 && second !== undefined && second < 0x80) return undefined
  const digits = Buffer.from(first === 0 ? content.subarray(1) : content).toString("hex")
  return digits.length > 64 ? undefined : digits.padStart(64, "0")
}

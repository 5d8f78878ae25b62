/**
 * Hex forms of the Ethereum JSON-RPC: a quantity has no leading zeros (`0x0`, `0x1a`), data has two digits per byte.
 * https://ethereum.github.io/execution-apis/
 */

export type Hex = `0x${string}`

/** A number as a quantity. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** Bytes as data. */
export const data = (bytes: Uint8Array): Hex =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`

/** Bytes of a hex text with an even number of digits, with or without `0x`; the caller has checked the form. */
export const bytes = (hex: string): Uint8Array =>
  new Uint8Array(Buffer.from(hex.startsWith("0x") ? hex.slice(2) : hex, "hex"))

/**
 * Errors of the chain's JSON-RPC, with the codes of JSON-RPC 2.0, EIP-1474 and geth.
 * -32000 is geth's code for everything a transaction pool or the EVM refuses; 3 carries revert data.
 */

/** One JSON-RPC error object; `message` uses geth's wording where geth has one, because clients match on it. */
export class RpcError extends Error {
  readonly code: number
  readonly data: string | undefined

  constructor(code: number, message: string, data?: string) {
    super(message)
    this.name = "RpcError"
    this.code = code
    this.data = data
  }
}

/** Code of everything that the chain's rules refuse. */
export const REFUSED = -32000

/** Refused by the chain's rules (-32000). */
export const refused = (message: string): RpcError => new RpcError(REFUSED, message)

/** The parameters are not what the method takes (-32602). */
export const invalidParams = (message: string): RpcError => new RpcError(-32602, message)

/** No such method (-32601), in geth's wording. */
export const methodNotFound = (method: string): RpcError =>
  new RpcError(-32601, `the method ${method} does not exist/is not available`)

/** Not a JSON-RPC 2.0 request (-32600). */
export const invalidRequest = (message: string): RpcError => new RpcError(-32600, message)

/** Code of what goes beyond what this node gives to one answer or one caller (EIP-1474). */
export const LIMIT_EXCEEDED = -32005

/** More than this node gives to one answer or one caller (-32005, EIP-1474). */
export const limitExceeded = (message: string): RpcError => new RpcError(LIMIT_EXCEEDED, message)

/** The parts of an error that another thread, or a caller, is told. */
export const partsOf = (error: unknown): { code: number; message: string; data?: string } => {
  if (!(error instanceof RpcError)) {
    return { code: -32603, message: error instanceof Error ? error.message : String(error) }
  }
  const { code, data, message } = error
  return { code, message, ...(data === undefined ? {} : { data }) }
}

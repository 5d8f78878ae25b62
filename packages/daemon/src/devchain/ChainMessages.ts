/**
 * What the daemon's thread and the two threads of its embedded chains say to each other: the one that writes (every chain's blocks, and
 * what the daemon itself asks), and the one that answers callers from outside. Messages to the first carry the daemon's time, because a
 * thread has no clock of its own: a test's clock then rules block timestamps, too. Every chain is named by its id.
 */

/** A chain's file, for either thread. */
export interface ChainFile {
  readonly chainId: number
  readonly path: string
}

export type ToWriter =
  | (ChainFile & { readonly kind: "open"; readonly now: number })
  | {
      readonly kind: "call"
      readonly chainId: number
      readonly id: number
      readonly now: number
      readonly method: string
      readonly params: unknown
    }
  | { readonly kind: "close"; readonly chainId: number }

/** A JSON-RPC error object on its way between threads. */
export interface ErrorParts {
  readonly code: number
  readonly message: string
  readonly data?: string
}

/** Why a chain's file cannot be used. */
export type Unusable = "locked" | "foreign" | "unreadable"

export type FromWriter =
  | { readonly kind: "ready"; readonly chainId: number }
  | {
      readonly kind: "unusable"
      readonly chainId: number
      readonly reason: Unusable
      readonly message: string
    }
  | { readonly kind: "closed"; readonly chainId: number }
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: ErrorParts }
  | { readonly kind: "block"; readonly chainId: number; readonly number: number }
  | { readonly kind: "fault"; readonly chainId: number; readonly message: string }

export interface ToReader {
  readonly file: ChainFile
  readonly method: string
  readonly params: unknown
  /** How much processor time the answer may take. */
  readonly cpuMillis: number
}

/** What the thread for callers from outside answers each call with; before the first it says "ready". `json`: the result as JSON text. `forward`: only the thread that writes can answer; everything that could be checked has been. */
export type FromReader = { readonly cpuMillis: number } & (
  | { readonly kind: "json"; readonly json: string }
  | { readonly kind: "forward" }
  | { readonly kind: "error"; readonly error: ErrorParts }
)

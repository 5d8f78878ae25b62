/**
 * What the daemon's thread and the chain's worker say to each other. Every message to the worker carries the daemon's
 * time, because the worker has no clock of its own: a test's clock then rules block timestamps, too.
 */

/** Handed to the worker at its start. */
export interface WorkerOptions {
  readonly path: string
  readonly chainId: number
  /** Milliseconds since 1970. */
  readonly now: number
}

export type ToWorker =
  | {
      readonly kind: "call"
      readonly id: number
      readonly now: number
      readonly method: string
      readonly params: unknown
    }
  | { readonly kind: "close" }

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "unusable"; readonly reason: "locked" | "foreign" | "unreadable"; readonly message: string }
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | {
      readonly kind: "error"
      readonly id: number
      readonly code: number
      readonly message: string
      readonly data?: string
    }
  | { readonly kind: "block"; readonly number: number }
  | { readonly kind: "fault"; readonly message: string }

/**
 * A real EVM chain inside the daemon, for the `local` profile: cancun rules, base fee 100 gwei, the commit contract in
 * its genesis block, one SQLite file. What it answers is durable: receipts show only what is on disk. `request` is the daemon's own
 * EIP-1193 provider (viem's `custom`); `handleJsonRpc` serves callers from outside, in another thread and within their budgets.
 */
import { Effect, Schema, type Scope } from "effect"
import type { OpenFailure } from "./ChainThread.ts"
import { type ChainThreads, chainThreads } from "./ChainThreads.ts"
import { handleJsonRpc, type OutsideCaller } from "./JsonRpc.ts"

const ADVICE = {
  locked:
    "Another Treemark daemon has it open. Stop that daemon (treemarkd stop), or give this one a data folder of its own.",
  foreign:
    "It belongs to another chain or another version. Move the file away to start a new chain, or restore the right one.",
  unreadable: "Check that the folder exists and is writable, that the disk has room, and that the file is not damaged."
} as const

/** An embedded chain cannot be opened; nothing has been changed. */
export class EmbeddedChainError extends Schema.TaggedError<EmbeddedChainError>()("EmbeddedChainError", {
  /** The chain's file. */
  path: Schema.String,
  reason: Schema.Literals(["locked", "foreign", "unreadable"]),
  /** What the file or the system said. */
  detail: Schema.String
}) {
  override get message(): string {
    return `The embedded chain in ${this.path} cannot be opened: ${this.detail}. ${ADVICE[this.reason]}`
  }
}

export interface EmbeddedChainOptions {
  /** The chain's file; it is made when missing, its folder must exist (mode 0700: the faucet's key is in the file). */
  readonly path: string
  readonly chainId: number
  /** Threads that other chains share; threads of its own without them. */
  readonly threads?: ChainThreads
}

/** An open embedded chain. */
export interface EmbeddedChain {
  readonly chainId: number
  /**
   * Answers one JSON-RPC call, `treemark_fund` included ([address, wei in hex] → transaction hash). Rejects with an
   * error that has `code`, `message` and, for a revert, `data` (EIP-1193); 4900 once the chain is closed, has failed, or takes too long.
   */
  readonly request: (call: { readonly method: string; readonly params?: unknown }) => Promise<unknown>
  /** Answers a parsed JSON-RPC body, single or batch, in JSON text; `undefined` when only notifications came. Never rejects. */
  readonly handleJsonRpc: (body: unknown, caller: OutsideCaller) => Promise<string | undefined>
  /** Calls `listener` after each block is on disk; answers the function that ends that. */
  readonly onBlock: (listener: (number: number) => void) => () => void
}

/**
 * Opens the chain in `options.path`, making it when the file is missing; opening takes the same time however long the
 * chain is. Closing the scope first mines what has been accepted and can be executed. The clock of the fiber that made the threads rules
 * the blocks' timestamps.
 */
const open: (options: EmbeddedChainOptions) => Effect.Effect<EmbeddedChain, EmbeddedChainError, Scope.Scope> =
  Effect.fn("EmbeddedChain.open")(function* (options) {
    const { chainId, path } = options
    const file = { chainId, path }
    const threads = options.threads ?? (yield* chainThreads())
    const link = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: () => threads.writer.open(file),
        catch: (cause) => new EmbeddedChainError({ path, ...(cause as OpenFailure) })
      }),
      (opened) => Effect.promise(() => threads.quiet(file).then(opened.close))
    )
    const answer = threads.outside(file, link.call)
    return {
      chainId,
      request: ({ method, params }) => link.call(method, params),
      handleJsonRpc: (body, caller) => handleJsonRpc(answer, body, caller),
      onBlock: link.listen
    }
  })

export const EmbeddedChain = { open }

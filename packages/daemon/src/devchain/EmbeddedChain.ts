/**
 * A real EVM chain inside the daemon, for the `local` profile: cancun rules, base fee 100 gwei, the commit contract in
 * its genesis block, one SQLite file, one worker thread. What it answers is durable: receipts show only what is on disk.
 * `request` is an EIP-1193 provider (viem's `custom`), `handleJsonRpc` serves the same methods to an HTTP endpoint.
 */
import { Clock, Effect, Schema, type Scope } from "effect"
import type { WorkerOptions } from "./ChainMessages.ts"
import { handleJsonRpc, type JsonRpcOptions } from "./JsonRpc.ts"
import { WorkerLink } from "./WorkerLink.ts"

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
}

/** An open embedded chain. */
export interface EmbeddedChain {
  readonly chainId: number
  /**
   * Answers one JSON-RPC call, `treemark_fund` included ([address, wei in hex] → transaction hash). Rejects with an
   * error that has `code`, `message` and, for a revert, `data` (EIP-1193); 4900 once the chain is closed or has failed.
   */
  readonly request: (call: { readonly method: string; readonly params?: unknown }) => Promise<unknown>
  /** Answers a parsed JSON-RPC body, single or batch; `undefined` when only notifications came. Never rejects. */
  readonly handleJsonRpc: (body: unknown, options: JsonRpcOptions) => Promise<unknown>
  /** Calls `listener` after each block is on disk; answers the function that ends that. */
  readonly onBlock: (listener: (number: number) => void) => () => void
}

/** The worker stands beside this file, in TypeScript in a checkout and bundled in a release. */
const workerUrl = (): URL => new URL(`./ChainWorker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/**
 * Opens the chain in `options.path`, making it when the file is missing; opening takes the same time however long the
 * chain is. Closing the scope first mines what has been accepted and can be executed. The clock of the fiber rules the blocks' timestamps.
 */
const open: (options: EmbeddedChainOptions) => Effect.Effect<EmbeddedChain, EmbeddedChainError, Scope.Scope> =
  Effect.fn("EmbeddedChain.open")(function* (options) {
    const clock = yield* Clock.Clock
    const services = yield* Effect.context<never>()
    const onFault = (message: string): void => {
      Effect.runForkWith(services)(Effect.logError(`Embedded chain ${options.chainId}: ${message}`))
    }
    const link = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const { chainId, path } = options
        const workerData: WorkerOptions = { path, chainId, now: clock.currentTimeMillisUnsafe() }
        return new WorkerLink(workerUrl(), workerData, () => clock.currentTimeMillisUnsafe(), onFault)
      }),
      (opened) => Effect.promise(() => opened.close())
    )
    yield* Effect.tryPromise({
      try: () => link.ready(),
      catch: (cause) =>
        new EmbeddedChainError({ path: options.path, ...(cause as Pick<EmbeddedChainError, "reason" | "detail">) })
    })
    const request: EmbeddedChain["request"] = ({ method, params }) => link.call(method, params)
    return {
      chainId: options.chainId,
      request,
      handleJsonRpc: (body, rpcOptions) => handleJsonRpc(request, body, rpcOptions),
      onBlock: (listener) => link.listen(listener)
    }
  })

export const EmbeddedChain = { open }

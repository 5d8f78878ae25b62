/**
 * Whether a mined transaction stays mined: the block at its height is still the one its receipt names, so many blocks deep as are asked
 * for, and the receipt, read again, names the same block. A node behind a balancer that has not seen the block yet says nothing.
 */
import { Effect, Option } from "effect"
import { BlockNotFoundError, type TransactionReceipt } from "viem"
import { elapsedMillis } from "./Elapsed.ts"
import type { LedgerNetwork } from "./Networks.ts"
import { ask } from "./RpcFailure.ts"
import { receiptOf } from "./Sending.ts"

/** Milliseconds between looks: at first, and at most. */
const PAUSES = { first: 100, longest: 2_000 }

/** A chain that stays shorter than the block for this long has lost it. */
const SHORTER_MS = 30_000

/** A place on the chain as a receipt or a row names it. */
export interface InBlock {
  readonly blockNumber: bigint
  readonly blockHash: string
}

/**
 * - `here`: the block at that height is the one; `depth` counts it and the blocks on it.
 * - `elsewhere`: another block is at that height.
 * - `unknown`: the node has no block there (yet, or any more).
 */
export type Standing = { readonly kind: "here"; readonly depth: number } | { readonly kind: "elsewhere" | "unknown" }

/** One look at the block of a transaction. */
export const standingOf = Effect.fn("Confirmations.standingOf")(function* (
  network: LedgerNetwork,
  { blockHash, blockNumber }: InBlock,
  known?: bigint
) {
  const head = known ?? (yield* ask(network, () => network.client.getBlockNumber()))
  if (head < blockNumber) return { kind: "unknown" } satisfies Standing as Standing
  const hash = yield* ask(network, () =>
    network.client.getBlock({ blockNumber }).then(
      (block) => block.hash,
      (error: unknown) => {
        if (error instanceof BlockNotFoundError) return undefined
        throw error
      }
    )
  )
  if (hash === undefined) return { kind: "unknown" } satisfies Standing as Standing
  const standing: Standing =
    hash === blockHash ? { kind: "here", depth: Number(head - blockNumber) + 1 } : { kind: "elsewhere" }
  return standing
})

/**
 * Waits until the receipt has the confirmations the network asks for and answers it as it was read again; none when its block fell out
 * of the chain. A node that does not answer is asked again.
 */
export const confirmed = Effect.fn("Confirmations.confirmed")(function* (
  network: LedgerNetwork,
  receipt: TransactionReceipt
) {
  let shorterSince: number | undefined
  for (let pause = PAUSES.first; ; pause = Math.min(pause * 1.5, PAUSES.longest)) {
    const standing = Option.getOrUndefined(yield* Effect.option(standingOf(network, receipt)))
    if (standing?.kind === "elsewhere") return Option.none<TransactionReceipt>()
    if (standing?.kind === "here") {
      shorterSince = undefined
      if (standing.depth >= network.confirmations) {
        const again = Option.flatten(yield* Effect.option(receiptOf(network, receipt.transactionHash)))
        if (Option.isSome(again) && again.value.blockHash === receipt.blockHash) return again
      }
    }
    if (standing?.kind === "unknown") {
      const now = yield* elapsedMillis
      shorterSince ??= now
      if (now - shorterSince >= SHORTER_MS) return Option.none<TransactionReceipt>()
    }
    yield* Effect.sleep(pause)
  }
})

/**
 * One try to hand a signed transaction to a node, and what the answer says about its fate. Nodes word their refusals
 * differently; the words below are geth's (and so subnet-evm's), anvil's and Erigon's.
 */
import { Effect, Option } from "effect"
import { type Hex, TransactionNotFoundError, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem"
import { elapsedMillis } from "./Elapsed.ts"
import type { LedgerNetwork, Network } from "./Networks.ts"
import { ask, type RpcFailure } from "./RpcFailure.ts"

/**
 * - `taken`: the node has it, from this try or an earlier one.
 * - `not-taken`: the node certainly did not take it this time; `reason` says why.
 * - `occupied`: another pending transaction has its nonce.
 * - `spent`: a mined transaction has its nonce; perhaps this very one.
 * - `unknown`: it may have been taken.
 */
export type Verdict =
  | { readonly kind: "taken" }
  | { readonly kind: "not-taken" | "occupied" | "spent" | "unknown"; readonly reason: string }

const KNOWN = /already known|already imported|known transaction|already exists/iu
const SPENT = /nonce (?:is )?too low|nonce has already been used|old nonce/iu
const OCCUPIED = /replacement transaction underpriced|could not replace existing/iu

const verdictOf = ({ detail, outcome }: RpcFailure): Verdict => {
  if (outcome === "unknown") return { kind: "unknown", reason: detail }
  if (outcome !== "refused") return { kind: "not-taken", reason: detail }
  if (KNOWN.test(detail)) return { kind: "taken" }
  if (SPENT.test(detail)) return { kind: "spent", reason: detail }
  if (OCCUPIED.test(detail)) return { kind: "occupied", reason: detail }
  return { kind: "not-taken", reason: `its node refused the transaction (${detail}).` }
}

/** Sends `raw` once. Never fails: what happened is the verdict. */
export const sendOnce = (network: Network, raw: Hex): Effect.Effect<Verdict> =>
  ask(network, () => network.client.sendRawTransaction({ serializedTransaction: raw })).pipe(
    Effect.match({ onFailure: verdictOf, onSuccess: (): Verdict => ({ kind: "taken" }) })
  )

/** The receipt of `hash`; none while the node does not know of one. */
export const receiptOf = (network: Network, hash: Hex): Effect.Effect<Option.Option<TransactionReceipt>, RpcFailure> =>
  ask(network, () =>
    network.client.getTransactionReceipt({ hash }).then(Option.some<TransactionReceipt>, (error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return Option.none<TransactionReceipt>()
      throw error
    })
  )

/** Milliseconds between questions for a receipt: at first, and at most. */
const PAUSES = { embedded: { first: 10, longest: 250 }, remote: { first: 50, longest: 2_000 } }

/** The receipt of any of the variants of a transaction: at most one of them can be mined. */
export const receiptOfAny = Effect.fnUntraced(function* (network: Network, hashes: ReadonlyArray<Hex>) {
  for (const hash of hashes) {
    const found = yield* receiptOf(network, hash)
    if (Option.isSome(found)) return found
  }
  return Option.none<TransactionReceipt>()
})

/** Whether the node knows any of the variants, in a block or waiting: its receipts may lag behind its transactions. */
export const knowsAny = Effect.fnUntraced(function* (network: Network, hashes: ReadonlyArray<Hex>) {
  for (const hash of hashes) {
    const isKnown = yield* ask(network, () =>
      network.client.getTransaction({ hash }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof TransactionNotFoundError) return false
          throw error
        }
      )
    )
    if (isKnown) return true
  }
  return false
})

/**
 * Asks for the receipt of one of `hashes` until it is there or `patienceMs` has passed; a node that does not answer is asked again.
 * An embedded chain tells of its blocks, and makes one after it has taken a transaction: it is first asked then.
 */
export const awaitReceipt = Effect.fnUntraced(function* (
  network: LedgerNetwork,
  hashes: ReadonlyArray<Hex>,
  patienceMs: number
) {
  const { first, longest } = network.embedded ? PAUSES.embedded : PAUSES.remote
  const since = yield* elapsedMillis
  const beforeNextLook = (pause: number) => Effect.raceFirst(Effect.sleep(pause), network.nextBlock)
  if (network.embedded) yield* beforeNextLook(first)
  for (let pause = first; ; pause = Math.min(pause * 1.5, longest)) {
    const found = yield* Effect.orElseSucceed(receiptOfAny(network, hashes), () => Option.none<TransactionReceipt>())
    if (Option.isSome(found) || (yield* elapsedMillis) - since >= patienceMs) return found
    yield* beforeNextLook(pause)
  }
})

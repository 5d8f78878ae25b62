/**
 * Proofs that a commit's event is part of a block (docs/proof-format.md), made over standard JSON-RPC and verified before they are given
 * away. What a node does not tell, or tells so that its hashes cannot be reproduced, is left out with the reason; never guessed.
 */
import type { Inclusion, InclusionOrReason, LedgerPosition } from "@treemark/core"
import {
  type BlockHeader,
  INCLUSION_LIMIT,
  inclusionSize,
  openInclusion,
  readHeader,
  transactionHolds
} from "@treemark/core/inclusion"
import { Effect, Option, Schema } from "effect"
import { type Hex, hexToBytes, keccak256, numberToHex, type RpcTransaction } from "viem"
import { type RpcObject, rebuildHeader, unknownFields } from "./InclusionHeader.ts"
import { provenLeaf, RpcReceipt, receiptLeaf, transactionLeaf } from "./InclusionLeaves.ts"
import type { Network } from "./Networks.ts"
import { ask } from "./RpcFailure.ts"

/** Why there is no proof, as a sentence for whoever reads the proof file. It names no host. */
class NotProvable extends Schema.TaggedError<NotProvable>()("NotProvable", { reason: Schema.String }) {}

/** What is proven to be in the block. */
export interface CommittedEvent {
  readonly assetCid: string
  readonly commitData: string
}

type Asked = Pick<Network, "client" | "name"> & { readonly embedded: boolean }

/** The proof of inclusion of the event at `place`, or the reason why there is none. Never fails. */
export const inclusionOf = Effect.fn("Inclusion.inclusionOf")(
  function* (network: Asked, place: LedgerPosition, event: CommittedEvent) {
    const block = yield* blockOf(network, place)
    const rawHeader = yield* rawHeaderOf(network, place, block)
    const header = readHeader(rawHeader)
    if (header === undefined) return yield* notProvable("its block header is none that is understood")
    const hashes = yield* transactionsOf(block)
    const index = hashes.findIndex(({ hash }) => hash === place.txHash.toLowerCase())
    if (index < 0) return yield* notProvable("the node's block does not list the transaction")
    const { leaves, logPosition } = yield* receiptsOf(network, place, hashes, index)
    const receipt = yield* provenLeaf(leaves, index, header.receiptsRoot)
    if (receipt === undefined) {
      return yield* notProvable("the node's receipts do not give the receiptsRoot of the block header")
    }
    const inclusion: Inclusion = {
      header: rawHeader,
      transactionIndex: index,
      receipt,
      logPosition,
      transaction: yield* transactionPath(hashes, index, header)
    }
    const opened = openInclusion(inclusion, place, event)
    if (!opened.ok) return yield* notProvable(`what the node tells does not hold (${opened.code})`)
    const isTransactionShown = transactionHolds(inclusion, opened.header, place)?.path === true
    const shown = isTransactionShown ? inclusion : { ...inclusion, transaction: undefined }
    return inclusionSize(shown) <= INCLUSION_LIMIT
      ? { inclusion: shown }
      : yield* notProvable("the receipt and the transaction are larger than a proof may hold (2 MiB)")
  },
  (effect, network) =>
    Effect.catch(effect, (failure): Effect.Effect<InclusionOrReason> => {
      if (failure._tag === "NotProvable") return Effect.succeed({ inclusionMissing: `${failure.reason}.` })
      const inclusionMissing = `The node of ${network.name} did not answer when this proof was made.`
      return Effect.as(Effect.logWarning(`No proof of inclusion: ${failure.message}`), { inclusionMissing })
    })
)

const notProvable = (what: string) => new NotProvable({ reason: `No proof of inclusion could be made: ${what}` })

const call = (network: Asked, method: string, params: ReadonlyArray<unknown>) =>
  ask(network, () => network.client.request({ method, params } as never) as Promise<unknown>)

/** What only some nodes answer: undefined where they do not; a gateway may refuse it in any way. */
const callIfThere = (network: Asked, method: string, params: ReadonlyArray<unknown>) =>
  Effect.catchTag(call(network, method, params), "RpcFailure", () => Effect.succeed(undefined))

const isObject = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

const blockOf = Effect.fnUntraced(function* (network: Asked, place: LedgerPosition) {
  const block = yield* call(network, "eth_getBlockByNumber", [numberToHex(place.blockNumber), true])
  if (!isObject(block)) return yield* notProvable(`the node has no block ${place.blockNumber}`)
  if (block.hash !== place.blockHash.toLowerCase()) {
    return yield* notProvable(`the node has another block ${place.blockNumber} than the one the commit was seen in`)
  }
  return block
})

const RawHex = Schema.String.check(Schema.isPattern(/^0x(?:[0-9a-f]{2})+$/iu))
const rawHexOf = (value: unknown): Uint8Array | undefined =>
  Schema.is(RawHex)(value) ? hexToBytes(value as Hex) : undefined

const rawHeaderOf = Effect.fnUntraced(function* (network: Asked, place: LedgerPosition, block: RpcObject) {
  const rebuilt = network.embedded ? undefined : rebuildHeader(block)
  if (rebuilt !== undefined) return rebuilt
  const raw = rawHexOf(yield* callIfThere(network, "debug_getRawHeader", [numberToHex(place.blockNumber)]))
  if (raw !== undefined && keccak256(raw) === block.hash) return raw
  const unknown = unknownFields(block)
  const fields = unknown.length === 0 ? "" : `; it has fields that are not known here: ${unknown.join(", ")}`
  return yield* notProvable(`the block header's hash cannot be reproduced from what the node tells${fields}`)
})

type Listed = RpcTransaction & { readonly hash: string }

const transactionsOf = Effect.fnUntraced(function* (block: RpcObject) {
  const listed = Array.isArray(block.transactions) ? block.transactions : []
  const whole = listed.filter((one): one is Listed => isObject(one) && typeof one.hash === "string")
  return whole.length === listed.length
    ? whole
    : yield* notProvable("the node's block lists transactions without a hash")
})

const decodeReceipt = (value: unknown) => Option.getOrUndefined(Schema.decodeUnknownOption(RpcReceipt)(value))

/** So many receipts are asked for at once. */
const CONCURRENCY = 8

/** The block's receipts, each a leaf; and where among the logs of the one at `index` the event stands. */
const receiptsOf = Effect.fnUntraced(function* (
  network: Asked,
  place: LedgerPosition,
  transactions: ReadonlyArray<Listed>,
  index: number
) {
  const together = yield* callIfThere(network, "eth_getBlockReceipts", [numberToHex(place.blockNumber)])
  const told = Array.isArray(together)
    ? together
    : yield* Effect.forEach(transactions, ({ hash }) => call(network, "eth_getTransactionReceipt", [hash]), {
        concurrency: CONCURRENCY
      })
  const receipts = told.map(decodeReceipt).filter((receipt) => receipt !== undefined)
  const isWhole =
    receipts.length === transactions.length &&
    receipts.every(({ transactionHash }, at) => transactionHash === transactions[at]?.hash)
  if (!isWhole) return yield* notProvable("the node does not tell every receipt of the block")
  const logPosition = receipts[index]!.logs.findIndex(({ logIndex }) => Number(logIndex) === place.logIndex)
  if (logPosition < 0) return yield* notProvable("the transaction's receipt does not hold the log")
  return { leaves: yield* leavesOf(network, place, receipts), logPosition }
})

/** An embedded chain hands out its consensus receipts; elsewhere they are put together. */
const leavesOf = Effect.fnUntraced(function* (
  network: Asked,
  place: LedgerPosition,
  receipts: ReadonlyArray<RpcReceipt>
) {
  if (!network.embedded) return receipts.map(receiptLeaf)
  const raw = yield* call(network, "debug_getRawReceipts", [numberToHex(place.blockNumber)])
  return (Array.isArray(raw) ? raw : []).map(rawHexOf).filter((leaf) => leaf !== undefined)
})

/** The transaction with its path; undefined when some transaction of the block cannot be rebuilt. */
const transactionPath = Effect.fnUntraced(function* (
  transactions: ReadonlyArray<Listed>,
  index: number,
  header: BlockHeader
) {
  const leaves = transactions.map(transactionLeaf).filter((leaf) => leaf !== undefined)
  return leaves.length === transactions.length ? yield* provenLeaf(leaves, index, header.transactionsRoot) : undefined
})

/**
 * Checkpoints of a network: one as its node has it now (the commit contract, the hashes of the blocks that hold commits made here, and of the
 * newest block), and somebody else's compared with what our node has. Whoever trusts this daemon's node verifies proofs of these blocks
 * offline (docs/proof-format.md).
 */
import { type Checkpoint, type CheckpointContent, LedgerUnavailable, type NetworkRole } from "@treemark/core"
import { Effect, Schema } from "effect"
import { type Hex, numberToHex } from "viem"
import { type LedgerNetwork, type Network, Networks } from "../evm/Networks.ts"
import { ask, ledgerUnavailable } from "../evm/RpcFailure.ts"
import { FinishedCommits } from "./FinishedCommits.ts"

/** So many blocks are asked for at once. */
const CONCURRENCY = 8

const BlockHash = Schema.Struct({ hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/u)) })
const isBlock = Schema.is(BlockHash)

type Asked = Pick<Network, "chainId" | "client" | "name">

/** The checkpoint of `network` with the blocks `numbers` and the newest one. */
export const checkpointOf = Effect.fn("Checkpoint.checkpointOf")(
  function* (network: Asked & Pick<LedgerNetwork, "contract">, numbers: Iterable<number>) {
    const head = Number(yield* ask(network, () => network.client.getBlockNumber()))
    const hashes = yield* Effect.forEach(
      [...new Set([...numbers, head])].sort((left, right) => left - right),
      (number) => Effect.map(knownHashOf(network, number), (hash) => [number, hash] as const),
      { concurrency: CONCURRENCY }
    )
    const { chainId, contract } = network
    return { chainId, contracts: [contract], hashes: new Map(hashes) } satisfies CheckpointContent
  },
  Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
)

/** Undefined when the node has no such block. */
const hashOf = (network: Asked, number: number) =>
  Effect.map(
    ask(network, () =>
      network.client.request({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] })
    ),
    (block) => (isBlock(block) ? block.hash : undefined)
  )

const knownHashOf = Effect.fnUntraced(function* (network: Asked, number: number) {
  const hash = yield* hashOf(network, number)
  if (hash !== undefined) return hash
  return yield* new LedgerUnavailable({
    network: network.name,
    reason: `its node has no block ${number}, in which a commit was seen. Is it still catching up?`
  })
})

/** The checkpoint of the network in `role` with every block that holds a commit made here. */
export const exportCheckpoint = Effect.fn("Checkpoint.exportCheckpoint")(function* (role: NetworkRole) {
  const numbers = yield* (yield* FinishedCommits).blocks(role)
  return yield* checkpointOf((yield* Networks).role(role), numbers)
})

/** What a checkpoint says and our node does not, each as the end of a sentence; blocks in their order, then contracts. */
export const unseenIn = Effect.fn("Checkpoint.unseenIn")(function* (network: Asked, checkpoint: Checkpoint) {
  const blocks = yield* Effect.forEach(
    [...checkpoint.hashes].sort(([left], [right]) => left - right),
    ([number, hash]) =>
      Effect.map(hashOf(network, number), (ours) =>
        ours === hash ? [] : [`block ${number} ${ours === undefined ? "is not there" : `has the hash ${ours}`}`]
      ),
    { concurrency: CONCURRENCY }
  )
  const contracts = yield* Effect.forEach(
    checkpoint.contracts,
    (address) =>
      Effect.map(
        ask(network, () => network.client.getCode({ address: address as Hex })),
        (code) => (code === undefined || code === "0x" ? [`no contract is at ${address}`] : [])
      ),
    { concurrency: CONCURRENCY }
  )
  return [...blocks, ...contracts].flat()
})

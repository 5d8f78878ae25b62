/**
 * A checkpoint of a network, as its node has it now: the hashes of the blocks that hold commits made here, and of the newest block. Whoever
 * trusts this daemon's node verifies proofs of these blocks offline (docs/proof-format.md).
 */
import { type CheckpointContent, LedgerUnavailable, type NetworkRole } from "@treemark/core"
import { Effect, Schema } from "effect"
import { numberToHex } from "viem"
import { FinishedCommits } from "../jobs/FinishedCommits.ts"
import { type Network, Networks } from "./Networks.ts"
import { ask, ledgerUnavailable } from "./RpcFailure.ts"

/** So many blocks are asked for at once. */
const CONCURRENCY = 8

const BlockHash = Schema.Struct({ hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/u)) })
const isBlock = Schema.is(BlockHash)

/** The checkpoint of `network` with the blocks `numbers` and the newest one. */
export const checkpointOf = Effect.fn("Checkpoint.checkpointOf")(
  function* (network: Pick<Network, "chainId" | "client" | "name">, numbers: Iterable<number>) {
    const head = Number(yield* ask(network, () => network.client.getBlockNumber()))
    const hashes = yield* Effect.forEach(
      [...new Set([...numbers, head])].sort((left, right) => left - right),
      (number) => Effect.map(hashOf(network, number), (hash) => [number, hash] as const),
      { concurrency: CONCURRENCY }
    )
    return { chainId: network.chainId, hashes: new Map(hashes) } satisfies CheckpointContent
  },
  Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
)

const hashOf = Effect.fnUntraced(function* (network: Pick<Network, "client" | "name">, number: number) {
  const block = yield* ask(network, () =>
    network.client.request({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] })
  )
  if (isBlock(block)) return block.hash
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

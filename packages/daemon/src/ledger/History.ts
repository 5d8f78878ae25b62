/**
 * The commits of an asset, read from the ledger's logs by the keccak-256 of its CID (ERC-7053: `assetCid` is indexed). Public nodes
 * limit how many blocks one question may span, so windows grow
 * until one is refused and are halved then; an embedded chain answers for all at once.
 */
import { type LedgerCommit, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import type { Hex } from "viem"
import { commitAbi } from "./CommitContract.ts"
import type { LedgerNetwork } from "./Networks.ts"
import { ask } from "./RpcFailure.ts"

/** What every public node of these networks answers for at once. */
const FIRST_WINDOW = 2_048n

const commitEvent = commitAbi[0]

/** Every commit of `assetCid`, by any recorder, oldest first. */
export const historyOf = Effect.fn("History.historyOf")(function* (network: LedgerNetwork, assetCid: string) {
  const head = yield* ask(network, () => network.client.getBlockNumber())
  const found: Array<LedgerCommit> = []
  let window = network.embedded ? head + 1n : FIRST_WINDOW
  let isLimitKnown = false
  for (let from = 0n; from <= head; ) {
    const to = from + window - 1n < head ? from + window - 1n : head
    const logs = yield* logsBetween(network, assetCid, from, to).pipe(
      Effect.catchTag("RpcFailure", (failure) =>
        failure.outcome === "refused" && window > 1n ? Effect.succeed(undefined) : Effect.fail(failure)
      )
    )
    if (logs === undefined) {
      isLimitKnown = true
      window /= 2n
      continue
    }
    found.push(...logs)
    from = to + 1n
    if (!isLimitKnown) window *= 2n
  }
  return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
})

const logsBetween = Effect.fnUntraced(function* (
  network: LedgerNetwork,
  assetCid: string,
  fromBlock: bigint,
  toBlock: bigint
) {
  const logs = yield* ask(network, () =>
    network.client.getLogs({
      address: network.contract as Hex,
      event: commitEvent,
      args: { assetCid },
      strict: true,
      fromBlock,
      toBlock
    })
  )
  return logs.map(
    ({ args, blockHash, blockNumber, logIndex, transactionHash }): LedgerCommit => ({
      txHash: transactionHash,
      blockNumber: Number(blockNumber),
      blockHash,
      logIndex,
      recorder: walletAddress(args.recorder),
      commitData: args.commitData
    })
  )
})

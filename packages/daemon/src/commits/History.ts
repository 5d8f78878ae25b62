/**
 * The commits of an asset, read from the ledger's logs by the keccak-256 of its CID (ERC-7053: `assetCid` is indexed). An embedded chain
 * answers for all blocks at once, public nodes limit a question (LogWindows). Where the contract keeps `getCommits`, it names the blocks.
 */
import { type HistoryRange, type LedgerCommit, type LedgerPlace, walletAddress } from "@treemark/core"
import { Effect } from "effect"
import type { Hex } from "viem"
import { commitAbi } from "../evm/CommitContract.ts"
import { clustersOf, FIRST_WINDOW, readWindows, type Span } from "../evm/LogWindows.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { ask } from "../evm/RpcFailure.ts"

const commitEvent = commitAbi[0]

/** Kept by the contracts of the public networks: the number of the block of each commit of an asset, in their order. */
const getCommitsAbi = [
  {
    type: "function",
    name: "getCommits",
    stateMutability: "view",
    inputs: [{ name: "assetCid", type: "string" }],
    outputs: [{ name: "", type: "uint256[]" }]
  }
] as const

/** The commits of `assetCid` within `range` (all by default), by any recorder, oldest first. */
export const historyOf = Effect.fn("History.historyOf")(function* (
  network: LedgerNetwork,
  assetCid: string,
  range: HistoryRange = {}
) {
  const head = yield* ask(network, () => network.client.getBlockNumber())
  const span = spanOf(network, head, range)
  const found = (yield* byIndex(network, assetCid, span, range)) ?? (yield* byScan(network, assetCid, span, range))
  const sorted = [...found].sort(byPlace)
  if (range.limit === undefined) return sorted
  return range.from === "newest" ? sorted.slice(-range.limit) : sorted.slice(0, range.limit)
})

/** Order on the ledger. */
export const byPlace = (a: LedgerPlace, b: LedgerPlace): number =>
  a.blockNumber - b.blockNumber || a.logIndex - b.logIndex

const spanOf = (network: LedgerNetwork, head: bigint, { after, before }: HistoryRange): Span => {
  const low = BigInt(after?.blockNumber ?? 0)
  const high = BigInt(before?.blockNumber ?? head)
  return { low: low < network.fromBlock ? network.fromBlock : low, high: high < head ? high : head }
}

const isWithin =
  ({ after, before }: HistoryRange) =>
  (place: LedgerPlace): boolean =>
    (after === undefined || byPlace(place, after) > 0) && (before === undefined || byPlace(place, before) < 0)

const byScan = (network: LedgerNetwork, assetCid: string, span: Span, range: HistoryRange) =>
  readWindows(span, (window) => Effect.map(logsIn(network, assetCid, window), (logs) => logs.filter(isWithin(range))), {
    first: network.embedded ? span.high - span.low + 1n : FIRST_WINDOW,
    newestFirst: range.from === "newest",
    limit: range.limit
  })

/** Undefined where the contract keeps no index, or the logs are not what its index says. */
const byIndex = Effect.fnUntraced(function* (
  network: LedgerNetwork,
  assetCid: string,
  span: Span,
  range: HistoryRange
) {
  if (!network.keepsCommits) return undefined
  const listed = yield* listedBlocks(network, assetCid)
  if (listed === undefined) return undefined
  const clusters = clustersOf(listed.filter((block) => block >= span.low && block <= span.high))
  const found: Array<LedgerCommit> = []
  for (const { count, ...window } of range.from === "newest" ? clusters.reverse() : clusters) {
    const logs = yield* readWindows(window, (narrower) => logsIn(network, assetCid, narrower), {
      first: FIRST_WINDOW,
      newestFirst: false
    })
    if (logs.length !== count) return undefined
    found.push(...logs.filter(isWithin(range)))
    if (range.limit !== undefined && found.length >= range.limit) break
  }
  return found
})

const listedBlocks = (network: LedgerNetwork, assetCid: string) =>
  ask(network, () =>
    network.client.readContract({
      address: network.contract as Hex,
      abi: getCommitsAbi,
      functionName: "getCommits",
      args: [assetCid]
    })
  ).pipe(Effect.catchTag("RpcFailure", () => Effect.succeed(undefined)))

const logsIn = Effect.fnUntraced(function* (network: LedgerNetwork, assetCid: string, window: Span) {
  const logs = yield* ask(network, () =>
    network.client.getLogs({
      address: network.contract as Hex,
      event: commitEvent,
      args: { assetCid },
      strict: true,
      fromBlock: window.low,
      toBlock: window.high
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

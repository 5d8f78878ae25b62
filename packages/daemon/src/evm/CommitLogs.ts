/**
 * The commits in a stretch of blocks as the contract's logs tell them, by whomever and of whichever asset, unless topics say otherwise. An
 * asset is known by its topic only, the keccak-256 of its CID's text.
 */
import { type Hex, keccak256, pad, stringToHex } from "viem"
import { COMMIT_TOPIC } from "./CommitContract.ts"
import type { Span } from "./LogWindows.ts"
import type { LedgerNetwork } from "./Networks.ts"
import { ask } from "./RpcFailure.ts"

export interface CommitLog {
  readonly blockNumber: number
  readonly blockHash: string
  readonly logIndex: number
  readonly txHash: string
  /** keccak-256 of the asset's CID. */
  readonly assetTopic: string
  /** The topic of the recorder: its address in 32 bytes. */
  readonly recorderTopic: string
  /** The bytes of the commit's text. */
  readonly text: Uint8Array
}

/** Which commits: by any of these recorders, of any of these assets; undefined: of all. */
export interface CommitFilter {
  readonly recorders?: ReadonlyArray<string>
  readonly assetTopics?: ReadonlyArray<string>
}

interface RawLog {
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly logIndex: Hex
  readonly transactionHash: Hex
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
}

/** What the logs of an asset's commits carry in place of its CID. */
export const assetTopicOf = (assetCid: string): string => keccak256(stringToHex(assetCid))

/** Blocks by their numbers, or one by its hash: of that one a node never answers with another's logs. */
export type Blocks = Span | { readonly blockHash: string }

/** The commits of `blocks` on `network`, in the node's order, which is that of the ledger. */
export const commitLogs = (network: LedgerNetwork, blocks: Blocks, { assetTopics, recorders }: CommitFilter = {}) => {
  const filter = {
    address: network.contract as Hex,
    topics: [
      COMMIT_TOPIC,
      ...(recorders === undefined && assetTopics === undefined
        ? []
        : [recorders?.map((address) => pad(address as Hex)) ?? null]),
      ...(assetTopics === undefined ? [] : [assetTopics])
    ],
    ...("blockHash" in blocks
      ? blocks
      : { fromBlock: `0x${blocks.low.toString(16)}`, toBlock: `0x${blocks.high.toString(16)}` })
  } as const
  return ask(network, () =>
    (
      network.client.request({ method: "eth_getLogs", params: [filter] } as never) as Promise<ReadonlyArray<RawLog>>
    ).then((logs) => logs.map(commitOf))
  )
}

const commitOf = ({ blockHash, blockNumber, data, logIndex, topics, transactionHash }: RawLog): CommitLog => ({
  blockNumber: Number(blockNumber),
  blockHash,
  logIndex: Number(logIndex),
  txHash: transactionHash,
  assetTopic: topics[2] ?? "",
  recorderTopic: topics[1] ?? "",
  text: textOf(data)
})

/** The data is one ABI-encoded string: an offset and a length of 32 bytes each, then the text. */
const textOf = (data: Hex): Uint8Array => {
  const bytes = Buffer.from(data.slice(2), "hex")
  const length = bytes.length < 64 ? 0 : bytes.readUInt32BE(60)
  return bytes.subarray(64, 64 + length)
}

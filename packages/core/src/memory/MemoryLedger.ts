/**
 * Layer of `Ledger` in memory: every commit is a block of its own, mined at once, under hashes made of what is in it. It has no
 * transactions and no signatures of blocks, so what it says is claimed, and nothing can prove it.
 */
import { Effect, Layer } from "effect"
import { checksumOf } from "../asset-tree/Checksum.ts"
import { type WalletAddress, walletAddress } from "../identity/WalletAddress.ts"
import {
  type CommitOutcome,
  type CommitWork,
  type HistoryRange,
  Ledger,
  type LedgerCommit,
  type LedgerPlace,
  type NetworkRole
} from "../ledger/Ledger.ts"
import { type Amount, amount } from "../money/Amount.ts"

export interface MemoryLedgerOptions {
  /** The service's wallet, as the records name it. */
  readonly committer: WalletAddress
  /** What the roles are called; by default two chains of no other ledger. */
  readonly networks?: Readonly<Record<NetworkRole, ReturnType<Ledger["Service"]["networkOf"]>>>
  /** What a commit burns, 0.004 by default, and the most that is set aside for that, 0.006 by default. */
  readonly gasPaid?: Amount
  readonly gasCeiling?: Amount
  readonly explorerUrl?: Ledger["Service"]["explorerUrl"]
}

const CONTRACT = walletAddress("0x0000000000000000000000000000000000007053")
const NETWORKS = {
  mainnet: { name: "memory", chainId: 7053901, contract: CONTRACT },
  testnet: { name: "memory testnet", chainId: 7053902, contract: CONTRACT }
}

export const ledgerInMemory = (options: MemoryLedgerOptions): Layer.Layer<Ledger> =>
  Layer.sync(Ledger, () => {
    const { committer, explorerUrl, networks = NETWORKS } = options
    const gasPaid = options.gasPaid ?? amount(4_000_000_000_000_000n)
    const gasCeiling = options.gasCeiling ?? amount(6_000_000_000_000_000n)
    const mined: Record<NetworkRole, Array<LedgerCommit & { readonly assetCid: string }>> = { mainnet: [], testnet: [] }
    const outcomes = new Map<string, CommitOutcome>()

    const mine = ({ assetCid, commitData, commitId, network }: CommitWork): CommitOutcome => {
      const blocks = mined[network]
      const txHash = hashOf(network, commitId, commitData)
      const blockHash = hashOf(blocks.at(-1)?.blockHash ?? network, txHash)
      const place = { blockNumber: blocks.length + 1, blockHash }
      blocks.push({ assetCid, commitData, txHash, ...place, logIndex: 0, recorder: committer })
      return { txHash, place, logIndex: 0, reason: null, gasUsed: 40_000n, gasPaid, watched: false }
    }

    return Ledger.of({
      committerOf: () => committer,
      networkOf: (network) => networks[network],
      quote: () => Effect.succeed(gasCeiling),
      carry: (work) =>
        Effect.sync(() => {
          const outcome = outcomes.get(work.commitId) ?? mine(work)
          outcomes.set(work.commitId, outcome)
          return outcome
        }),
      history: (network, assetCid, range = {}) =>
        Effect.sync(() =>
          within(
            mined[network].filter((one) => one.assetCid === assetCid).map(({ assetCid: _, ...commit }) => commit),
            range
          )
        ),
      explorerUrl: explorerUrl ?? ((network, txHash) => `memory:${network}/tx/${txHash}`)
    })
  })

const within = (commits: ReadonlyArray<LedgerCommit>, { after, before, from, limit }: HistoryRange) => {
  const inside = commits.filter(
    (one) => (after === undefined || isBefore(after, one)) && (before === undefined || isBefore(one, before))
  )
  if (limit === undefined) return inside
  return from === "newest" ? inside.slice(Math.max(0, inside.length - limit)) : inside.slice(0, limit)
}

const isBefore = (a: LedgerPlace, b: LedgerPlace): boolean =>
  a.blockNumber < b.blockNumber || (a.blockNumber === b.blockNumber && a.logIndex < b.logIndex)

const hashOf = (...parts: ReadonlyArray<string>): string =>
  `0x${checksumOf(new TextEncoder().encode(JSON.stringify(parts)))}`

/**
 * The wallets that send commits: the service's own (index 0), and further ones where the settings ask for them. An asset's commits all
 * go through the wallet that a hash of its CID chooses, so that they stand on the ledger in the order they were made.
 */
import { createHash } from "node:crypto"
import type { WalletAddress } from "@treemark/core"
import { Effect } from "effect"
import { CommitterCount, MOST_COMMITTERS } from "./CommitterCount.ts"
import { committerIndex, HdWallets, type HdWalletsShape } from "./HdWallets.ts"

export interface Committer {
  /** As {@link HdWalletsShape} takes it. */
  readonly walletIndex: number
  readonly address: WalletAddress
}

export interface Committers {
  /** In order; the first is the service's own wallet. */
  readonly all: ReadonlyArray<Committer>
  /** The one that commits this asset. */
  readonly of: (assetCid: string) => Committer
  /** The index of a wallet that has been or may become a committer of this seed; undefined for any other address. */
  readonly indexOf: (address: string) => number | undefined
}

/** The committers of these wallets; `count` from 1 to {@link MOST_COMMITTERS}. */
export const committersOf = (wallets: Pick<HdWalletsShape, "address">, count: number): Committers => {
  const committer = (n: number): Committer => {
    const walletIndex = committerIndex(n)
    return { walletIndex, address: wallets.address(walletIndex) }
  }
  const first = committer(0)
  const all = [first, ...Array.from({ length: count - 1 }, (_, n) => committer(n + 1))]
  const choose = (assetCid: string): Committer => {
    const place = createHash("sha256").update(assetCid).digest().readUInt32BE(0) % all.length
    return all[place] ?? first
  }
  return {
    all,
    of: all.length === 1 ? () => first : choose,
    indexOf: (address) => {
      for (let n = 0; n < MOST_COMMITTERS; n++) {
        const { address: known, walletIndex } = all[n] ?? committer(n)
        if (known === address) return walletIndex
      }
      return undefined
    }
  }
}

/** The committers of this process. */
export const makeCommitters = Effect.gen(function* () {
  return committersOf(yield* HdWallets, yield* CommitterCount)
})

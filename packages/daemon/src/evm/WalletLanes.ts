/** The wallets of this process that send transactions, one lane per wallet and chain: its nonces, its turn and its room. */
import { Semaphore } from "effect"
import type * as Nonces from "./Nonces.ts"

/** Transactions of one wallet on one chain that may be under way at a time: what a node's pool guarantees room for. */
const IN_FLIGHT = 16

export interface WalletLane extends Nonces.Lane {
  readonly slots: Semaphore.Semaphore
  /** Held while the chain is asked, and while a nonce is given back. */
  readonly turn: Semaphore.Semaphore
  /** The epoch of the lease under which the chain was asked. */
  startedAt: number | undefined
  /** Why no more may be signed in this process. */
  stopped: string | undefined
}

/** The lane of a wallet on a chain, the same each time. */
export const makeWalletLanes = () => {
  const lanes = new Map<string, WalletLane>()
  const laneOf = (chainId: number, address: string): WalletLane => {
    const key = `${chainId}:${address}`
    const known = lanes.get(key)
    if (known !== undefined) return known
    const [slots, turn] = [Semaphore.makeUnsafe(IN_FLIGHT), Semaphore.makeUnsafe(1)]
    const lane = { chainId, address, slots, turn, startedAt: undefined, stopped: undefined }
    lanes.set(key, lane)
    return lane
  }
  /** Those that have sent something in this process. */
  return Object.assign(laneOf, { all: (): ReadonlyArray<WalletLane> => [...lanes.values()] })
}

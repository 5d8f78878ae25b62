/**
 * Transactions that wait for a block, in memory only: whoever sends keeps the raw bytes and sends them again after a
 * crash. Executable are those whose nonces follow the account's without a gap; others wait, within bounds.
 */
import { MAX_GAPPED_PER_ACCOUNT, MAX_WAITING, MAX_WAITING_PER_ACCOUNT } from "./ChainConfig.ts"
import { refused } from "./RpcError.ts"
import type { Candidate } from "./TxRules.ts"

/** Nonce and balance (wei) of an account as of the last block, and whether it is a contract. */
export interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly hasCode: boolean
}

interface Waiting extends Candidate {
  /** Order of arrival: what came first is executed first, as far as nonces allow. */
  readonly arrival: number
}

/** A replacement has to pay at least this much more (geth's price bump), percent. */
const PRICE_BUMP = 10n

const bumped = (price: bigint): bigint => (price * (100n + PRICE_BUMP)) / 100n

/** What a sender's account alone says of a transaction: throws in geth's words when it can never be executed. */
export const checkSender = ({ cost, nonce, sender }: Candidate, account: Account): void => {
  if (account.hasCode) throw refused(`sender not an eoa: address ${sender}, len(code) > 0`)
  if (nonce < account.nonce) throw refused(`nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`)
  if (cost > account.balance) throw refused(`${shortOf(account)}, tx cost ${cost}, overshot ${cost - account.balance}`)
}

const shortOf = ({ balance }: Account): string => `insufficient funds for gas * price + value: balance ${balance}`

export class Mempool {
  readonly #bySender = new Map<string, Map<bigint, Waiting>>()
  readonly #byHash = new Map<string, Waiting>()
  #arrivals = 0

  /** Takes a transaction in, or throws why not; `account` is the sender's as of the last block. */
  add(candidate: Candidate, account: Account): void {
    const { cost, hash, nonce, sender } = candidate
    if (this.#byHash.has(hash)) throw refused("already known")
    checkSender(candidate, account)
    const queue = this.#bySender.get(sender) ?? new Map<bigint, Waiting>()
    const replaced = queue.get(nonce)
    this.#checkFunds(candidate, account, queue, replaced)
    if (replaced !== undefined) {
      const isBetter = candidate.feeCap > replaced.feeCap && candidate.tipCap > replaced.tipCap
      if (!isBetter || candidate.feeCap < bumped(replaced.feeCap) || candidate.tipCap < bumped(replaced.tipCap)) {
        throw refused("replacement transaction underpriced")
      }
      this.#byHash.delete(replaced.hash)
    } else {
      this.#checkRoom(nonce, sender, account, queue)
    }
    const arrival = replaced?.arrival ?? this.#arrivals++
    const waiting: Waiting = { ...candidate, cost, arrival }
    queue.set(nonce, waiting)
    this.#bySender.set(sender, queue)
    this.#byHash.set(hash, waiting)
  }

  get(hash: string): Candidate | undefined {
    return this.#byHash.get(hash)
  }

  /** The nonce the sender's next transaction takes when all that is executable has been executed. */
  nextNonce(sender: string, accountNonce: bigint): bigint {
    const queue = this.#bySender.get(sender)
    let next = accountNonce
    while (queue?.has(next)) next += 1n
    return next
  }

  /** Addresses with something waiting. */
  senders(): ReadonlyArray<string> {
    return [...this.#bySender.keys()]
  }

  /** What a sender has ready from `accountNonce` on, in nonce order. */
  executable(sender: string, accountNonce: bigint): Array<Waiting> {
    const queue = this.#bySender.get(sender)
    const ready: Array<Waiting> = []
    for (let next = queue?.get(accountNonce); next !== undefined; next = queue?.get(next.nonce + 1n)) ready.push(next)
    return ready
  }

  /** Forgets one transaction, if it is still the one that waits. */
  drop(hash: string): void {
    const waiting = this.#byHash.get(hash)
    if (waiting === undefined) return
    this.#byHash.delete(hash)
    this.#forget(waiting)
  }

  /** Forgets what a block has made stale: everything of `sender` below its new nonce. */
  settle(sender: string, accountNonce: bigint): void {
    for (const waiting of [...(this.#bySender.get(sender)?.values() ?? [])]) {
      if (waiting.nonce < accountNonce) this.drop(waiting.hash)
    }
  }

  #forget({ nonce, sender }: Waiting): void {
    const queue = this.#bySender.get(sender)
    queue?.delete(nonce)
    if (queue?.size === 0) this.#bySender.delete(sender)
  }

  #checkFunds(
    { cost }: Candidate,
    account: Account,
    queue: ReadonlyMap<bigint, Waiting>,
    replaced: Waiting | undefined
  ): void {
    let queued = replaced === undefined ? 0n : -replaced.cost
    for (const waiting of queue.values()) queued += waiting.cost
    if (queued + cost > account.balance) {
      throw refused(
        `${shortOf(account)}, queued cost ${queued}, tx cost ${cost}, overshot ${queued + cost - account.balance}`
      )
    }
  }

  #checkRoom(nonce: bigint, sender: string, account: Account, queue: ReadonlyMap<bigint, Waiting>): void {
    if (this.#byHash.size >= MAX_WAITING) throw refused("txpool is full")
    const next = this.nextNonce(sender, account.nonce)
    const gapped = queue.size - Number(next - account.nonce)
    if (queue.size >= MAX_WAITING_PER_ACCOUNT || (nonce > next && gapped >= MAX_GAPPED_PER_ACCOUNT)) {
      throw refused(`account limit exceeded: ${queue.size} transactions of ${sender} wait, the next nonce is ${next}`)
    }
  }
}

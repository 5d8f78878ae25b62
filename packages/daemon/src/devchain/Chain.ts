/**
 * One embedded chain: takes transactions, makes a block as soon as one can be executed, and stores each block in one
 * database transaction before anybody can see it. Runs in the worker; single-threaded, so plain fields are enough.
 */
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises"
import { type BlockHeader, createBlockHeaderFromRLP } from "@ethereumjs/block"
import { createFeeMarket1559Tx } from "@ethereumjs/tx"
import { createAddressFromPrivateKey, createAddressFromString } from "@ethereumjs/util"
import type { VM } from "@ethereumjs/vm"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { draftBlock } from "./Blocks.ts"
import { BASE_FEE_PER_GAS } from "./ChainConfig.ts"
import { ChainStore } from "./ChainStore.ts"
import { cancun } from "./Fork.ts"
import { ensureGenesis } from "./Genesis.ts"
import { bytes, data } from "./Hex.ts"
import { type Account, Mempool } from "./Mempool.ts"
import { refused } from "./RpcError.ts"
import { accountIn, type Ground, machineAt, stateAt } from "./State.ts"
import { TrieNodes } from "./TrieNodes.ts"
import { type Candidate, checkTransaction } from "./TxRules.ts"

const TRANSFER_GAS = 21_000n
const RETRY_MILLISECONDS = 1000

export interface ChainOptions {
  readonly path: string
  readonly chainId: number
  /** The time, whole seconds since 1970; asked once per block. */
  readonly now: () => number
  /** Called after the COMMIT of each block. */
  readonly onBlock: (number: number) => void
  /** Called when a block could not be made or stored, or a transaction was dropped; a sentence for the log. */
  readonly onFault: (message: string) => void
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export class Chain {
  readonly ground: Ground
  readonly mempool = new Mempool()
  readonly #options: ChainOptions
  readonly #faucetKey: Uint8Array
  #head: BlockHeader
  #vm: VM
  #headState: ReturnType<typeof stateAt>
  #sealing: Promise<void> | undefined
  #wanted = false
  #closing = false

  private constructor(options: ChainOptions, ground: Ground, faucetKey: Uint8Array, head: BlockHeader, vm: VM) {
    this.#options = options
    this.ground = ground
    this.#faucetKey = faucetKey
    this.#head = head
    this.#vm = vm
    this.#headState = stateAt(ground, head.stateRoot)
  }

  /** Opens or creates the chain in `options.path`; O(1) in its length. Throws what {@link ChainStore.open} throws. */
  static async open(options: ChainOptions): Promise<Chain> {
    const store = ChainStore.open(options.path)
    try {
      const common = cancun(options.chainId)
      const ground: Ground = { common, nodes: new TrieNodes(store), store }
      const faucetKey = await ensureGenesis(ground, options.chainId, options.now())
      const head = createBlockHeaderFromRLP(store.head()!.header, { common })
      return new Chain(options, ground, faucetKey, head, await machineAt(ground, head.stateRoot, true))
    } catch (error) {
      store.close()
      throw error
    }
  }

  /** Header of the last stored block. */
  get head(): BlockHeader {
    return this.#head
  }

  /** An account as of the last block. */
  account(address: string): Promise<Account> {
    return accountIn(this.#headState, address)
  }

  /** The sender's next nonce, what waits included. */
  async pendingNonce(address: string): Promise<bigint> {
    return this.mempool.nextNonce(address, (await this.account(address)).nonce)
  }

  /** Takes a raw transaction; answers its hash, or throws in geth's words why it is refused. */
  async submit(raw: Uint8Array): Promise<string> {
    if (this.#closing) throw refused("the chain is shutting down")
    if (this.mempool.get(data(keccak_256(raw))) !== undefined) throw refused("already known")
    const candidate = checkTransaction(this.ground.common, raw)
    if (this.ground.store.tx(bytes(candidate.hash)) !== undefined) {
      const { nonce } = await this.account(candidate.sender)
      throw refused(`nonce too low: next nonce ${nonce}, tx nonce ${candidate.nonce}`)
    }
    this.mempool.add(candidate, await this.#currentAccount(candidate.sender))
    this.#wanted = true
    this.#sealing ??= this.#sealAll()
    return candidate.hash
  }

  /** Sends `wei` from the faucet; answers the transaction's hash. */
  async fund(address: string, wei: bigint): Promise<string> {
    const nonce = await this.pendingNonce(createAddressFromPrivateKey(this.#faucetKey).toString())
    const fields = {
      chainId: this.ground.common.chainId(),
      nonce,
      gasLimit: TRANSFER_GAS,
      maxFeePerGas: BASE_FEE_PER_GAS,
      maxPriorityFeePerGas: 0n,
      to: createAddressFromString(address),
      value: wei
    }
    return this.submit(createFeeMarket1559Tx(fields, { common: this.ground.common }).sign(this.#faucetKey).serialize())
  }

  /** Takes no more transactions, makes blocks of those that are executable, and closes the file. */
  async close(): Promise<void> {
    this.#closing = true
    await this.#sealing
    this.ground.store.close()
  }

  /** The account as of the block that is still the last one when this answers. */
  async #currentAccount(address: string): Promise<Account> {
    for (;;) {
      const head = this.#head
      const account = await this.account(address)
      if (head === this.#head) return account
    }
  }

  async #sealAll(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false
      await nextTick()
      const isSealed = await this.#seal().catch((error: unknown) => this.#recover(error))
      if (isSealed) this.#wanted = true
    }
    this.#sealing = undefined
  }

  /** After a block that failed: back to the last stored state, and a pause before the next try, if there is to be one. */
  async #recover(error: unknown): Promise<boolean> {
    this.#options.onFault(`block ${this.#head.number + 1n} could not be stored: ${reasonOf(error)}; trying again`)
    this.ground.nodes.discard()
    if (this.#closing) return false
    this.#vm = await machineAt(this.ground, this.#head.stateRoot, true)
    await sleep(RETRY_MILLISECONDS)
    return true
  }

  /** One block; false when nothing is executable. */
  async #seal(): Promise<boolean> {
    const queues: Array<ReturnType<Mempool["executable"]>> = []
    for (const sender of this.mempool.senders()) {
      const ready = this.mempool.executable(sender, (await this.account(sender)).nonce)
      if (ready.length > 0) queues.push(ready)
    }
    if (queues.length === 0) return false

    const now = BigInt(this.#options.now())
    const timestamp = now > this.#head.timestamp ? now : this.#head.timestamp
    const draft = await draftBlock(this.#vm, this.#head, timestamp, queues, (candidate, reason) => {
      this.#options.onFault(`transaction ${candidate.hash} was dropped: ${reasonOf(reason)}`)
      this.mempool.drop(candidate.hash)
    })
    if (draft === undefined) return true

    const nodes = this.ground.nodes.reachable(draft.header.stateRoot)
    this.ground.store.transaction(() => this.ground.store.insert({ ...draft.rows, nodes }))
    this.ground.nodes.settle(nodes)
    this.#advance(draft.header, draft.included)
    return true
  }

  /** Without a pause after the COMMIT, so that head and pool never disagree for a reader. */
  #advance(header: BlockHeader, included: ReadonlyArray<Candidate>): void {
    this.#head = header
    this.#headState = stateAt(this.ground, header.stateRoot)
    for (const { nonce, sender } of included) this.mempool.settle(sender, nonce + 1n)
    this.#options.onBlock(Number(header.number))
  }
}

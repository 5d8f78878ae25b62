/**
 * The accounts of the chain at one state root, and the machine that runs on them. A state never writes to the file
 * itself: whatever it makes lies in the write buffer of {@link TrieNodes} until a block stores it.
 */
import type { Common } from "@ethereumjs/common"
import { MerklePatriciaTrie } from "@ethereumjs/mpt"
import { Caches, CacheType, MerkleStateManager } from "@ethereumjs/statemanager"
import { ValueEncoding } from "@ethereumjs/util"
import { createVM, type VM } from "@ethereumjs/vm"
import type { ChainStore } from "./ChainStore.ts"
import type { TrieNodes } from "./TrieNodes.ts"

/** More than the 30M gas of a block can touch, so that nothing unsaved is ever evicted. */
const CACHE_SIZES = {
  account: { type: CacheType.LRU, size: 50_000 },
  code: { type: CacheType.LRU, size: 5_000 },
  storage: { type: CacheType.LRU, size: 50_000 }
} as const

export interface Ground {
  readonly common: Common
  readonly nodes: TrieNodes
  readonly store: ChainStore
}

/** The accounts under `root` (32 bytes; `undefined` for the empty state); `lasting` states cache what they read. */
export const stateAt = ({ common, nodes }: Ground, root: Uint8Array | undefined, lasting = false): MerkleStateManager =>
  new MerkleStateManager({
    common,
    trie: new MerklePatriciaTrie({
      db: nodes,
      useKeyHashing: true,
      valueEncoding: ValueEncoding.Bytes,
      common,
      ...(root === undefined ? {} : { root })
    }),
    caches: new Caches(lasting ? CACHE_SIZES : {})
  })

/** A machine over the state under `root`; BLOCKHASH reads the committed blocks. */
export const machineAt = (ground: Ground, root: Uint8Array, lasting = false): Promise<VM> => {
  const blockchain = {
    getBlock: async (number: number) => {
      const row = ground.store.block(number)
      if (row === undefined) throw new Error(`block ${number} is not in the chain`)
      return { hash: () => row.hash }
    },
    putBlock: async () => {},
    shallowCopy: () => blockchain
  }
  return createVM({ common: ground.common, stateManager: stateAt(ground, root, lasting), blockchain })
}

/**
 * One machine for all calls that throw their changes away: making one costs more than running a commit on it. Calls take turns, each at
 * the state root it names.
 */
export class CallMachine {
  readonly #ground: Ground
  #vm: VM | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(ground: Ground) {
    this.#ground = ground
  }

  /** Runs `work` on the machine, at the state under `root`. */
  at<A>(root: Uint8Array, work: (vm: VM) => Promise<A>): Promise<A> {
    const turn = this.#turn.then(async () => work(await this.#prepare(root)))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #prepare(root: Uint8Array): Promise<VM> {
    const vm = this.#vm ?? (await machineAt(this.#ground, root))
    this.#vm = vm
    await vm.stateManager.setStateRoot(root)
    return vm
  }
}

/**
 * The accounts of the chain at one state root, and the machine that runs on them. A state never writes to the file
 * itself: whatever it makes lies in the write buffer of {@link TrieNodes} until a block stores it.
 */
import type { Common } from "@ethereumjs/common"
import { MerklePatriciaTrie } from "@ethereumjs/mpt"
import { Caches, CacheType, MerkleStateManager } from "@ethereumjs/statemanager"
import { createAddressFromString, KECCAK256_NULL, ValueEncoding } from "@ethereumjs/util"
import { createVM, type VM } from "@ethereumjs/vm"
import type { ChainStore } from "./ChainStore.ts"
import type { Account } from "./Mempool.ts"
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

/** An account as it is in `state`. */
export const accountIn = async (state: MerkleStateManager, address: string): Promise<Account> => {
  const account = await state.getAccount(createAddressFromString(address))
  return {
    nonce: account?.nonce ?? 0n,
    balance: account?.balance ?? 0n,
    hasCode: account !== undefined && !Buffer.from(account.codeHash).equals(KECCAK256_NULL)
  }
}

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

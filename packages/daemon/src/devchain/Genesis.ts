/**
 * Block 0 of an embedded chain: the commit contract at its fixed address, and a faucet account whose key is made at
 * random here and kept only in the chain's own file (mode 0600, in the data folder of mode 0700).
 */
import { randomBytes } from "node:crypto"
import { createBlock } from "@ethereumjs/block"
import { Account, createAddressFromPrivateKey, createAddressFromString } from "@ethereumjs/util"
import { commitDeployedBytecode } from "../evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../evm/LocalNetwork.ts"
import { BASE_FEE_PER_GAS, BLOCK_GAS_LIMIT, FAUCET_BALANCE } from "./ChainConfig.ts"
import { ChainStoreError } from "./ChainLock.ts"
import { bytes } from "./Hex.ts"
import { type Ground, stateAt } from "./State.ts"

const decimal = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString("latin1")

const createGenesis = async (ground: Ground, chainId: number, timestamp: number): Promise<void> => {
  const faucetKey = randomBytes(32)
  const state = stateAt(ground, undefined)
  const contract = createAddressFromString(COMMIT_CONTRACT_ADDRESS)
  await state.putAccount(createAddressFromPrivateKey(faucetKey), new Account(0n, FAUCET_BALANCE))
  await state.putAccount(contract, new Account(1n))
  await state.putCode(contract, bytes(commitDeployedBytecode))
  const stateRoot = await state.getStateRoot()
  const header = {
    number: 0,
    timestamp,
    stateRoot,
    gasLimit: BLOCK_GAS_LIMIT,
    baseFeePerGas: BASE_FEE_PER_GAS
  }
  const block = createBlock({ header, withdrawals: [] }, { common: ground.common })
  const nodes = ground.nodes.reachable(stateRoot)
  ground.store.transaction(() => {
    ground.store.setMeta("chainId", Buffer.from(String(chainId), "latin1"))
    ground.store.setMeta("faucetKey", faucetKey)
    ground.store.insert({
      block: { number: 0, hash: block.hash(), header: block.header.serialize(), size: block.serialize().length },
      transactions: [],
      nodes
    })
  })
  ground.nodes.settle(nodes)
}

/** Makes block 0 in a new file, or checks that an old file is this chain's; answers the faucet's private key. */
export const ensureGenesis = async (ground: Ground, chainId: number, timestamp: number): Promise<Uint8Array> => {
  if (ground.store.head() === undefined) await createGenesis(ground, chainId, timestamp)
  const kept = decimal(ground.store.meta("chainId"))
  const faucetKey = ground.store.meta("faucetKey")
  if (kept !== String(chainId) || faucetKey === undefined) {
    throw new ChainStoreError("foreign", `the file holds the chain with id ${kept}, not ${chainId}`)
  }
  return faucetKey
}

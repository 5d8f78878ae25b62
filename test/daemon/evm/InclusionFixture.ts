/** A signed commit on a real chain, in a block with as many other transactions as a test wants, and the proof of it. */

import { assert } from "@effect/vitest"
import { walletAddress } from "@treemark/core"
import {
  inputOfProof,
  parseProof,
  proofOf,
  proofText,
  type Report,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { Effect } from "effect"
import { encodeFunctionData, type Hex, numberToHex, toHex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { type CommitRecord, commitDataOf } from "../../../packages/core/src/proof/CommitRecord.ts"
import type { LedgerPosition } from "../../../packages/core/src/proof/LedgerPosition.ts"
import { commitAbi } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { inclusionOf } from "../../../packages/daemon/src/evm/Inclusion.ts"
import { networkOf } from "../../../packages/daemon/src/evm/Networks.ts"
import type { Request } from "../../../packages/daemon/src/evm/RpcTransport.ts"
import { signed, treeMembers, utf8 } from "../../core/verification/Fixtures.ts"

export { COMMIT_CONTRACT_ADDRESS as CONTRACT } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
export { CHAIN_ID } from "../devchain/ChainFixture.ts"

export const GWEI = 1_000_000_000n
/** The committer of the fixtures' record. */
export const COMMITTER: PrivateKeyAccount = privateKeyToAccount(toHex(new Uint8Array(32).fill(5)))
export const ASSET_CID = String(treeMembers.assetCid)
export const COMMIT_DATA = commitDataOf(signed.record as CommitRecord)

export interface Chain {
  readonly chainId: number
  readonly contract: string
  readonly request: Request
  readonly embedded: boolean
}

export const asked = (chain: Chain) => ({
  ...networkOf("test", chain.chainId, chain.request),
  contract: walletAddress(chain.contract),
  embedded: chain.embedded
})

const call = (assetCid: string, commitData: string): Hex =>
  encodeFunctionData({ abi: commitAbi, functionName: "commit", args: [assetCid, commitData] })

/**
 * Signed transactions of the committer from nonce `first` on: `count` of many kinds, with the fixtures' commit at `place`. Among the others
 * are commits, transfers, reverting calls; legacy, with an access list, EIP-1559.
 */
export const transactions = (chain: Chain, count: number, place: number, first: number): Promise<ReadonlyArray<Hex>> =>
  Promise.all(
    Array.from({ length: count }, (_, at) => {
      const fees = { maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: GWEI }
      const base = { chainId: chain.chainId, nonce: first + at, gas: 62_000n } as const
      const to = chain.contract as Hex
      if (at === place)
        return COMMITTER.signTransaction({
          ...base,
          ...fees,
          type: "eip1559",
          to,
          data: call(ASSET_CID, COMMIT_DATA),
          gas: 120_000n
        })
      const data = call(at % 2 === 0 ? ASSET_CID : `bafkrei${at}`, "x".repeat(at % 40))
      switch (at % 4) {
        case 0:
          return COMMITTER.signTransaction({ ...base, type: "legacy", to, data, gasPrice: 200n * GWEI })
        case 1:
          return COMMITTER.signTransaction({
            ...base,
            ...fees,
            type: "eip1559",
            to: COMMITTER.address,
            value: 1n,
            gas: 21_000n
          })
        case 2:
          return COMMITTER.signTransaction({
            ...base,
            type: "eip2930",
            to,
            data,
            gasPrice: 200n * GWEI,
            accessList: [{ address: to, storageKeys: [] }]
          })
        default:
          return COMMITTER.signTransaction({ ...base, ...fees, type: "eip1559", to, data: "0x12345678", gas: 40_000n })
      }
    })
  )

interface RpcReceipt {
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly logs: ReadonlyArray<{ readonly logIndex: Hex }>
}

/** Where the transaction's first event stands, as the node tells it. */
export const placeOf = async (chain: Chain, txHash: string): Promise<LedgerPosition> => {
  for (let tries = 0; tries < 500; tries++) {
    const receipt = (await chain.request({
      method: "eth_getTransactionReceipt",
      params: [txHash]
    })) as RpcReceipt | null
    if (receipt === null) await new Promise((resolve) => setTimeout(resolve, 20))
    else
      return {
        network: "test",
        chainId: chain.chainId,
        contract: chain.contract,
        txHash,
        blockNumber: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
        logIndex: Number(receipt.logs[0]!.logIndex),
        recorder: COMMITTER.address
      }
  }
  throw new Error(`no receipt of ${txHash}`)
}

/** The text of the proof that the daemon makes of the commit at `place`. */
export const proofAt = (chain: Chain, place: LedgerPosition) =>
  Effect.map(inclusionOf(asked(chain), place, { assetCid: ASSET_CID, commitData: COMMIT_DATA }), (inclusion) =>
    proofText(
      proofOf({
        tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
        commitData: COMMIT_DATA,
        ledger: place,
        inclusion
      })
    )
  )

export const inputOf = (proof: string): VerifyInput => {
  const reading = parseProof(utf8(proof))
  assert.isTrue(reading.ok, reading.ok ? "" : reading.message)
  return reading.ok ? inputOfProof(reading.proof) : {}
}

/** What a verifier says who knows the block's hash and the contract from elsewhere. */
export const verified = (proof: string, place: LedgerPosition): Report =>
  verify({
    ...inputOf(proof),
    checkpoints: [
      {
        chainId: place.chainId,
        hashes: new Map([[place.blockNumber, place.blockHash]]),
        contracts: [place.contract],
        signers: []
      }
    ]
  })

export const blockOf = (chain: Chain, number: number) =>
  chain.request({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] }) as Promise<{
    readonly transactions: ReadonlyArray<Hex>
    readonly timestamp: Hex
  }>

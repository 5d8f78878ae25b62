/** Commits by other people: sent straight to a node by accounts of its own, without any part of the daemon. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import solc from "solc"
import { createPublicClient, createTestClient, createWalletClient, type Hex } from "viem"
import { mnemonicToAccount } from "viem/accounts"
import { commitAbi } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { patientHttp } from "../../layers/Anvil.ts"

interface Compiled {
  readonly contracts: {
    readonly IndexedLedger: {
      readonly IndexedLedger: { readonly evm: { readonly deployedBytecode: { readonly object: string } } }
    }
  }
}

/** Runtime code of IndexedLedger.sol. */
export const indexedLedgerCode = (): Hex => {
  const content = readFileSync(new URL("../evm/IndexedLedger.sol", import.meta.url), "utf8")
  const input = {
    language: "Solidity",
    sources: { IndexedLedger: { content } },
    settings: { evmVersion: "cancun", outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } } }
  }
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input))) as Compiled
  return `0x${contracts.IndexedLedger.IndexedLedger.evm.deployedBytecode.object}`
}

/** The n-th account of anvil's well-known words, each rich; the daemon's tests use the first ones. */
export const recorder = (index: number) => mnemonicToAccount(`${"test ".repeat(11)}junk`, { addressIndex: index })

/** Somebody with an account on the node at `url`. */
export const stranger = (url: string, contract: string, index = 7) => {
  const account = recorder(index)
  const wallet = createWalletClient({ account, transport: patientHttp(url) })
  const client = createPublicClient({ transport: patientHttp(url), pollingInterval: 20, cacheTime: 0 })
  const steer = createTestClient({ mode: "anvil", transport: patientHttp(url) })
  const send = (assetCid: string, commitData: string, nonce?: number) =>
    wallet.writeContract({
      address: contract as Hex,
      abi: commitAbi,
      functionName: "commit",
      args: [assetCid, commitData],
      chain: null,
      gas: 200_000n,
      ...(nonce === undefined ? {} : { nonce })
    })
  return {
    address: account.address,
    /** Commits and waits for the block; answers the transaction's hash. */
    commit: (assetCid: string, commitData: string) =>
      Effect.promise(async () => {
        const hash = await send(assetCid, commitData)
        await client.waitForTransactionReceipt({ hash })
        return hash
      }),
    /** Commits all of them in one block, in their order. */
    commitTogether: (assetCid: string, texts: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        await steer.setAutomine(false)
        const first = await client.getTransactionCount({ address: account.address })
        const hashes: Array<Hex> = []
        for (const [at, text] of texts.entries()) hashes.push(await send(assetCid, text, first + at))
        await steer.mine({ blocks: 1 })
        await steer.setAutomine(true)
        return hashes
      })
  }
}

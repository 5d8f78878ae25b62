/** Deploys Token.sol, an ERC-20 of the tests' own, on an anvil. */
import { readFileSync } from "node:fs"
import solc from "solc"
import { type Abi, createPublicClient, createWalletClient, type Hex, http } from "viem"
import { mnemonicToAccount } from "viem/accounts"

interface Compiled {
  readonly contracts: {
    readonly Token: {
      readonly Token: { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
    }
  }
}

const compiled = (): Compiled["contracts"]["Token"]["Token"] => {
  const content = readFileSync(new URL("./Token.sol", import.meta.url), "utf8")
  const input = {
    language: "Solidity",
    sources: { Token: { content } },
    settings: { evmVersion: "cancun", outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } }
  }
  return (JSON.parse(solc.compile(JSON.stringify(input))) as Compiled).contracts.Token.Token
}

/** A token of `decimals` on the node at `url`, whose `supply` smallest units all belong to `owner`; answers its address. */
export const deployToken = async (url: string, decimals: number, owner: string, supply: bigint): Promise<string> => {
  const { abi, evm } = compiled()
  const account = mnemonicToAccount(`${"test ".repeat(11)}junk`, { addressIndex: 9 })
  const wallet = createWalletClient({ account, transport: http(url) })
  const hash = await wallet.deployContract({
    abi,
    bytecode: `0x${evm.bytecode.object}` as Hex,
    args: [decimals, owner, supply],
    chain: null
  })
  const receipt = await createPublicClient({ transport: http(url), pollingInterval: 50 }).waitForTransactionReceipt({
    hash
  })
  if (receipt.contractAddress == null) throw new Error("the token was not deployed")
  return receipt.contractAddress
}

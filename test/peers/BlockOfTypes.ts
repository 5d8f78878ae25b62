/** Transactions of every type there is, of one account, for the block that a commit is to share with them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { Hex } from "viem"
import { foundry } from "../layers/Parts.ts"
import { clientsOf, type Node } from "./ChainRun.ts"

const GWEI = 1_000_000_000n
const FEES = { maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: GWEI }

/** Signed, of types 0 to 4, with nonces from the account's next one on; each goes to the account itself or lets it be the contract's code. */
export const transactionsOfTypes = async (
  node: Node,
  code: Hex,
  types: ReadonlyArray<number>
): Promise<ReadonlyArray<Hex>> => {
  const { client, wallet } = clientsOf(node)
  const account = node.rich
  const first = await client.getTransactionCount({ address: account.address, blockTag: "pending" })
  const base = { account, chainId: node.chainId, gas: 100_000n, to: account.address, value: 1n } as const
  const accessList = [{ address: code, storageKeys: [`0x${"00".repeat(32)}` as Hex] }]
  const sign = async (type: number, nonce: number): Promise<Hex> => {
    switch (type) {
      case 0:
        return account.signTransaction({ ...base, type: "legacy", nonce, gasPrice: 500n * GWEI })
      case 1:
        return account.signTransaction({ ...base, type: "eip2930", nonce, gasPrice: 500n * GWEI, accessList })
      case 2:
        return account.signTransaction({ ...base, ...FEES, type: "eip1559", nonce, accessList })
      case 3:
        return blobTransaction(node, nonce)
      default: {
        const authorization = await wallet.signAuthorization({
          contractAddress: code,
          chainId: node.chainId,
          nonce: nonce + 1
        })
        return account.signTransaction({ ...base, ...FEES, type: "eip7702", nonce, authorizationList: [authorization] })
      }
    }
  }
  const signed: Array<Hex> = []
  let nonce = first
  for (const type of types) {
    signed.push(await sign(type, nonce))
    // An account that signs for itself uses up a nonce of its own by it.
    nonce += type === 4 ? 2 : 1
  }
  return signed
}

/** By cast, which makes the blob's commitments and proofs. */
const blobTransaction = ({ rich, url }: Node, nonce: number): Hex => {
  const cast = foundry("cast")
  assert.isDefined(cast)
  const folder = mkdtempSync(join(tmpdir(), "treemark-blob-"))
  try {
    const file = join(folder, "blob")
    writeFileSync(file, "a blob beside a commit")
    const key = (rich as unknown as { readonly key?: Hex }).key ?? ""
    const args = [
      "mktx",
      "--blob",
      "--path",
      file,
      "--nonce",
      String(nonce),
      "--gas-limit",
      "100000",
      "--gas-price",
      "500gwei"
    ]
    const more = [
      "--priority-gas-price",
      "1gwei",
      "--blob-gas-price",
      "500gwei",
      "--rpc-url",
      url,
      "--private-key",
      key,
      rich.address
    ]
    const { status, stderr, stdout } = spawnSync(cast, [...args, ...more], { encoding: "utf8", timeout: 120_000 })
    assert.strictEqual(status, 0, stderr)
    return stdout.trim() as Hex
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

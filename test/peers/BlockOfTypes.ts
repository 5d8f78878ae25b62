/** Transactions of every type there is, of one account, for the block that a commit is to share with them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { foundry } from "../layers/Parts.ts"
import { clientsOf, type Node } from "./ChainRun.ts"

const GWEI = 1_000_000_000n
const FEES = { maxFeePerGas: 500n * GWEI, maxPriorityFeePerGas: GWEI }

/** Somebody for each type, with tokens: some nodes take no blob transaction of an account that has others waiting. */
export const sendersOf = Effect.fnUntraced(function* (node: Node, types: ReadonlyArray<number>) {
  const senders = types.map((type) => {
    const key = generatePrivateKey()
    return { type, key, account: privateKeyToAccount(key) }
  })
  for (const { account } of senders) yield* clientsOf(node).give(account.address, "50")
  return senders
})

type Sender = Effect.Success<ReturnType<typeof sendersOf>>[number]

/** Signed transactions, one of each sender's, with their next nonces; each goes to the sender, or lets the sender be the contract's code. */
export const transactionsOf = async (
  node: Node,
  code: Hex,
  senders: ReadonlyArray<Sender>
): Promise<ReadonlyArray<Hex>> => {
  const { client } = clientsOf(node)
  const accessList = [{ address: code, storageKeys: [`0x${"00".repeat(32)}` as Hex] }]
  const sign = async ({ account, key, type }: Sender): Promise<Hex> => {
    const nonce = await client.getTransactionCount({ address: account.address, blockTag: "pending" })
    const base = { account, chainId: node.chainId, nonce, gas: 100_000n, to: account.address, value: 1n } as const
    switch (type) {
      case 0:
        return account.signTransaction({ ...base, type: "legacy", gasPrice: 500n * GWEI })
      case 1:
        return account.signTransaction({ ...base, type: "eip2930", gasPrice: 500n * GWEI, accessList })
      case 2:
        return account.signTransaction({ ...base, ...FEES, type: "eip1559", accessList })
      case 3:
        return blobTransaction(node, nonce, key)
      default: {
        const asked = { contractAddress: code, chainId: node.chainId, nonce: nonce + 1 }
        const authorizationList = [await account.signAuthorization(asked)]
        return account.signTransaction({ ...base, ...FEES, type: "eip7702", authorizationList })
      }
    }
  }
  return Promise.all(senders.map(sign))
}

/** By cast, which makes the blob's commitments and proofs. */
const blobTransaction = ({ url }: Node, nonce: number, key: Hex): Hex => {
  const cast = foundry("cast")
  assert.isDefined(cast)
  const folder = mkdtempSync(join(tmpdir(), "treemark-blob-"))
  try {
    const file = join(folder, "blob")
    writeFileSync(file, "a blob beside a commit")
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
      privateKeyToAccount(key).address
    ]
    const { status, stderr, stdout } = spawnSync(cast, [...args, ...more], { encoding: "utf8", timeout: 120_000 })
    assert.strictEqual(status, 0, stderr)
    return stdout.trim() as Hex
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

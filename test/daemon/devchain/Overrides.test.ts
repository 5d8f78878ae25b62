/** eth_call with another state than there is, the smaller methods, and proofs of the state against a block's root. */
import { assert, describe, it } from "@effect/vitest"
import { createMPTFromProof } from "@ethereumjs/mpt"
import { decodeRlp, hexlify, keccak256, toUtf8Bytes } from "ethers"
import { type Hex, hexToBytes, numberToHex, pad } from "viem"
import { COMMIT_CONTRACT_ADDRESS } from "../../../packages/daemon/src/evm/LocalNetwork.ts"
import { failureOf, fundedAccount, onChain, rpc, send, TOKEN } from "./ChainFixture.ts"

const SOMEBODY = `0x${"ab".repeat(20)}` as Hex

/** Answers one word: what is on the stack. */
const RETURN = "60005260206000f3"

describe("state overrides", () => {
  it.live("are honoured for the one call: balance, nonce, code, single slots and the whole storage", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      // Initialisation code that stores 42 in slot 1 and answers as code: SLOAD 0 + SLOAD 1.
      const code = `6000546001540160005260206000f3`
      const init = `0x602a600155${`6e${code}600052600f6011f3`}` as Hex
      const { contractAddress } = await send(chain, account, { nonce: 0, to: null, data: init, gas: 200_000n })
      const call = (override: unknown, message: object = { to: contractAddress }) =>
        rpc<Hex>(chain, "eth_call", message, "latest", override)
      const word = (value: number) => pad(numberToHex(value), { size: 32 })
      assert.strictEqual(await call(undefined), word(42))
      const at = (override: object) => ({ [contractAddress!]: override })
      assert.strictEqual(await call(at({ stateDiff: { [word(0)]: word(8) } })), word(50))
      assert.strictEqual(await call(at({ state: { [word(0)]: word(8) } })), word(8))
      assert.strictEqual(await call(at({ code: `0x6007${RETURN}` })), word(7))
      assert.strictEqual(
        await call({ [SOMEBODY]: { balance: "0x5" } }, { data: `0x73${SOMEBODY.slice(2)}31${RETURN}` }),
        word(5)
      )
      const rich = { from: SOMEBODY, to: contractAddress, value: numberToHex(TOKEN) }
      assert.include((await failureOf(call(undefined, rich))).message, "insufficient funds")
      assert.strictEqual(await call({ [SOMEBODY]: { balance: numberToHex(2n * TOKEN) } }, rich), word(42))
      const gas = await rpc(chain, "eth_estimateGas", rich, "latest", {
        [SOMEBODY]: { balance: numberToHex(2n * TOKEN) }
      })
      assert.isAbove(Number(gas), 21_000)
      assert.strictEqual(await call(undefined), word(42))
      assert.strictEqual(await rpc(chain, "eth_getBalance", SOMEBODY), "0x0")
    })
  )

  it.live("are refused where they cannot be honoured", () =>
    onChain(async (chain) => {
      const refusal = (override: unknown, block?: unknown) =>
        failureOf(rpc(chain, "eth_call", { to: SOMEBODY }, "latest", override, block))
      const cases: ReadonlyArray<readonly [override: unknown, message: string]> = [
        [{ [SOMEBODY]: { movePrecompileToAddress: SOMEBODY } }, "movePrecompileToAddress is not supported"],
        [{ [SOMEBODY]: { state: {}, stateDiff: {} } }, 'both "state" and "stateDiff"'],
        [{ [SOMEBODY]: { balance: "five" } }, "balance: want a quantity"],
        [{ [SOMEBODY]: { stateDiff: { "0x0": "0x1" } } }, "stateDiff: want a hash"],
        [{ "0x12": {} }, "want an address"],
        [{ [`0x${"0".repeat(39)}2`]: { code: "0x00" } }, "built-in function"]
      ]
      for (const [override, message] of cases) {
        const { code, message: said } = await refusal(override)
        assert.strictEqual(code, -32602, said)
        assert.include(said, message)
      }
      assert.include((await refusal({}, { number: "0x5" })).message, "block overrides are not supported")
      const later = await failureOf(rpc(chain, "eth_call", { to: SOMEBODY, authorizationList: [] }, "latest"))
      assert.include(later.message, "authorizationList: not supported")
    })
  )
})

describe("smaller methods", () => {
  it.live("count and find transactions by their block, know no uncles, listen, and hash", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const { blockHash, blockNumber, transactionHash } = await send(chain, account, { nonce: 0 })
      const none = `0x${"1".repeat(64)}`
      assert.strictEqual(await rpc(chain, "eth_getBlockTransactionCountByHash", blockHash), "0x1")
      assert.strictEqual(await rpc(chain, "eth_getBlockTransactionCountByNumber", blockNumber), "0x1")
      assert.isNull(await rpc<unknown>(chain, "eth_getBlockTransactionCountByHash", none))
      const expected = await rpc<unknown>(chain, "eth_getTransactionByHash", transactionHash)
      for (const [method, block] of [
        ["eth_getTransactionByBlockHashAndIndex", blockHash],
        ["eth_getTransactionByBlockNumberAndIndex", blockNumber]
      ] as const) {
        assert.deepStrictEqual(await rpc<unknown>(chain, method, block, "0x0"), expected)
        assert.isNull(await rpc<unknown>(chain, method, block, "0x1"))
      }
      assert.strictEqual(await rpc(chain, "eth_getUncleCountByBlockNumber", "latest"), "0x0")
      assert.strictEqual(await rpc(chain, "eth_getUncleCountByBlockHash", blockHash), "0x0")
      assert.isNull(await rpc<unknown>(chain, "eth_getUncleByBlockHashAndIndex", blockHash, "0x0"))
      assert.isTrue(await rpc<unknown>(chain, "net_listening"))
      assert.strictEqual(await rpc(chain, "web3_sha3", hexlify(toUtf8Bytes("abc"))), keccak256(toUtf8Bytes("abc")))
    })
  )
})

interface Proof {
  readonly accountProof: ReadonlyArray<Hex>
  readonly balance: Hex
  readonly nonce: Hex
  readonly storageHash: Hex
  readonly codeHash: Hex
  readonly storageProof: ReadonlyArray<{ readonly key: Hex; readonly value: Hex; readonly proof: ReadonlyArray<Hex> }>
}

/** The value at `key` (hashed) under `root` by another reading of the proof: ethers' RLP and hashes, node by node. */
const walk = (root: string, key: string, proof: ReadonlyArray<Hex>): string | undefined => {
  let nibbles = keccak256(key).slice(2)
  let wanted = root
  for (const node of proof) {
    assert.strictEqual(keccak256(node), wanted)
    const items = decodeRlp(node) as ReadonlyArray<string>
    if (items.length === 17) {
      wanted = String(items[Number.parseInt(nibbles[0]!, 16)])
      nibbles = nibbles.slice(1)
      if (wanted === "0x") return undefined
      continue
    }
    const [path, value] = items as readonly [string, string]
    const flag = Number.parseInt(path[2]!, 16)
    const rest = path.slice(flag % 2 === 1 ? 3 : 4)
    if (!nibbles.startsWith(rest)) return undefined
    if (flag >= 2) return value
    nibbles = nibbles.slice(rest.length)
    wanted = value
  }
  return undefined
}

describe("eth_getProof", () => {
  it.live("proves an account, its slots, and that there is none, against the block's state root", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      for (let other = 0; other < 5; other++) await fundedAccount(chain)
      const stored = await send(chain, account, { nonce: 0, to: null, data: "0x602a600155600d60025500", gas: 200_000n })
      const { stateRoot } = await rpc<{ stateRoot: Hex }>(chain, "eth_getBlockByNumber", "latest", false)
      const proofOf = (address: string, ...slots: ReadonlyArray<string>) =>
        rpc<Proof>(chain, "eth_getProof", address, slots, "latest")

      for (const address of [account.address, COMMIT_CONTRACT_ADDRESS, stored.contractAddress!]) {
        const proof = await proofOf(address)
        const rlp = decodeRlp(walk(stateRoot, address, proof.accountProof)!) as ReadonlyArray<string>
        const [nonce = "", balance = "", storageHash, codeHash] = rlp
        assert.strictEqual(BigInt(nonce === "0x" ? 0 : nonce), BigInt(proof.nonce))
        assert.strictEqual(BigInt(balance === "0x" ? 0 : balance), BigInt(await rpc(chain, "eth_getBalance", address)))
        assert.strictEqual(BigInt(proof.balance), BigInt(balance === "0x" ? 0 : balance))
        assert.deepStrictEqual([storageHash, codeHash], [proof.storageHash, proof.codeHash])
        const trie = await createMPTFromProof(
          proof.accountProof.map((node) => hexToBytes(node)),
          { useKeyHashing: true }
        )
        assert.isNotNull(await trie.get(hexToBytes(address as Hex)))
      }

      const { storageHash, storageProof } = await proofOf(
        stored.contractAddress!,
        "0x1",
        pad("0x2", { size: 32 }),
        "0x3"
      )
      assert.deepStrictEqual(
        storageProof.map(({ value }) => value),
        ["0x2a", "0xd", "0x0"]
      )
      assert.deepStrictEqual(
        storageProof.map(({ key, proof }) => walk(storageHash, pad(key, { size: 32 }), proof)),
        ["0x2a", "0x0d", undefined]
      )
      const nobody = await proofOf(SOMEBODY, "0x0")
      assert.isUndefined(walk(stateRoot, SOMEBODY, nobody.accountProof))
      assert.deepStrictEqual(
        nobody.storageProof.map(({ value }) => value),
        ["0x0"]
      )
      assert.strictEqual((await failureOf(proofOf(SOMEBODY, ...Array.from({ length: 101 }, () => "0x0")))).code, -32602)
    })
  )
})

/** Profiles of the user's own, against a real node: further networks beside the embedded chains, and ledgers reached over RPC. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicClient, createTestClient, http, parseEther } from "viem"
import { commitAbi, commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"
import { deployToken } from "../daemon/evm/TestToken.ts"
import { isAnvilMissing, startAnvil } from "../layers/Anvil.ts"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { bytesOf, commitRequest, temporaryHome } from "./Treemarkd.ts"

const CONTRACT = "0x0000000000000000000000000000000000007053"
const WALLET = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

/** A daemon with the given settings file, in a folder of its own. */
const daemonWith = Effect.fnUntraced(function* (toml: string) {
  const home = yield* temporaryHome
  writeFileSync(join(home, "treemark.toml"), toml)
  return yield* startDaemon({ home, env: { TREEMARK_PROFILE: "own" } })
})

describe.skipIf(isAnvilMissing)("a profile of the user's own", () => {
  it.live(
    "sums a 6-decimals token of a real node with both embedded chains; with the node gone it is 500 and free",
    () =>
      Effect.gen(function* () {
        const anvil = yield* startAnvil({ chainId: 4_242 })
        const token = yield* Effect.promise(() => deployToken(anvil.url, 6, WALLET, 1_234_567n))
        const daemon = yield* daemonWith(`
[profiles.own]
base = "local"
[[profiles.own.networks]]
kind = "erc20"
name = "elsewhere"
chain_id = 4242
rpc = "${anvil.url}"
token = "${token}"
decimals = 6
`)
        const { token: access } = yield* daemon.createAccount({ name: "asks", credits: "1" })
        const headers = { authorization: `token ${access}` }
        const asked = (wallet: string) => daemon.call("/balance/all-networks", { headers, body: { wallet } })
        const found = yield* asked(WALLET)
        assert.strictEqual(found.status, 200, found.text)
        assert.deepStrictEqual(found.json(), {
          wallet: WALLET,
          balance: "1.2345",
          networks: [
            { name: "local mainnet", chainId: 7053001, balance: "0.0000" },
            { name: "local testnet", chainId: 7053002, balance: "0.0000" },
            { name: "elsewhere", chainId: 4242, balance: "1.2345" }
          ]
        })
        const funded = yield* daemon.createAccount({ name: "funded", tokens: "2.00006" })
        const other = yield* Effect.promise(() => deployToken(anvil.url, 6, funded.account.wallet, 1n))
        assert.notStrictEqual(other, token)
        assert.deepInclude((yield* asked(funded.account.wallet)).json(), { balance: "2.0000" })
        assert.strictEqual((yield* daemon.showAccount("asks")).credits, "0.98")

        yield* anvil.stop
        const gone = yield* asked(WALLET)
        assert.strictEqual(gone.status, 500)
        assert.deepInclude(gone.json(), { code: "ledger_unavailable" })
        assert.match(String(gone.json().detail), /elsewhere/)
        assert.strictEqual((yield* daemon.showAccount("asks")).credits, "0.98")
        const mainnet = yield* daemon.call("/balance/mainnet", { body: { wallet: funded.account.wallet } })
        assert.deepStrictEqual(mainnet.json(), { balance: "2.0000" })
      })
  )

  it.live("commits to the ledgers it names over RPC, and answers with the explorer it names", () =>
    Effect.gen(function* () {
      const [main, test] = yield* Effect.all([startAnvil({ chainId: 5_001 }), startAnvil({ chainId: 5_002 })])
      for (const { url } of [main, test]) {
        const steer = createTestClient({ mode: "anvil", transport: http(url) })
        yield* Effect.promise(() => steer.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
      }
      const role = (name: string, chainId: number, url: string) => `
[profiles.own.${name}]
name = "my ${name}"
chain_id = ${chainId}
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://${name}.example.org/tx/HASH?tab=logs"
`
      const daemon = yield* daemonWith(
        `[profiles.own]\n${role("mainnet", 5_001, main.url)}${role("testnet", 5_002, test.url)}`
      )
      const { committer } = (yield* daemon.admin("wallet", "show")) as { readonly committer: `0x${string}` }
      const { token } = yield* daemon.createAccount({ name: "commits", credits: "1" })
      const headers = { authorization: `token ${token}` }
      const asset = yield* daemon.register(bytesOf("networks"))
      const commit = (testnet: boolean) => daemon.call("/commit", { headers, body: commitRequest(asset, { testnet }) })
      const poor = yield* commit(false)
      assert.strictEqual(poor.status, 500, "a committer without gas cannot commit")
      assert.strictEqual((yield* daemon.showAccount("commits")).credits, "1")

      for (const [testnet, { url }, name] of [
        [false, main, "mainnet"],
        [true, test, "testnet"]
      ] as const) {
        const client = createPublicClient({ transport: http(url), cacheTime: 0 })
        const steer = createTestClient({ mode: "anvil", transport: http(url) })
        yield* Effect.promise(() => steer.setBalance({ address: committer, value: parseEther("1") }))
        const before = Number((yield* daemon.showAccount("commits")).credits)
        const done = yield* commit(testnet)
        assert.strictEqual(done.status, 200, done.text)
        const { explorer, txHash } = done.json() as { readonly explorer: string; readonly txHash: `0x${string}` }
        assert.strictEqual(explorer, `https://${name}.example.org/tx/${txHash}?tab=logs`)
        const receipt = yield* Effect.promise(() => client.getTransactionReceipt({ hash: txHash }))
        assert.deepInclude(receipt, { status: "success", to: CONTRACT })
        assert.strictEqual(receipt.from, committer.toLowerCase())
        const events = yield* Effect.promise(() =>
          client.getContractEvents({ address: CONTRACT, abi: commitAbi, eventName: "Commit", fromBlock: 0n })
        )
        assert.deepStrictEqual(
          events.map(({ transactionHash }) => transactionHash),
          [txHash]
        )
        const cost = 0.1 + Number(receipt.gasUsed * receipt.effectiveGasPrice) / 1e18
        assert.closeTo(before - Number((yield* daemon.showAccount("commits")).credits), cost, 1e-12)
      }
      const listed = (yield* daemon.call(`/assets/${asset.assetCid}/commits`)).json().commits
      assert.lengthOf(listed as ReadonlyArray<unknown>, 1)
    })
  )
})

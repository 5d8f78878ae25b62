/** interface.md, "Balance request", "Balance response" and operations 1 and 2: exact funds in, truncated text out. */
import { setTimeout } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HDNodeWallet, JsonRpcProvider, Wallet } from "ethers"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { ALL_NETWORKS, assertProblem, authorized, type Json, MAINNET, pathsOf, Studio, withStudio } from "./Studio.ts"

const UNTOUCHED = "0x000000000000000000000000000000000000dEaD"

const balanceOf = Effect.fnUntraced(function* (wallet: string) {
  const { call } = yield* RunningDaemon
  const answer = yield* call(MAINNET, { body: { wallet } })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json()
})

const onAllNetworks = Effect.fnUntraced(function* (wallet: string) {
  const studio = yield* Studio
  const answer = yield* studio.post(ALL_NETWORKS, { wallet })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json()
})

const twoNetworks = (mainnet: string, testnet: string) => [
  { name: "local mainnet", chainId: 7_053_001, balance: mainnet },
  { name: "local testnet", chainId: 7_053_002, balance: testnet }
]

/** Sends `wei` to `to` on the testnet, from the service's wallet, whose words the operator can print. */
const sendOnTestnet = Effect.fnUntraced(function* (to: string, wei: bigint) {
  const { admin, url } = yield* RunningDaemon
  const { words } = (yield* admin("wallet", "backup", "--yes")) as { readonly words: string }
  yield* Effect.acquireUseRelease(
    Effect.sync(
      () => new JsonRpcProvider(`${url}/rpc/testnet`, 7_053_002, { staticNetwork: true, pollingInterval: 50 })
    ),
    (provider) =>
      Effect.promise(async () => {
        const sent = await HDNodeWallet.fromPhrase(words).connect(provider).sendTransaction({ to, value: wei })
        // sent.wait() waits for a further block where this one comes at the wrong moment, and there is none.
        while ((await provider.getTransactionReceipt(sent.hash)) === null) await setTimeout(50)
      }),
    (provider) => Effect.sync(() => provider.destroy())
  )
})

/** Exact tokens of a wallet, and the text that the interface makes of them. */
const TRUNCATED = [
  ["0.000099990000000000", "0.0000", "digits beyond the fourth are not rounded up"],
  ["0.000000000000000001", "0.0000", "1 wei"],
  ["0.0001", "0.0001", "the smallest balance that shows"],
  ["0.999999999999999999", "0.9999", "one wei short of 1"],
  ["1", "1.0000", "a whole number has its 4 digits"],
  ["12345.678949999999999999", "12345.6789", "more digits than a double holds"],
  ["1000000000000000000000000000000", `1${"0".repeat(30)}.0000`, "10^30 tokens, without an exponent"]
] as const

const NO_ADDRESS = [
  "",
  "0x",
  `0x${"a".repeat(39)}`,
  `0x${"a".repeat(41)}`,
  `0x${"z".repeat(40)}`,
  "a".repeat(40),
  "alice.eth",
  42,
  true,
  null,
  {},
  []
]

withStudio()("interface.md, Balance", (it) => {
  for (const [tokens, text, why] of TRUNCATED) {
    it.effect(`"Digits beyond the fourth are truncated, not rounded": ${tokens} is ${text} (${why})`, () =>
      Effect.gen(function* () {
        const { createAccount } = yield* RunningDaemon
        const { account } = yield* createAccount({ name: `holds ${tokens}`, tokens })
        assert.deepStrictEqual(yield* balanceOf(account.wallet), { balance: text })
        assert.deepStrictEqual(yield* onAllNetworks(account.wallet), {
          wallet: account.wallet,
          balance: text,
          networks: twoNetworks(text, "0.0000")
        })
      })
    )
  }

  it.effect("the command funds a wallet exactly: account create --tokens 0.000099990000000000", () =>
    Effect.gen(function* () {
      const { admin } = yield* RunningDaemon
      const studio = yield* Studio
      const created = (yield* admin("account", "create", "--name", "cli", "--tokens", "0.000099990000000000")) as {
        readonly account: { readonly wallet: string }
      }
      const { wallet } = created.account
      assert.strictEqual(
        BigInt(String(yield* studio.rpc("mainnet", "eth_getBalance", wallet, "latest"))),
        99_990_000_000_000n
      )
      assert.deepStrictEqual(yield* balanceOf(wallet), { balance: "0.0000" })
    })
  )

  it.effect("a wallet that never moved has 0.0000 on every network", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* balanceOf(UNTOUCHED), { balance: "0.0000" })
      assert.deepStrictEqual(yield* onAllNetworks(UNTOUCHED), {
        wallet: UNTOUCHED,
        balance: "0.0000",
        networks: twoNetworks("0.0000", "0.0000")
      })
    })
  )

  it.effect("all networks: the sum is made of the exact amounts and then truncated: 0.00005 + 0.00005 is 0.0001", () =>
    Effect.gen(function* () {
      const { createAccount } = yield* RunningDaemon
      const { account } = yield* createAccount({ name: "on both networks", tokens: "0.00005" })
      yield* sendOnTestnet(account.wallet, 50_000_000_000_000n)
      assert.deepStrictEqual(yield* onAllNetworks(account.wallet), {
        wallet: account.wallet,
        balance: "0.0001",
        networks: twoNetworks("0.0000", "0.0000")
      })
      assert.deepStrictEqual(yield* balanceOf(account.wallet), { balance: "0.0000" })
    })
  )

  it.effect('"The mainnet balance is read from the mainnet\'s JSON-RPC node": tokens on the testnet do not count', () =>
    Effect.gen(function* () {
      const { address } = Wallet.createRandom()
      yield* sendOnTestnet(address, 2_500_000_000_000_000_000n)
      assert.deepStrictEqual(yield* balanceOf(address), { balance: "0.0000" })
      const { balance, networks } = yield* onAllNetworks(address)
      assert.strictEqual(balance, "2.5000")
      assert.deepStrictEqual(networks, twoNetworks("0.0000", "2.5000"))
    })
  )

  it.effect(
    '"wallet": the prefix 0x and 40 hexadecimal digits in any letter case, answered with the EIP-55 checksum',
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const { createAccount } = yield* RunningDaemon
        const { account } = yield* createAccount({ name: "letter case", tokens: "3" })
        const digits = account.wallet.slice(2)
        for (const wallet of [account.wallet, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
          assert.deepStrictEqual(yield* balanceOf(wallet), { balance: "3.0000" })
          assert.strictEqual((yield* onAllNetworks(wallet)).wallet, account.wallet)
        }
        yield* studio.refused(studio.post(MAINNET, { wallet: `0X${digits}` }), 400, "invalid_fields")
      })
  )

  for (const path of [MAINNET, ALL_NETWORKS]) {
    it.effect(`POST ${path}: "wallet | string | yes": anything that is no address is 400 at /wallet, and free`, () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        for (const wallet of NO_ADDRESS) {
          const problem = yield* studio.refused(studio.post(path, { wallet }), 400, "invalid_fields")
          assert.deepStrictEqual(pathsOf(problem), ["/wallet"], JSON.stringify(wallet))
        }
        const missing = yield* studio.refused(studio.post(path, {}), 400, "invalid_fields")
        assert.deepStrictEqual(missing.errors, [{ path: "/wallet", message: "is required" }])
      })
    )

    it.effect(
      `POST ${path}: an unknown field is refused with the nearest known name, beside every other broken rule`,
      () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const problem = yield* studio.refused(studio.post(path, { walet: "0x", wallet: 1 }), 400, "invalid_fields")
          assert.deepStrictEqual(pathsOf(problem), ["/walet", "/wallet"])
          assert.include(problem.errors?.[0]?.message, '"wallet"')
        })
    )

    it.effect(`POST ${path}: a body that is no JSON object is refused`, () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        for (const body of ["[]", "null", "42", '"0x"']) {
          yield* studio.refused(studio.post(path, body), 400, "invalid_fields")
        }
      })
    )
  }

  it.effect('operation 1: "It is free and needs no access token.", and a token is not looked at', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { call } = yield* RunningDaemon
      const before = yield* studio.state
      for (const headers of [{}, authorized("nonsense"), { authorization: "Bearer x" }, authorized(studio.token)]) {
        const answer = yield* call(MAINNET, { body: { wallet: UNTOUCHED }, headers: headers as Record<string, string> })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      assert.deepStrictEqual(yield* studio.state, before)
    })
  )

  it.effect('operation 2: "needs an access token", and without one nothing is answered', () =>
    Effect.gen(function* () {
      const { call } = yield* RunningDaemon
      assertProblem(yield* call(ALL_NETWORKS, { body: { wallet: UNTOUCHED } }), 401, "missing_token")
    })
  )

  it.effect("both operations agree with eth_getBalance of the JSON-RPC nodes", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { committer } = (yield* (yield* RunningDaemon).admin("wallet", "show")) as { readonly committer: string }
      const exact = yield* Effect.forEach(["mainnet", "testnet"] as const, (role) =>
        Effect.map(studio.rpc(role, "eth_getBalance", committer, "latest"), (wei) => BigInt(String(wei)))
      )
      const text = (wei: bigint) => {
        const shown = wei.toString().padStart(19, "0")
        return `${shown.slice(0, -18)}.${shown.slice(-18, -14)}`
      }
      const [mainnet = 0n, testnet = 0n] = exact
      assert.isTrue(mainnet > 0n && testnet > 0n)
      const answer: Json = yield* onAllNetworks(committer)
      assert.strictEqual(answer.balance, text(mainnet + testnet))
      assert.deepStrictEqual(answer.networks, twoNetworks(text(mainnet), text(testnet)))
    })
  )
})

/** interface.md, "Pricing is pay-as-you-go", and the cost rows of "Limits"; decisions.md, section 6. Amounts are 10^-18, exact. */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { formatUnits, parseUnits } from "ethers"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { ALL_NETWORKS, COMMIT, MAINNET, openStudio, type Receipt, type StudioShape, withStudio } from "./Studio.ts"

const WALLET = { wallet: "0x000000000000000000000000000000000000dEaD" }
const COMMIT_PRICE = parseUnits("0.1", 18)
const ALL_NETWORKS_PRICE = parseUnits("0.01", 18)
const GWEI = 1_000_000_000n

const exact = (tokens: string) => parseUnits(tokens, 18)
/** As the service writes amounts: no trailing zeros, no point without digits. */
const text = (units: bigint) => formatUnits(units, 18).replace(/\.0$/, "")

const fourDecimals = (units: bigint) => {
  const digits = (units / 10n ** 14n).toString().padStart(5, "0")
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`
}

/** What the ledger says a transaction's gas cost. */
const gasCost = Effect.fnUntraced(function* (studio: StudioShape, role: "mainnet" | "testnet", { txHash }: Receipt) {
  const receipt = (yield* studio.rpc(role, "eth_getTransactionReceipt", txHash)) as Record<string, string>
  return BigInt(receipt.gasUsed!) * BigInt(receipt.effectiveGasPrice!)
})

const creditsOf = (studio: StudioShape) => Effect.map(studio.state, ({ credits }) => exact(credits))

const asks = Effect.fnUntraced(function* (studio: StudioShape) {
  const answer = yield* studio.post(ALL_NETWORKS, WALLET)
  assert.strictEqual(answer.status, 200, answer.text)
})

/** What a refusal for want of money says: needed, credits and tokens. */
const moneyIn = (detail: string) => {
  const found = /needs up to (\S+) native tokens.* has (\S+) in credits and (\S+) in its wallet/.exec(detail)
  assert.isNotNull(found, detail)
  return { needed: exact(found![1]!), credits: exact(found![2]!), tokens: exact(found![3]!) }
}

withStudio()("interface.md, pricing and charging", (it) => {
  for (const [testnet, role] of [
    [false, "mainnet"],
    [true, "testnet"]
  ] as const) {
    it.effect(
      `"Commit call | 0.1 units of the native token plus gas of about 0.004 units": exact, on the ${role}`,
      () =>
        Effect.gen(function* () {
          const studio = yield* openStudio()
          for (const headline of ["short", "h".repeat(3_000)]) {
            const before = yield* creditsOf(studio)
            const gas = yield* gasCost(studio, role, yield* studio.commit({ testnet, headline }))
            assert.strictEqual(before - (yield* creditsOf(studio)), COMMIT_PRICE + gas)
            assert.isTrue(gas > exact("0.003") && gas < exact("0.006"), `gas cost ${text(gas)}`)
            assert.strictEqual(gas % (100n * GWEI), 0n, "the local chains ask 100 gwei")
          }
        })
    )
  }

  it.effect('"All-networks balance call | 0.01 units of the native token": exactly', () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ credits: "0.010000000000000001" })
      yield* asks(studio)
      assert.strictEqual((yield* studio.state).credits, "0.000000000000000001")
    })
  )

  it.effect('"Mainnet balance call | cost 0": with a token as well; so are registering and looking', () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ credits: "1", tokens: "1" })
      /** Registering takes room, which costs nothing. */
      const money = Effect.map(studio.state, ({ seen: { storage: _, ...seen }, ...state }) => ({ ...state, seen }))
      const before = yield* money
      assert.strictEqual((yield* studio.post(MAINNET, WALLET)).status, 200)
      assert.strictEqual((yield* studio.post("/assets", "bytes", { "content-type": "text/plain" })).status, 201)
      yield* studio.history()
      assert.deepStrictEqual(yield* money, before)
    })
  )

  it.effect("credits are used first: the wallet's tokens stay as they are", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ credits: "1", tokens: "1" })
      const before = yield* studio.state
      const gas = yield* gasCost(studio, "mainnet", yield* studio.commit())
      const after = yield* studio.state
      assert.strictEqual(after.credits, text(exact("1") - COMMIT_PRICE - gas))
      assert.strictEqual(after.tokens, before.tokens)
    })
  )

  it.effect("where credits do not cover the call, the wallet's native tokens do, and the credits stay", () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ credits: "0.1", tokens: "0.225" })
      const gas = yield* gasCost(studio, "mainnet", yield* studio.commit())
      assert.strictEqual((yield* studio.state).credits, "0.1")
      const paid = COMMIT_PRICE + gas
      yield* studio.commit()
      const { detail } = yield* studio.refused(studio.post(COMMIT, studio.request()), 403, "insufficient_funds")
      assert.strictEqual(moneyIn(detail).tokens, exact("0.225") - 2n * paid, "both commits count against the wallet")
    })
  )

  it.effect('"Neither: 403, with what is needed and what is there", and credits and tokens are not added up', () =>
    Effect.gen(function* () {
      const studio = yield* openStudio({ credits: "0.06", tokens: "0.07" })
      const { detail } = yield* studio.refused(studio.post(COMMIT, studio.request()), 403, "insufficient_funds")
      const money = moneyIn(detail)
      assert.strictEqual(money.credits, exact("0.06"))
      assert.strictEqual(money.tokens, exact("0.07"))
      assert.isTrue(money.needed > exact("0.103") && money.needed < exact("0.11"), detail)
      assert.include(detail, "Nothing was charged")

      const poor = yield* openStudio({ credits: "0.009999999999999999", tokens: "0.009999999999999999" })
      const problem = yield* poor.refused(poor.post(ALL_NETWORKS, WALLET), 403, "insufficient_funds")
      assert.deepStrictEqual(moneyIn(problem.detail), {
        needed: ALL_NETWORKS_PRICE,
        credits: ALL_NETWORKS_PRICE - 1n,
        tokens: ALL_NETWORKS_PRICE - 1n
      })
    })
  )

  it.effect("a commit's ceiling is held in advance, and what was not used comes back", () =>
    Effect.gen(function* () {
      const poor = yield* openStudio({ credits: "0.1" })
      const first = yield* poor.refused(poor.post(COMMIT, poor.request()), 403, "insufficient_funds")
      const { needed } = moneyIn(first.detail)
      yield* poor.daemon.addCredits(poor.account.id, text(needed - COMMIT_PRICE - 1n))
      yield* poor.refused(poor.post(COMMIT, poor.request()), 403, "insufficient_funds")
      yield* poor.daemon.addCredits(poor.account.id, text(1n))
      const gas = yield* gasCost(poor, "mainnet", yield* poor.commit())
      assert.strictEqual((yield* poor.state).credits, text(needed - COMMIT_PRICE - gas))
      assert.isTrue(needed - COMMIT_PRICE - gas < exact("0.002"), "the ceiling is near to what gas costs")
    })
  )

  it.effect("the last of the money is spent once: of 10 calls at the same time, 5 are paid and 5 are 403", () =>
    Effect.gen(function* () {
      for (const money of [
        { credits: "0.05", tokens: "0" },
        { credits: "0", tokens: "0.05" }
      ]) {
        const studio = yield* openStudio(money)
        const answers = yield* Effect.forEach(Array(10).keys(), () => studio.post(ALL_NETWORKS, WALLET), {
          concurrency: "unbounded"
        })
        const statuses = answers.map(({ status }) => status).sort()
        assert.deepStrictEqual(statuses, [...Array(5).fill(200), ...Array(5).fill(403)])
        const { detail } = yield* studio.refused(studio.post(ALL_NETWORKS, WALLET), 403, "insufficient_funds")
        assert.deepStrictEqual(moneyIn(detail), { needed: ALL_NETWORKS_PRICE, credits: 0n, tokens: 0n })
      }
    })
  )

  it.effect("commits at the same time, of several accounts and on both networks, are each charged their own gas", () =>
    Effect.gen(function* () {
      const studios = [yield* openStudio(), yield* openStudio({ credits: "0", tokens: "100" }), yield* openStudio()]
      const calls = studios.flatMap((studio) => [...Array(8).keys()].map((number) => ({ studio, number })))
      const sent = yield* Effect.forEach(
        calls,
        ({ studio, number }) =>
          studio.commit({ testnet: number % 2 === 0, headline: `${number}`, commitMessage: "m".repeat(number * 40) }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(sent.map(({ txHash }) => txHash)).size, calls.length)
      for (const studio of [studios[0]!, studios[2]!]) {
        let charged = 0n
        for (const [index, { studio: owner, number }] of calls.entries()) {
          if (owner !== studio) continue
          charged += COMMIT_PRICE + (yield* gasCost(studio, number % 2 === 0 ? "testnet" : "mainnet", sent[index]!))
        }
        const { credits, commits } = yield* studio.state
        assert.strictEqual(credits, text(exact("100") - charged))
        assert.deepStrictEqual(commits, [4, 4])
      }
    })
  )

  it.effect(
    "what a wallet owes reaches the service's wallet in one transfer, to the last unit, once it is 1 token",
    () =>
      Effect.gen(function* () {
        const studio = yield* openStudio({ credits: "0", tokens: "3" })
        const { rpc } = studio
        let owed = 0n
        for (let calls = 0; calls < 10; calls++) {
          owed += COMMIT_PRICE + (yield* gasCost(studio, "mainnet", yield* studio.commit()))
        }
        assert.strictEqual((yield* studio.state).tokens, exact("3"), "nothing has left the wallet yet")
        yield* rpc("mainnet", "eth_getTransactionCount", studio.account.wallet, "latest").pipe(
          Effect.repeat({ until: (count) => count === "0x1", schedule: Schedule.spaced("200 millis"), times: 3_000 })
        )
        const transferGas = 21_000n * 100n * GWEI
        assert.strictEqual((yield* studio.state).tokens, exact("3") - owed - transferGas)
        const { call } = yield* RunningDaemon
        const seen = (yield* call("/account", { headers: { authorization: `token ${studio.token}` } })).json()
        assert.strictEqual(seen.balance, fourDecimals(exact("3") - owed - transferGas))
      })
  )
})

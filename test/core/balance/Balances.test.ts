/** The two balance queries: sums are made before cutting, and a network that does not answer costs nothing and is named. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AllNetworksDeadline, allNetworksBalance } from "../../../packages/core/src/balance/AllNetworksBalance.ts"
import { mainnetBalance } from "../../../packages/core/src/balance/MainnetBalance.ts"
import { type BalanceNetwork, NativeBalance } from "../../../packages/core/src/balance/NativeBalance.ts"
import { Charges } from "../../../packages/core/src/charging/Charges.ts"
import { AccountId, Caller } from "../../../packages/core/src/identity/Caller.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { LedgerUnavailable } from "../../../packages/core/src/ledger/Ledger.ts"
import { type Amount, amount, UNITS_PER_TOKEN } from "../../../packages/core/src/money/Amount.ts"
import { chargesLayer, Trace } from "../../layers/CommitPorts.ts"
import { anyAmount } from "../Generators.ts"

const wallet = walletAddress("0x51130dB91B91377A24d6Ebeb2a5fC02748b53ce1")
const caller = new Caller({
  accountId: AccountId.make("acc_0123456789abcdef"),
  name: "Ann",
  serviceName: "capture",
  wallet
})

type Answer = Effect.Effect<Amount, LedgerUnavailable>
const units = (value: bigint): Answer => Effect.succeed(amount(value))

/** Networks by name, each with its answer; the first is the mainnet. */
const networksLayer = (answers: { readonly [name: string]: Answer }) => {
  const networks = Object.keys(answers).map(
    (name, index): BalanceNetwork => ({ name, chainId: index + 1, kind: index === 0 ? "native" : "erc20" })
  )
  return Layer.succeed(NativeBalance, {
    networks,
    onMainnet: () => answers[networks[0]!.name]!,
    on: (network) => answers[network.name]!
  })
}

const ports = (answers: { readonly [name: string]: Answer }, funds?: Amount) =>
  Layer.merge(networksLayer(answers), chargesLayer(funds))

const ask = allNetworksBalance({ caller, wallet, call: { id: "r1", key: undefined, isNew: true } })
const HELD = "hold balance-all-networks r1 10000000000000000"
const RELEASED = [HELD, "release r1"]

describe("balance on the mainnet", () => {
  it.effect("is cut to 4 decimals", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual<unknown>(yield* mainnetBalance(wallet), { balance: "1.9999" })
    }).pipe(Effect.provide(networksLayer({ jade: units(1_999_999_999_999_999_999n) })))
  )
})

describe("balance on all networks", () => {
  it.effect("sums exact amounts before it cuts, and costs 0.01 once", () =>
    Effect.gen(function* () {
      const answer = yield* ask
      assert.deepStrictEqual<unknown>(answer, {
        wallet,
        balance: "0.0002",
        networks: [
          { name: "jade", chainId: 1, balance: "0.0000" },
          { name: "ethereum", chainId: 2, balance: "0.0000" },
          { name: "polygon", chainId: 3, balance: "0.0001" }
        ]
      })
      assert.deepStrictEqual((yield* Trace).charges, [HELD, "capture r1 10000000000000000"])
    }).pipe(
      Effect.provide(
        ports({
          jade: units(60_000_000_000_000n),
          ethereum: units(39_999_999_999_999n),
          polygon: units(100_000_000_000_001n)
        })
      )
    )
  )

  it.effect.prop(
    "is never less than the sum of what is shown, and never 0.0001 more for each network",
    [anyAmount, anyAmount, anyAmount],
    ([a, b, c]) =>
      Effect.gen(function* () {
        const answer = yield* ask
        const fourthDigits = (text: string) => BigInt(text.replace(".", ""))
        const shown = answer.networks.reduce((sum, { balance }) => sum + fourthDigits(balance), 0n)
        const total = fourthDigits(answer.balance)
        assert.isTrue(total >= shown && total < shown + 3n)
        assert.strictEqual(total, (a + b + c) / (UNITS_PER_TOKEN / 10_000n))
      }).pipe(Effect.provide(ports({ a: units(a), b: units(b), c: units(c) })))
  )

  it.effect("fails when one network fails, naming it, and gives everything back", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask)
      assert(error._tag === "LedgerUnavailable")
      assert.strictEqual(error.network, "polygon")
      assert.include(error.message, "polygon")
      assert.deepStrictEqual((yield* Trace).charges, RELEASED)
    }).pipe(
      Effect.provide(
        ports({
          jade: units(1n),
          polygon: Effect.fail(new LedgerUnavailable({ network: "polygon", reason: "HTTP 503." }))
        })
      )
    )
  )

  it.effect("fails after 10 seconds when one network hangs, naming it, and gives everything back", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(ask))
      yield* TestClock.adjust("9999 millis")
      assert.deepStrictEqual((yield* Trace).charges, [HELD])
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(fiber)
      assert(error._tag === "LedgerUnavailable")
      assert.strictEqual(error.network, "ethereum")
      assert.include(error.message, "no answer within 10s")
      assert.deepStrictEqual((yield* Trace).charges, RELEASED)
    }).pipe(Effect.provide(ports({ jade: units(1n), ethereum: Effect.never })))
  )

  it.effect("asks the networks side by side: each may take the whole deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(ask)
      yield* TestClock.adjust("900 millis")
      assert.strictEqual<string>((yield* Fiber.join(fiber)).balance, "3.0000")
    }).pipe(
      Effect.provideService(AllNetworksDeadline, Duration.seconds(1)),
      Effect.provide(
        ports(
          Object.fromEntries(["a", "b", "c"].map((name) => [name, Effect.delay(units(UNITS_PER_TOKEN), "900 millis")]))
        )
      )
    )
  )

  it.effect("gives everything back when a program error strikes a network", () =>
    Effect.gen(function* () {
      yield* Effect.exit(ask)
      assert.deepStrictEqual((yield* Trace).charges, RELEASED)
    }).pipe(Effect.provide(ports({ jade: Effect.die("bug") })))
  )

  it.effect("asks no network when the caller cannot pay", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask)
      assert.strictEqual(error._tag, "InsufficientFunds")
      assert.deepStrictEqual((yield* Trace).charges, [])
    }).pipe(Effect.provide(ports({ jade: Effect.die("asked") }, amount(9_999_999_999_999_999n))))
  )
})

describe("a balance call that the caller gives up", () => {
  it.effect("while a network is asked gives everything back", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(ask)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual((yield* Trace).charges, RELEASED)
    }).pipe(Effect.provide(ports({ jade: Effect.never })))
  )

  it.effect("while the hold is being made leaves no hold behind", () =>
    Effect.gen(function* () {
      const charges = yield* Charges
      const holding = yield* Deferred.make<void>()
      const slow = {
        ...charges,
        hold: (request: Parameters<typeof charges.hold>[0]) =>
          Effect.uninterruptible(
            Deferred.succeed(holding, undefined).pipe(
              Effect.andThen(Effect.sleep("1 second")),
              Effect.andThen(charges.hold(request))
            )
          )
      }
      const fiber = yield* Effect.forkChild(Effect.provideService(ask, Charges, slow))
      yield* Deferred.await(holding)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(interruption)
      assert.deepStrictEqual((yield* Trace).charges, RELEASED)
    }).pipe(Effect.provide(ports({ jade: units(1n) })))
  )
})

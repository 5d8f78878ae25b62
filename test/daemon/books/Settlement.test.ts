/**
 * What wallets owe reaches the treasury in one transfer each, exactly once, whatever happens to the transfer.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type Amount, amount, type Caller } from "@treemark/core"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Settling from "../../../packages/daemon/src/books/Settlement.ts"
import { HdWallets, SERVICE_WALLET } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assertBalanced, balances, hold, openAccount, TestChain, TOKEN, tokensOf } from "./Bank.ts"
import { GAS, type Office, PRICE, ROOM, settlementLayer, TestTransfers, use, withOffice } from "./Office.ts"

const { Settlement, SettlementInterval, SettlementThreshold, TransferGas } = Settling

const settle = (caller: Caller): Effect.Effect<Amount, unknown, Settling.Settlement> =>
  Effect.flatMap(Settlement, (settlement) => settlement.settle(caller.accountId))

const states = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly state: string }>`SELECT state FROM settlement ORDER BY created_at, id`
  return rows.map((row) => row.state)
})

const treasuryOnChain = Effect.gen(function* () {
  return (yield* TestChain).balances.get((yield* HdWallets).address(SERVICE_WALLET)) ?? 0n
})

describe("settlement", () => {
  it.live("what a wallet owes goes to the service's wallet in one transfer, and the books say so", () =>
    withOffice(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        yield* use(alice, PRICE, "cmt_2")
        assert.strictEqual(yield* settle(alice), 2n * PRICE)
        assert.deepStrictEqual(yield* balances, { revenue: 2n * PRICE, treasury: -2n * PRICE })
        assert.strictEqual(yield* treasuryOnChain, 2n * PRICE)
        assert.strictEqual(yield* tokensOf(alice), TOKEN - 2n * PRICE - GAS)
        assert.strictEqual(yield* settle(alice), 0n)
        assert.deepStrictEqual(yield* states, ["settled"])
      })
    )
  )

  it.live("money held by a running call is not settled", () =>
    withOffice(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        yield* hold(alice, PRICE, "cmt_2")
        assert.strictEqual(yield* settle(alice), PRICE)
        assert.deepInclude(yield* balances, { "held-tokens:alice": PRICE, wallets: -PRICE })
      })
    )
  )

  it.live("the wallet keeps what the transfer's gas may cost, and what that leaves short stays owed", () =>
    withOffice(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, PRICE)
        yield* use(alice, PRICE, "cmt_1")
        assert.strictEqual(yield* settle(alice), PRICE - ROOM)
        assert.deepInclude(yield* balances, { "tokens:alice": -ROOM, treasury: ROOM - PRICE })
        assert.strictEqual(yield* settle(alice), 0n)
        assert.strictEqual((yield* TestTransfers).sent.size, 1)
        assert.strictEqual(yield* settle(alice).pipe(Effect.provideService(TransferGas, amount(GAS))), ROOM - 2n * GAS)
      })
    )
  )

  it.live(
    "a transfer whose outcome is not known is asked for again under the same reference, and counts as owed meanwhile",
    () =>
      withOffice(
        Effect.gen(function* () {
          const state = yield* TestTransfers
          const alice = yield* openAccount("alice", 0n, TOKEN)
          yield* use(alice, PRICE, "cmt_1")
          state.fault = "pending"
          assert.strictEqual(yield* settle(alice), 0n)
          assert.deepInclude(yield* balances, { "settling:alice": -PRICE })
          assert.strictEqual(yield* tokensOf(alice), TOKEN - 2n * PRICE - GAS)
          yield* use(alice, PRICE, "cmt_2")
          state.fault = "none"
          assert.strictEqual(yield* settle(alice), PRICE)
          assert.deepStrictEqual([...state.sent.values()], [PRICE])
          assert.deepInclude(yield* balances, { "tokens:alice": -PRICE, treasury: -PRICE })
        })
      )
  )

  it.live("a ledger that is down fails the settlement, which is taken up later with the same reference", () =>
    withOffice(
      Effect.gen(function* () {
        const state = yield* TestTransfers
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        state.fault = "down"
        yield* Effect.flip(settle(alice))
        yield* Effect.flip(settle(alice))
        assert.deepStrictEqual(yield* states, ["sending"])
        state.fault = "none"
        assert.strictEqual(yield* settle(alice), PRICE)
        assert.deepStrictEqual(yield* states, ["settled"])
      })
    )
  )

  it.live("a transfer that will never happen is given up, and what it should have moved is owed again", () =>
    withOffice(
      Effect.gen(function* () {
        const state = yield* TestTransfers
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        state.fault = "refused"
        assert.strictEqual(yield* settle(alice), 0n)
        assert.deepStrictEqual(yield* balances, { revenue: PRICE, "tokens:alice": -PRICE })
        state.fault = "none"
        const settlement = yield* Settlement
        yield* settlement.settleAll(amount(1n))
        assert.strictEqual(state.sent.size, 0, "it waits for an interval")
        yield* settlement.settleAll(amount(1n)).pipe(Effect.provideService(SettlementInterval, Duration.millis(-1_000)))
        assert.deepStrictEqual(yield* states, ["returned", "settled"])
      })
    )
  )

  it.live("a crash after the transfer was sent settles it once: the restarted daemon asks for the same reference", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const alice = yield* Effect.gen(function* () {
        const caller = yield* openAccount("alice", 0n, TOKEN)
        yield* use(caller, PRICE, "cmt_1")
        ;(yield* TestTransfers).fault = "dies-after"
        yield* Effect.exit(settle(caller))
        return { caller, sent: [...(yield* TestTransfers).sent] }
      }).pipe(Effect.provide(settlementLayer(filename)))
      assert.strictEqual(alice.sent.length, 1)
      yield* Effect.gen(function* () {
        const state = yield* TestTransfers
        yield* (yield* Settlement).settleAll(amount(1_000n * TOKEN))
        assert.deepStrictEqual([...state.sent], alice.sent)
        assert.deepStrictEqual(yield* balances, { revenue: PRICE, treasury: -PRICE })
        yield* assertBalanced()
      }).pipe(Effect.provide(settlementLayer(filename)))
    }).pipe(Effect.scoped)
  )

  it.live("settling one account many times at once makes one transfer", () =>
    withOffice(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        yield* Effect.all(
          Array.from({ length: 16 }, () => settle(alice)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([...(yield* TestTransfers).sent.values()], [PRICE])
        assert.deepStrictEqual(yield* balances, { revenue: PRICE, treasury: -PRICE })
      })
    )
  )

  it.live("only accounts that owe the threshold are settled", () =>
    withOffice(
      Effect.gen(function* () {
        const [alice, bob] = [yield* openAccount("alice", 0n, TOKEN), yield* openAccount("bob", 0n, TOKEN)]
        yield* use(alice, PRICE, "cmt_1")
        yield* use(bob, PRICE - 1n, "cmt_1")
        yield* (yield* Settlement).settleAll(amount(PRICE))
        assert.deepInclude(yield* balances, { "tokens:bob": 1n - PRICE, treasury: -PRICE })
      })
    )
  )

  it.live("while the daemon runs, anything owed is settled every interval", () =>
    withOffice(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", 0n, TOKEN)
        yield* use(alice, PRICE, "cmt_1")
        yield* Effect.gen(function* () {
          yield* Layer.build(Settling.layerLoop)
          while ((yield* TestTransfers).sent.size === 0) yield* Effect.sleep(10)
        }).pipe(
          Effect.scoped,
          Effect.provideService(SettlementInterval, Duration.millis(20)),
          Effect.provideService(SettlementThreshold, amount(TOKEN)),
          Effect.timeout("5 minutes")
        )
      })
    )
  )

  it.live("a settlement that ends while the wallet's balance is being read does not let the wallet spend twice", () =>
    withOffice(
      Effect.gen(function* () {
        const chain = yield* TestChain
        const alice = yield* openAccount("alice", 0n, 2n * PRICE)
        yield* use(alice, PRICE, "cmt_1")
        const office = yield* Effect.context<Office>()
        chain.afterAsked = Effect.suspend(() => {
          chain.afterAsked = Effect.void
          return settle(alice).pipe(
            Effect.provideService(TransferGas, amount(GAS)),
            Effect.provideContext(office),
            Effect.orDie,
            Effect.asVoid
          )
        })
        const error = yield* Effect.flip(hold(alice, PRICE + PRICE / 2n, "cmt_2"))
        assert.strictEqual(error._tag, "InsufficientFunds")
        assert.deepInclude(error, { tokens: amount(PRICE - GAS) })
      })
    )
  )
})

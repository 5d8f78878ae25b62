/** Accounts on a real store: whole or not at all, a wallet of their own each, found by id and by name, credited exactly. */
import { assert, describe, it } from "@effect/vitest"
import { amount, walletAddress } from "@treemark/core"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AccessTokens } from "../../../packages/daemon/src/accounts/AccessTokens.ts"
import * as AccountStore from "../../../packages/daemon/src/accounts/AccountStore.ts"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import { LocalFaucet } from "../../../packages/daemon/src/devchain/LocalFaucet.ts"
import { HdWallets } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { balances, hold, openAccount, TestChain, TOKEN, withBank } from "../books/Bank.ts"

const create = Effect.fnUntraced(function* (name: string, credits = 0n, tokens = 0n) {
  const accounts = yield* Accounts
  return yield* accounts.create({ name, serviceName: `${name}App`, credits: amount(credits), tokens: amount(tokens) })
})

const rowsOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`SELECT * FROM ${sql(table)}`).length
})

describe("accounts", () => {
  it.live("a new account has its own wallet, its credits, its tokens and one access token that works", () =>
    withBank(
      Effect.gen(function* () {
        const { account, token } = yield* create("alice", TOKEN, 3n * TOKEN)
        assert.match(account.id, /^acc_[0-9a-f]{20}$/)
        assert.deepInclude(account, { name: "alice", serviceName: "aliceApp", walletIndex: 1, disabled: false })
        assert.strictEqual(account.credits, TOKEN)
        assert.strictEqual(account.wallet, (yield* HdWallets).address(1))
        assert.strictEqual((yield* TestChain).balances.get(account.wallet), 3n * TOKEN)
        assert.match(Redacted.value(token), /^tmk_/)
        const caller = yield* (yield* AccessTokens).authenticate(token)
        assert.deepInclude(caller, {
          accountId: account.id,
          name: "alice",
          serviceName: "aliceApp",
          wallet: account.wallet
        })
      })
    )
  )

  it.live("20 accounts created at once have 20 wallets, none of them the service's", () =>
    withBank(
      Effect.gen(function* () {
        const made = yield* Effect.all(
          Array.from({ length: 20 }, (_, n) => create(`a${n}`, 0n, 1n)),
          { concurrency: "unbounded" }
        )
        const indexes = made.map(({ account }) => account.walletIndex).sort((a, b) => a - b)
        assert.deepStrictEqual(
          indexes,
          Array.from({ length: 20 }, (_, n) => n + 1)
        )
        const listed = yield* (yield* Accounts).list
        assert.deepStrictEqual(
          listed.map((account) => account.walletIndex),
          indexes
        )
      })
    )
  )

  it.live("a taken name is refused, also for two at the same moment", () =>
    withBank(
      Effect.gen(function* () {
        yield* create("alice")
        const error = yield* Effect.flip(create("alice", TOKEN))
        assert.deepInclude(error, { _tag: "AccountNameTaken", name: "alice" })
        const both = yield* Effect.all([Effect.result(create("bob")), Effect.result(create("bob"))], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(both.map((one) => one._tag).sort(), ["Failure", "Success"])
        assert.strictEqual(yield* rowsOf("account"), 2)
      })
    )
  )

  it.live(
    "when the wallet cannot be funded there is no account, and it can be created again with the same wallet",
    () =>
      withBank(
        Effect.gen(function* () {
          const chain = yield* TestChain
          chain.down = true
          assert.strictEqual((yield* Effect.flip(create("alice", TOKEN, TOKEN)))._tag, "LedgerUnavailable")
          for (const table of ["account", "access_token", "ledger_entry"]) assert.strictEqual(yield* rowsOf(table), 0)
          chain.down = false
          const { account } = yield* create("alice", TOKEN, TOKEN)
          assert.strictEqual(account.walletIndex, 1)
          assert.strictEqual(chain.balances.get(account.wallet), TOKEN)
        })
      )
  )

  it.live(
    "when the store fails after the wallet was funded there is no account, and trying again funds nothing twice",
    () =>
      withBank(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`ALTER TABLE access_token RENAME TO elsewhere`
          assert.strictEqual((yield* Effect.flip(create("alice", TOKEN, TOKEN)))._tag, "StorageUnavailable")
          yield* sql`ALTER TABLE elsewhere RENAME TO access_token`
          for (const table of ["account", "access_token", "ledger_entry"]) assert.strictEqual(yield* rowsOf(table), 0)
          const { account } = yield* create("alice", TOKEN, TOKEN)
          assert.strictEqual((yield* TestChain).balances.get(account.wallet), TOKEN)
        })
      )
  )

  it.live("a wallet index another process took meanwhile is passed over", () =>
    withBank(
      Effect.gen(function* () {
        const chain = yield* TestChain
        const sql = yield* SqlClient.SqlClient
        const wallets = yield* HdWallets
        const racing = LocalFaucet.of({
          fund: (wallet, units) =>
            Effect.suspend(() => {
              chain.balances.set(wallet, units)
              const other = { id: `acc_${"f".repeat(20)}`, name: "other", service_name: "other" }
              return sql`INSERT INTO account ${sql.insert({ ...other, wallet_index: 1, wallet: wallets.address(1), created_at: 0 })}
                ON CONFLICT DO NOTHING`.pipe(Effect.orDie, Effect.asVoid)
            })
        })
        const store = Layer.fresh(AccountStore.layer).pipe(Layer.provide(Layer.succeed(LocalFaucet, racing)))
        const { account } = yield* create("alice", 0n, TOKEN).pipe(Effect.provide(store))
        assert.strictEqual(account.walletIndex, 2)
      })
    )
  )

  it.live("networks whose tokens are real refuse to fund a wallet, and say what to do", () =>
    Effect.gen(function* () {
      const faucet = yield* LocalFaucet
      const wallet = walletAddress(`0x${"1".repeat(40)}`)
      yield* faucet.fund(wallet, amount(0n))
      const error = yield* Effect.flip(faucet.fund(wallet, amount(TOKEN)))
      assert.include(error.message, '"numbers"')
      assert.include(error.message, "--tokens 0")
    }).pipe(Effect.provide(LocalFaucet.layerRefusing("numbers")))
  )

  it.live("an account is found by id and by name, and an id wins over the same text as a name", () =>
    withBank(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { account } = yield* create("alice")
        const { account: impostor } = yield* create(account.id)
        assert.strictEqual((yield* accounts.find("alice")).id, account.id)
        assert.strictEqual((yield* accounts.find(account.id)).id, account.id)
        assert.strictEqual((yield* accounts.find(impostor.id)).name, account.id)
        const error = yield* Effect.flip(accounts.find("nobody"))
        assert.deepInclude(error, { _tag: "AccountNotFound", account: "nobody" })
      })
    )
  )

  it.live("credits are added exactly, and what a running call holds is not among them", () =>
    withBank(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const alice = yield* openAccount("alice", 1n)
        const credited = yield* accounts.addCredits("alice", amount(10n ** 48n))
        assert.strictEqual(credited.credits, 10n ** 48n + 1n)
        yield* hold(alice, 10n ** 48n, "cmt_1")
        assert.strictEqual((yield* accounts.find(alice.accountId)).credits, 1n)
        assert.strictEqual((yield* accounts.list)[0]?.credits, 1n)
        assert.deepInclude(yield* balances, { issued: -(10n ** 48n) - 1n })
        assert.strictEqual((yield* Effect.flip(accounts.addCredits("nobody", amount(1n))))._tag, "AccountNotFound")
      })
    )
  )

  it.live("a disabled account is shown as such until it is enabled", () =>
    withBank(
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { account } = yield* create("alice")
        assert.isTrue((yield* accounts.setDisabled("alice", true)).disabled)
        assert.isTrue((yield* accounts.setDisabled(account.id, true)).disabled)
        assert.isTrue((yield* accounts.find("alice")).disabled)
        assert.isFalse((yield* accounts.setDisabled("alice", false)).disabled)
        assert.strictEqual((yield* Effect.flip(accounts.setDisabled("nobody", true)))._tag, "AccountNotFound")
      })
    )
  )
})

/**
 * The books and accounts on a real store, with a chain that is a table of balances: what the books do with an answer is tested here,
 * not how the answer is got. `bankLayer` opens one file, `withBank` a fresh one.
 */
import { join } from "node:path"
import { assert } from "@effect/vitest"
import {
  amount,
  Caller,
  Charges,
  LedgerUnavailable,
  NativeBalance,
  type Operation,
  type WalletAddress
} from "@treemark/core"
import { credits, payable } from "@treemark/core/charging"
import { Context, Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as AccessTokenStore from "../../../packages/daemon/src/accounts/AccessTokenStore.ts"
import * as AccountStore from "../../../packages/daemon/src/accounts/AccountStore.ts"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import * as ChargesSql from "../../../packages/daemon/src/books/ChargesSql.ts"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import { Postings } from "../../../packages/daemon/src/books/Postings.ts"
import { WalletDebt } from "../../../packages/daemon/src/books/WalletDebt.ts"
import { LocalFaucet } from "../../../packages/daemon/src/devchain/LocalFaucet.ts"
import { HdWallets, walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { storeLayer, tempFolder } from "../store/TempStore.ts"

export const TOKEN = 1_000_000_000_000_000_000n

/** Balances on the mainnet. `afterAsked` runs after each answer was read and before it is given. */
export class TestChain extends Context.Service<
  TestChain,
  {
    readonly balances: Map<WalletAddress, bigint>
    asked: number
    down: boolean
    afterAsked: Effect.Effect<void>
  }
>()("test/TestChain") {
  static readonly layer = Layer.sync(TestChain, () =>
    TestChain.of({ balances: new Map(), asked: 0, down: false, afterAsked: Effect.void })
  )
}

const nativeBalance = Layer.effect(
  NativeBalance,
  Effect.map(TestChain, (chain) => {
    const onMainnet = Effect.fnUntraced(function* (wallet: WalletAddress) {
      chain.asked++
      if (chain.down) return yield* new LedgerUnavailable({ network: "mainnet", reason: "its node is down." })
      const balance = amount(chain.balances.get(wallet) ?? 0n)
      yield* chain.afterAsked
      return balance
    })
    return NativeBalance.of({ networks: [], onMainnet, on: (_, wallet) => onMainnet(wallet) })
  })
)

const faucet = Layer.effect(
  LocalFaucet,
  Effect.map(TestChain, (chain) =>
    LocalFaucet.of({
      fund: Effect.fnUntraced(function* (wallet, least) {
        if (chain.down) return yield* new LedgerUnavailable({ network: "mainnet", reason: "its node is down." })
        const held = chain.balances.get(wallet) ?? 0n
        chain.balances.set(wallet, held < least ? least : held)
      })
    })
  )
)

const hdWallets = Layer.sync(HdWallets, () =>
  HdWallets.of(walletsOf(Redacted.make(Uint8Array.from({ length: 64 }, (_, n) => n))))
)

/** Everything over the store in `filename`. */
export const bankLayer = (filename: string) =>
  Layer.mergeAll(ChargesSql.layer, AccountStore.layer).pipe(
    Layer.provideMerge(WalletDebt.layer),
    Layer.provideMerge(AccessTokenStore.layer),
    Layer.provideMerge(Layer.mergeAll(nativeBalance, faucet, hdWallets, Postings.layer, Holds.layer)),
    Layer.provideMerge(Layer.mergeAll(TestChain.layer, SecureRandom.layerWebCrypto, storeLayer(filename)))
  )

export type Bank = Layer.Success<ReturnType<typeof bankLayer>>

/** Runs `use` on a fresh store, then checks that the books balance. */
export const withBank = <A, E>(use: Effect.Effect<A, E, Bank>) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    return yield* Effect.tap(use, assertBalanced).pipe(Effect.provide(bankLayer(join(folder, "treemark.db"))))
  }).pipe(Effect.scoped)

/** A new account's caller, with credits and tokens in 10^-18. */
export const openAccount = Effect.fnUntraced(function* (name: string, credits: bigint, tokens: bigint = 0n) {
  const { account } = yield* (yield* Accounts).create({
    name,
    serviceName: name,
    credits: amount(credits),
    tokens: amount(tokens)
  })
  return new Caller({
    accountId: account.id,
    name: account.name,
    serviceName: account.serviceName,
    wallet: account.wallet
  })
})

export const hold = Effect.fnUntraced(function* (
  caller: Caller,
  units: bigint,
  reference: string,
  operation: Operation = "commit"
) {
  return yield* (yield* Charges).hold({ caller, operation, reference, amount: amount(units) })
})

/** Credits that a caller may spend. */
export const creditsOf = ({ accountId }: Caller) =>
  Effect.flatMap(Postings, (postings) =>
    Effect.map(postings.balances([credits(accountId)]), ([balance = 0n]) => balance)
  )

/** What the caller's wallet can still pay, as its next call will find. */
export const tokensOf = Effect.fnUntraced(function* (caller: Caller) {
  const sql = yield* SqlClient.SqlClient
  const debt = yield* WalletDebt
  const { onChain } = yield* debt.read(caller)
  return payable(onChain, (yield* sql.withTransaction(debt.lock(caller.accountId))).owed)
})

/** Every balance that is not zero, by account of the books; `acc_…` is written as the caller's name. */
export const balances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* (yield* Accounts).list
  const rows = yield* sql<{ readonly id: string; readonly balance: string }>`
    SELECT id, balance FROM ledger_account WHERE balance <> '0' ORDER BY id`
  const named = (id: string) => accounts.reduce((text, account) => text.replace(account.id, account.name), id)
  return Object.fromEntries(rows.map((row) => [named(row.id), BigInt(row.balance)]))
})

/** All balances sum to zero, each is the sum of its postings, and open holds are what is held. */
export const assertBalanced = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const books = yield* sql<{ readonly id: string; readonly balance: string }>`SELECT id, balance FROM ledger_account`
  const postings = yield* sql<{ readonly entry_id: string; readonly account_id: string; readonly amount: string }>`
    SELECT entry_id, account_id, amount FROM posting`
  const sumBy = (key: "entry_id" | "account_id") => {
    const sums = new Map<string, bigint>()
    for (const row of postings) sums.set(row[key], (sums.get(row[key]) ?? 0n) + BigInt(row.amount))
    return sums
  }
  const perAccount = sumBy("account_id")
  for (const { id, balance } of books) assert.strictEqual(BigInt(balance), perAccount.get(id) ?? 0n, id)
  for (const [id, sum] of sumBy("entry_id")) assert.strictEqual(sum, 0n, id)
  const total = (rows: ReadonlyArray<{ readonly id: string; readonly balance: string }>) =>
    rows.reduce((sum, row) => sum + BigInt(row.balance), 0n)
  assert.strictEqual(total(books), 0n)
  const open = yield* (yield* Holds).open
  const held = books.filter((row) => row.id.startsWith("held-"))
  assert.strictEqual(
    open.reduce((sum, one) => sum + one.amount, 0n),
    total(held)
  )
})

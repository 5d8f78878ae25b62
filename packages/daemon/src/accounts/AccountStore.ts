/**
 * Layer of `Accounts` on SQL. An account, its first token and its first credits are made in one transaction, after its wallet was
 * funded: when any of it fails there is no account, and creating it again starts from the same wallet.
 */
import { AccountId, type Amount, WalletAddress } from "@treemark/core"
import { credits as creditsOf, issued } from "@treemark/core/charging"
import { Clock, Effect, Layer, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Postings } from "../books/Postings.ts"
import { LocalFaucet } from "../devchain/LocalFaucet.ts"
import { AmountColumn, IntColumn, rowsAs } from "../store/Columns.ts"
import { randomId } from "../store/RandomId.ts"
import { storing } from "../store/StorageFailure.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { Account, AccountClosed, AccountNameTaken, AccountNotFound, Accounts } from "./Accounts.ts"

type NewAccount = Parameters<Accounts["Service"]["create"]>[0]

const Row = Schema.Struct({
  id: AccountId,
  name: Schema.String,
  service_name: Schema.String,
  wallet: WalletAddress,
  wallet_index: IntColumn,
  disabled_at: Schema.NullOr(IntColumn),
  closed_at: Schema.NullOr(IntColumn),
  created_at: IntColumn,
  credits: AmountColumn
})
const accountRows = rowsAs(Row)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const postings = yield* Postings
  const tokens = yield* AccessTokens
  const faucet = yield* LocalFaucet
  const wallets = yield* HdWallets
  const random = yield* SecureRandom.SecureRandom
  const oneAtATime = Semaphore.makeUnsafe(1)

  const select = Effect.fnUntraced(function* (which: ReturnType<typeof sql.literal>) {
    const rows = yield* accountRows(sql`
      SELECT a.id, a.name, a.service_name, a.wallet, a.wallet_index, a.disabled_at, a.closed_at, a.created_at,
        COALESCE(b.balance, '0') AS credits
      FROM account a LEFT JOIN ledger_account b ON b.id = 'credits:' || a.id ${which}`)
    return rows.map(accountOf)
  })

  /** A name that is another account's id does not hide that account. */
  const found = Effect.fnUntraced(function* (idOrName: string) {
    const rows = yield* select(sql`WHERE a.id = ${idOrName} OR a.name = ${idOrName}`)
    return rows.find((account) => account.id === idOrName) ?? rows[0] ?? (yield* missing(idOrName))
  })

  /** The account, locked until the transaction around it ends, so that it is not closed meanwhile. */
  const stillOpen = Effect.fnUntraced(function* (idOrName: string) {
    const { id, name } = yield* found(idOrName)
    yield* postings.lock([creditsOf(id)])
    const account = yield* found(id)
    return account.closed ? yield* new AccountClosed({ name }) : account
  })

  const grant = Effect.fnUntraced(function* (accountId: AccountId, amount: Amount) {
    const reference = yield* randomId("grant", random)
    yield* postings.post({ id: `grant:${reference}`, kind: "grant", reference }, [
      { account: issued, amount: -amount },
      { account: creditsOf(accountId), amount }
    ])
  })

  const refuseTaken = Effect.fnUntraced(function* (name: string) {
    const taken = yield* sql`SELECT id FROM account WHERE name = ${name}`
    if (taken.length > 0) return yield* new AccountNameTaken({ name })
  })

  const nextIndex = Effect.fnUntraced(function* () {
    const rows = yield* sql<{
      readonly next: number | bigint
    }>`SELECT COALESCE(MAX(wallet_index), 0) + 1 AS next FROM account`
    return Number(rows[0]?.next ?? 1)
  })

  /** Writes the account, or nothing when its wallet's index was taken meanwhile. */
  const write = Effect.fnUntraced(function* (request: NewAccount, wallet: WalletAddress, walletIndex: number) {
    const id = AccountId.make(yield* randomId("acc", random))
    const created_at = yield* Clock.currentTimeMillis
    const written = yield* sql`INSERT INTO account ${sql.insert({
      id,
      name: request.name,
      service_name: request.serviceName,
      wallet_index: walletIndex,
      wallet,
      created_at
    })} ON CONFLICT DO NOTHING RETURNING id`
    if (written.length === 0) return yield* Effect.as(refuseTaken(request.name), undefined)
    yield* grant(id, request.credits)
    const { token } = yield* tokens
      .issue(id, { label: "first", expiresAt: null })
      .pipe(Effect.catchTags({ AccountClosed: Effect.die, AccountNotFound: Effect.die }))
    return { account: yield* Effect.catchTag(found(id), "AccountNotFound", Effect.die), token }
  }, sql.withTransaction)

  const create = Effect.fn("Accounts.create")(
    function* (request: NewAccount) {
      yield* refuseTaken(request.name)
      for (;;) {
        const walletIndex = yield* nextIndex()
        const wallet = wallets.address(walletIndex)
        if (request.tokens > 0n) yield* faucet.fund(wallet, request.tokens)
        const created = yield* write(request, wallet, walletIndex)
        if (created !== undefined) return created
      }
    },
    Effect.uninterruptible,
    oneAtATime.withPermit,
    storing("an account was created")
  )

  const addCredits = Effect.fn("Accounts.addCredits")(
    function* (idOrName: string, credits: Amount) {
      const { id } = yield* stillOpen(idOrName)
      yield* grant(id, credits)
      return yield* found(id)
    },
    sql.withTransaction,
    storing("credits were added")
  )

  const setDisabled = Effect.fn("Accounts.setDisabled")(
    function* (idOrName: string, disabled: boolean) {
      const { id } = yield* stillOpen(idOrName)
      const at = yield* Clock.currentTimeMillis
      yield* disabled
        ? sql`UPDATE account SET disabled_at = COALESCE(disabled_at, ${at}) WHERE id = ${id}`
        : sql`UPDATE account SET disabled_at = NULL WHERE id = ${id}`
      return yield* found(id)
    },
    sql.withTransaction,
    storing("an account was enabled or disabled")
  )

  return Accounts.of({
    create,
    find: Effect.fn("Accounts.find")((idOrName: string) => found(idOrName), storing("an account was looked up")),
    list: select(sql`ORDER BY a.wallet_index`).pipe(storing("accounts were listed"), Effect.withSpan("Accounts.list")),
    addCredits,
    setDisabled
  })
})

export const layer: Layer.Layer<
  Accounts,
  never,
  SqlClient.SqlClient | Postings | AccessTokens | LocalFaucet | HdWallets | SecureRandom.SecureRandom
> = Layer.effect(Accounts, make)

const missing = (account: string) => Effect.fail(new AccountNotFound({ account }))

const accountOf = (row: typeof Row.Type): Account =>
  new Account({
    id: row.id,
    name: row.name,
    serviceName: row.service_name,
    wallet: row.wallet,
    walletIndex: row.wallet_index,
    disabled: row.disabled_at !== null,
    closed: row.closed_at !== null,
    createdAt: row.created_at,
    credits: row.credits
  })

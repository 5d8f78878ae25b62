/** Receipts on a real store: one for every charge, in the charge's own transaction, chained per account whoever charges. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges, openReceipt } from "@treemark/core"
import { verifyStatement } from "@treemark/core/verify"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import { Statements } from "../../../packages/daemon/src/accounts/Statements.ts"
import { Receipts } from "../../../packages/daemon/src/books/Receipts.ts"
import { Snapshot } from "../../../packages/daemon/src/store/Snapshot.ts"
import { HdWallets, SERVICE_WALLET } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assertBalanced, bankLayer, hold, openAccount, TOKEN, withBank } from "./Bank.ts"

interface Row {
  readonly account_id: string
  readonly sequence: number
  readonly hash: string
  readonly document: string
}

const receiptsOf = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Row>`SELECT * FROM receipt WHERE account_id = ${accountId} ORDER BY sequence`
})

const charge = Effect.fnUntraced(function* (caller: Parameters<typeof hold>[0], reference: string, units = TOKEN / 5n) {
  yield* (yield* Charges).capture(yield* hold(caller, TOKEN / 4n, reference), amount(units))
})

const statementOf = Effect.fnUntraced(
  function* (account: string, period: { readonly from?: string; readonly to?: string } = {}) {
    return yield* (yield* Statements).of(account, period)
  },
  Effect.provide(Statements.layer.pipe(Layer.provide(Snapshot.layer)))
)

describe("receipts", () => {
  it.live("are signed by the service's wallet and say what was charged, for what, and which one came before", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        yield* charge(alice, "cmt_1")
        yield* charge(alice, "cmt_2", TOKEN / 20n)
        const receipts = yield* Receipts
        const compact = Option.getOrThrow(yield* receipts.ofWork(alice.accountId, "commit", "cmt_2"))
        const [first, second] = yield* receiptsOf(alice.accountId)
        const { text } = openReceipt(compact)!
        assert.strictEqual(text, second?.document)
        const { issuedAt, posting, ...said } = JSON.parse(text) as Record<string, unknown>
        assert.deepStrictEqual(said, {
          version: 1,
          account: alice.accountId,
          sequence: 2,
          previous: first?.hash,
          operation: "commit",
          reference: "cmt_2",
          amount: "0.05",
          price: "0.05",
          gas: "0",
          funding: "credits",
          priceListVersion: "2026-11",
          service: (yield* HdWallets).address(SERVICE_WALLET)
        })
        assert.match(String(issuedAt), /^\d{4}-.*Z$/)
        assert.match(String(posting), /^capture:hold_/)
        assert.isTrue(Option.isNone(yield* receipts.ofWork(alice.accountId, "commit", "cmt_3")))
      })
    )
  )

  it.live("form one chain without gaps for each account when many calls are charged at once, repeated ones once", () =>
    withBank(
      Effect.gen(function* () {
        const callers = [yield* openAccount("alice", 100n * TOKEN), yield* openAccount("bob", 0n, 100n * TOKEN)]
        const works = Array.from({ length: 60 }, (_, n) => ({ caller: callers[n % 2]!, reference: `cmt_${n % 40}` }))
        yield* Effect.forEach(works, ({ caller, reference }) => charge(caller, reference), {
          concurrency: "unbounded",
          discard: true
        })
        for (const { accountId } of callers) {
          const rows = yield* receiptsOf(accountId)
          assert.strictEqual(rows.length, 20)
          const statement = yield* statementOf(accountId)
          const report = verifyStatement(statement)
          assert.deepStrictEqual([report.verdict, report.receipts], ["valid", 20])
        }
      })
    )
  )

  it.live("and charges stand or fall together: where no receipt can be written, nothing is charged", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        const held = yield* hold(alice, TOKEN / 4n, "cmt_1")
        const sql = yield* SqlClient.SqlClient
        yield* sql`ALTER TABLE receipt RENAME TO receipt_away`
        const error = yield* Effect.flip((yield* Charges).capture(held, amount(TOKEN / 5n)))
        assert.strictEqual(error._tag, "StorageUnavailable")
        yield* sql`ALTER TABLE receipt_away RENAME TO receipt`
        assert.strictEqual((yield* (yield* Accounts).find("alice")).credits, amount((3n * TOKEN) / 4n))
        yield* (yield* Charges).capture(held, amount(TOKEN / 5n))
        assert.strictEqual((yield* receiptsOf(alice.accountId)).length, 1)
      })
    )
  )

  it.live("are written at the next start for charges from before there were receipts, oldest first", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const earlier = Effect.gen(function* () {
        const alice = yield* openAccount("alice", 100n * TOKEN)
        yield* Effect.forEach(
          Array.from({ length: 250 }, (_, n) => n),
          (n) => charge(alice, `cmt_${n}`)
        )
        const sql = yield* SqlClient.SqlClient
        yield* sql.onDialectOrElse({
          pg: () => sql`DROP TRIGGER receipt_kept ON receipt`,
          orElse: () => sql`DROP TRIGGER receipt_kept`
        })
        yield* sql`DELETE FROM receipt`
      })
      yield* Effect.provide(earlier, bankLayer(filename))
      const report = yield* Effect.provide(Effect.map(statementOf("alice"), verifyStatement), bankLayer(filename))
      assert.deepStrictEqual([report.verdict, report.receipts], ["valid", 250])
    }).pipe(Effect.scoped)
  )
})

describe("statements", () => {
  it.live("of adjoining periods follow one another: what one closes with, the next opens with", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN, 10n * TOKEN)
        yield* charge(alice, "cmt_1")
        yield* Effect.sleep(5)
        const middle = new Date(yield* Effect.clockWith((clock) => clock.currentTimeMillis)).toISOString()
        yield* Effect.sleep(5)
        yield* (yield* Accounts).addCredits("alice", amount(2n * TOKEN))
        yield* charge(alice, "cmt_2")
        yield* hold(alice, TOKEN / 4n, "cmt_3")
        const [whole, first, second] = [
          yield* statementOf("alice"),
          yield* statementOf("alice", { to: middle }),
          yield* statementOf("alice", { from: middle })
        ]
        for (const statement of [whole, first, second]) assert.strictEqual(verifyStatement(statement).verdict, "valid")
        assert.deepStrictEqual(first.closing, second.opening)
        assert.deepStrictEqual([...first.movements, ...second.movements], whole.movements)
        assert.deepStrictEqual(second.closing, whole.closing)
        assert.strictEqual(whole.closing.credits, "2.6")
        assert.deepStrictEqual(
          whole.movements.map(({ credits, kind }) => [kind, credits]),
          [
            ["grant", "1"],
            ["charge", "-0.2"],
            ["grant", "2"],
            ["charge", "-0.2"]
          ]
        )
      })
    )
  )

  it.live("refuse a period that is none, and an account that is not there", () =>
    withBank(
      Effect.gen(function* () {
        yield* openAccount("alice", TOKEN)
        for (const period of [
          { from: "yesterday" },
          { to: "2026-11-01T12:00" },
          { from: "2099-01-01" },
          { from: "2020-02-01", to: "2020-01-01" }
        ]) {
          assert.strictEqual(
            (yield* Effect.flip(statementOf("alice", period)))._tag,
            "InvalidFields",
            JSON.stringify(period)
          )
        }
        assert.strictEqual((yield* Effect.flip(statementOf("nobody")))._tag, "AccountNotFound")
      })
    )
  )
})

describe("the database", () => {
  const entry = Effect.fnUntraced(function* (...amounts: ReadonlyArray<bigint>) {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO ledger_entry ${sql.insert({ id: "e", kind: "test", reference: "x", created_at: 0 })}`
    for (const [n, units] of amounts.entries()) {
      yield* sql`INSERT INTO ledger_account ${sql.insert({ id: `a${n}`, kind: "test", overdraft: 1 })}`
      yield* sql`INSERT INTO posting ${sql.insert({ entry_id: "e", account_id: `a${n}`, amount: units.toString() })}`
    }
  })
  const commit = (...amounts: ReadonlyArray<bigint>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(entry(...amounts)))

  it.live("refuses, when a transaction commits, an entry whose postings do not sum to zero", () =>
    withBank(
      Effect.gen(function* () {
        const limb = 10n ** 12n
        for (const amounts of [[1n], [5n, -4n], [limb, -1n], [10n ** 40n, -(10n ** 40n) + 1n], [limb ** 2n, -limb]]) {
          const error = yield* Effect.flip(commit(...amounts))
          assert.strictEqual(error._tag, "SqlError", String(amounts))
        }
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`SELECT id FROM ledger_entry WHERE id = 'e'`, [])
      })
    )
  )

  it.live("takes one whose postings do, whatever their size and their carries", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const balanced = [
        [7n, -7n],
        [10n ** 12n, -(10n ** 12n - 1n), -1n],
        [-(10n ** 36n), 10n ** 36n - 10n ** 24n, 10n ** 24n - 1n, 1n],
        [3n * 10n ** 90n, -(10n ** 90n), -2n * 10n ** 90n]
      ]
      for (const [n, amounts] of balanced.entries()) {
        yield* Effect.provide(commit(...amounts), bankLayer(join(folder, `store-${n}.db`)))
      }
    }).pipe(Effect.scoped)
  )

  it.live("never changes or removes what was booked", () =>
    withBank(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* charge(yield* openAccount("alice", TOKEN), "cmt_1")
        for (const statement of [
          sql`UPDATE posting SET amount = '1'`,
          sql`DELETE FROM posting`,
          sql`UPDATE ledger_entry SET reference = 'other'`,
          sql`DELETE FROM ledger_entry`,
          sql`UPDATE receipt SET document = '{}'`,
          sql`DELETE FROM receipt`
        ]) {
          assert.strictEqual((yield* Effect.flip(statement))._tag, "SqlError")
        }
        yield* assertBalanced()
      })
    )
  )
})

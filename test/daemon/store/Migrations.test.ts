/** The tables of the store: made once, refused when from the future, and guarding amounts by themselves. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LATEST, migrate, stepsBetween } from "../../../packages/daemon/src/store/Migrations.ts"
import * as Sqlite from "../../../packages/daemon/src/store/Sqlite.ts"
import { STATES } from "../../core/commit/MachineTable.ts"
import { tempFolder, withStore } from "./TempStore.ts"

const bookWith = Effect.fnUntraced(function* (balance: string, overdraft: 0 | 1) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM ledger_account`
  yield* sql`INSERT INTO ledger_account ${sql.insert({ id: "credits:acc_x", kind: "credits", balance, overdraft })}`
  const rows = yield* sql<{ readonly balance: string }>`SELECT balance FROM ledger_account`
  return rows[0]?.balance
})

const refusal = <A, R>(effect: Effect.Effect<A, { readonly reason: { readonly _tag: string } }, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason._tag)

describe("migrations of the store", () => {
  it.live("run once: a second run does nothing, a reopened store neither", () =>
    Effect.gen(function* () {
      const store = Sqlite.layer({ filename: join(yield* tempFolder, "treemark.db") })
      const [first, second] = yield* Effect.provide(Effect.all([migrate, migrate]), store)
      assert.deepStrictEqual(first[0], [1, "Initial"])
      const versions = first.map(([id]) => id)
      assert.deepStrictEqual(
        versions,
        stepsBetween(0, LATEST).map(({ version }) => version)
      )
      assert.deepStrictEqual(
        versions,
        versions.toSorted((left, right) => left - right)
      )
      assert.deepStrictEqual(second, [])
      assert.deepStrictEqual(yield* Effect.provide(migrate, store), [])
    }).pipe(Effect.scoped)
  )

  it.live("are all the steps that the folder has, by name", () =>
    Effect.gen(function* () {
      const steps = yield* Effect.provide(migrate, Sqlite.layer({ filename: join(yield* tempFolder, "treemark.db") }))
      const folder = new URL("../../../packages/daemon/src/store/migrations/", import.meta.url)
      assert.deepStrictEqual(
        steps.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}.ts`),
        readdirSync(folder).sort()
      )
    }).pipe(Effect.scoped)
  )

  it.live("a store of a later version is refused and left as it is", () =>
    Effect.gen(function* () {
      const store = Sqlite.layer({ filename: join(yield* tempFolder, "treemark.db") })
      const error = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate
        yield* sql`INSERT INTO schema_migration ${sql.insert({ migration_id: 99, name: "Later" })}`
        return yield* Effect.flip(migrate)
      }).pipe(Effect.provide(store))
      assert.strictEqual(error._tag, "StoreTooNew")
      assert.include(error.message, "version 99")
    }).pipe(Effect.scoped)
  )
})

describe("what the tables themselves refuse", () => {
  it.live("a balance is canonical decimal text, and negative only in an account that may overdraw", () =>
    withStore(
      Effect.gen(function* () {
        for (const balance of ["0", "1", "1000000000000000000000000000000000000000"]) {
          assert.strictEqual(yield* bookWith(balance, 0), balance)
        }
        assert.strictEqual(yield* bookWith("-12", 1), "-12")
        assert.strictEqual(yield* refusal(bookWith("-12", 0)), "ConstraintError")
        for (const balance of ["", "-", "-0", "00", "012", "1.5", "1e3", "0x1", " 1", "1 ", "--1", "1-", "+1", "١"]) {
          assert.strictEqual(yield* refusal(bookWith(balance, 1)), "ConstraintError", JSON.stringify(balance))
        }
      })
    )
  )

  it.live("a posting needs its entry and its account, a whole amount, and is made once", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const post = (amount: string, account_id = "revenue") =>
          sql`INSERT INTO posting ${sql.insert({ entry_id: "e", account_id, amount })}`
        assert.strictEqual(yield* refusal(post("1")), "ConstraintError")
        yield* sql`INSERT INTO ledger_account ${sql.insert({ id: "revenue", kind: "revenue" })}`
        yield* sql`INSERT INTO ledger_entry ${sql.insert({ id: "e", kind: "test", created_at: 0 })}`
        assert.strictEqual(yield* refusal(post("0")), "ConstraintError")
        assert.strictEqual(yield* refusal(post("0.5")), "ConstraintError")
        assert.strictEqual(yield* refusal(post("1", "nobody")), "ConstraintError")
        assert.strictEqual(
          yield* refusal(sql.withTransaction(Effect.andThen(post("-7"), post("7")))),
          "UniqueViolation"
        )
      })
    )
  )

  it.live("a hold captures at most what it holds, and is closed exactly when it is captured or released", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const account = { id: "acc_x", name: "x", service_name: "x", wallet_index: 1, wallet: "0x", created_at: 0 }
        yield* sql`INSERT INTO account ${sql.insert(account)}`
        const hold = (state: string, captured: string | null, closed_at: number | null) => {
          const row = { id: "h", account_id: "acc_x", amount: "100", funding: "credits", created_at: 0 }
          return sql`INSERT INTO hold ${sql.insert({ ...row, state, captured, closed_at })}`.pipe(
            Effect.andThen(sql`DELETE FROM hold`)
          )
        }
        yield* hold("held", null, null)
        yield* hold("captured", "100", 1)
        yield* hold("captured", "99", 1)
        yield* hold("released", null, 1)
        for (const [state, captured, closed] of [
          ["captured", "101", 1],
          ["captured", "1000", 1],
          ["captured", null, 1],
          ["captured", "1", null],
          ["held", "1", null],
          ["held", null, 1],
          ["released", "1", 1],
          ["lost", null, 1]
        ] as const) {
          assert.strictEqual(yield* refusal(hold(state, captured, closed)), "ConstraintError", `${state} ${captured}`)
        }
      })
    )
  )

  it.live("a commit is in one of the states of core's machine", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const account = { id: "acc_x", name: "x", service_name: "x", wallet_index: 1, wallet: "0x", created_at: 0 }
        yield* sql`INSERT INTO account ${sql.insert(account)}`
        const job = (state: string) =>
          sql`INSERT INTO commit_job ${sql.insert({
            id: state,
            account_id: "acc_x",
            network: "mainnet",
            chain_id: 1,
            asset_cid: "bafy",
            asset_tree_cid: "bagu",
            tree_sha256: "0".repeat(64),
            commit_json: "{}",
            state,
            created_at: 0,
            updated_at: 0
          })}`
        for (const [, { _tag }] of STATES) if (!["planned", "in_block"].includes(_tag)) yield* Effect.ignore(job(_tag))
        const rows = yield* sql<{ readonly state: string }>`SELECT state FROM commit_job ORDER BY state`
        assert.deepStrictEqual(
          rows.map(({ state }) => state),
          ["displaced", "mined", "queued", "refused", "reverted", "sent", "signed"]
        )
        for (const state of ["", "new", "lost", "SENT"])
          assert.strictEqual(yield* refusal(job(state)), "ConstraintError")
        const change = sql`UPDATE commit_job SET state = 'confirmed' WHERE id = 'sent'`
        assert.strictEqual(yield* refusal(change), "ConstraintError")
      })
    )
  )

  it.live("a nonce of a committer is used once on a chain, and jobs without one do not collide", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const account = { id: "acc_x", name: "x", service_name: "x", wallet_index: 1, wallet: "0x", created_at: 0 }
        yield* sql`INSERT INTO account ${sql.insert(account)}`
        const job = (id: string, chain_id: number, nonce: number | null) =>
          sql`INSERT INTO commit_job ${sql.insert({
            id,
            account_id: "acc_x",
            network: "mainnet",
            chain_id,
            asset_cid: "bafy",
            asset_tree_cid: "bagu",
            tree_sha256: "0".repeat(64),
            commit_json: "{}",
            state: "signed",
            committer: "0xc0",
            nonce,
            created_at: 0,
            updated_at: 0
          })}`
        yield* job("a", 7_053_001, null)
        yield* job("b", 7_053_001, null)
        yield* job("c", 7_053_001, 0)
        yield* job("d", 7_053_002, 0)
        assert.strictEqual(yield* refusal(job("e", 7_053_001, 0)), "UniqueViolation")
      })
    )
  )

  it.live.prop(
    "any whole number, however long, is kept digit by digit",
    [Schema.BigInt],
    ([units]) =>
      withStore(
        Effect.gen(function* () {
          assert.strictEqual(yield* bookWith(units.toString(), 1), units.toString())
        })
      ),
    { arbitrary: { runs: 25 } }
  )
})

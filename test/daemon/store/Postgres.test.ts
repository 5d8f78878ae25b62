/** The shared store on a real PostgreSQL: starting together, transactions run again, connections that break, and what is told then. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { migrate } from "../../../packages/daemon/src/store/Migrations.ts"
import * as Postgres from "../../../packages/daemon/src/store/Postgres.ts"
import { storing } from "../../../packages/daemon/src/store/StorageFailure.ts"
import { isPostgresMissing, type PostgresCluster, startPostgres } from "../../layers/PostgresCluster.ts"

class Cluster extends Context.Service<Cluster, PostgresCluster>()("test/Cluster") {
  static readonly layer = Layer.effect(Cluster, startPostgres)
}

let databases = 0

/** A new, empty database of the cluster. */
const database = Effect.gen(function* () {
  const cluster = yield* Cluster
  const name = `store_${databases++}`
  return { name, url: Redacted.make(yield* cluster.create(name)), ask: (text: string) => cluster.ask(name, text) }
})

const open = (url: Redacted.Redacted<string>, connections = 10) =>
  Effect.provide(Postgres.make({ url, connections }), Reactivity.layer)

const withCounter = Effect.gen(function* () {
  const { ask, url } = yield* database
  const sql = yield* open(url)
  yield* sql`CREATE TABLE counter (id TEXT PRIMARY KEY, n BIGINT NOT NULL)`
  yield* sql`INSERT INTO counter VALUES ('a', 0), ('b', 0)`
  const count = Effect.map(sql<{ id: string; n: number }>`SELECT id, n FROM counter ORDER BY id`, (rows) =>
    rows.map((row) => row.n)
  )
  return { ask, sql, count }
})

describe.skipIf(isPostgresMissing)("the store on PostgreSQL", () => {
  layer(Cluster.layer, { excludeTestServices: true })((it) => {
    it.effect("eight daemons that start together on an empty database migrate it once", () =>
      Effect.gen(function* () {
        const { ask, url } = yield* database
        const starting = Effect.flatMap(open(url, 2), (sql) => Effect.provideService(migrate, SqlClient.SqlClient, sql))
        const done = yield* Effect.all(
          Array.from({ length: 8 }, () => starting),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          done.filter((steps) => steps.length > 0),
          1
        )
        assert.strictEqual(yield* ask("SELECT COUNT(*) FROM schema_migration"), String(done.flat().length))
      }).pipe(Effect.scoped)
    )

    it.effect("two transactions that wait for each other both happen: the one given up is run again", () =>
      Effect.gen(function* () {
        const { count, sql } = yield* withCounter
        const [first, second] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let runs = 0
        const both = (one: string, mine: Deferred.Deferred<void>, other: string, theirs: Deferred.Deferred<void>) =>
          Effect.gen(function* () {
            runs++
            yield* sql`UPDATE counter SET n = n + 1 WHERE id = ${one}`
            yield* Deferred.succeed(mine, undefined)
            yield* Deferred.await(theirs)
            yield* sql`UPDATE counter SET n = n + 1 WHERE id = ${other}`
          }).pipe(sql.withTransaction)
        yield* Effect.all([both("a", first, "b", second), both("b", second, "a", first)], { concurrency: 2 })
        assert.deepStrictEqual(yield* count, [2, 2])
        assert.strictEqual(runs, 3)
      }).pipe(Effect.scoped)
    )

    it.effect("a transaction that another one made impossible to serialize is run again, as a whole", () =>
      Effect.gen(function* () {
        const { count, sql } = yield* withCounter
        const increment = Effect.gen(function* () {
          const rows = yield* sql<{ n: number }>`SELECT n FROM counter WHERE id = 'a'`
          yield* Effect.sleep("20 millis")
          yield* sql.withTransaction(sql`UPDATE counter SET n = ${(rows[0]?.n ?? 0) + 1} WHERE id = 'a'`)
        }).pipe(
          sql.withTransaction,
          Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL SERIALIZABLE")
        )
        yield* Effect.all([increment, increment, increment], { concurrency: 3 })
        assert.deepStrictEqual(yield* count, [3, 0])
      }).pipe(Effect.scoped)
    )

    it.effect(
      "a connection that is cut inside a transaction is an error of the store, and the next statement works",
      () =>
        Effect.gen(function* () {
          const { ask, count, sql } = yield* withCounter
          const cut = Effect.gen(function* () {
            yield* sql`UPDATE counter SET n = 7`
            const [row] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
            yield* ask(`SELECT pg_terminate_backend(${row?.pid})`)
            yield* sql.withTransaction(sql`UPDATE counter SET n = 8`)
          })
          const error: SqlError.SqlError = yield* Effect.flip(sql.withTransaction(cut))
          assert.strictEqual(error._tag, "SqlError")
          assert.deepStrictEqual(yield* count, [0, 0])
        }).pipe(Effect.scoped)
    )

    it.effect("a failure made of a cut connection's is an error of the store, too; a defect beside it stays one", () =>
      Effect.gen(function* () {
        const { ask, sql } = yield* withCounter
        const cutBefore = <E>(end: Effect.Effect<never, E>) =>
          Effect.gen(function* () {
            const [row] = yield* sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
            yield* ask(`SELECT pg_terminate_backend(${row?.pid})`)
            return yield* end
          })
        const writing = sql`UPDATE counter SET n = 8`.pipe(storing("a tree was written"), Effect.andThen(Effect.never))
        const error = yield* Effect.flip(sql.withTransaction(cutBefore(writing)).pipe(storing("a commit was begun")))
        assert.strictEqual(error._tag, "StorageUnavailable")
        const bug = yield* Effect.exit(sql.withTransaction(cutBefore(Effect.die(new TypeError("a bug")))))
        assert.isTrue(Exit.hasDies(bug))
      }).pipe(Effect.scoped)
    )

    it.effect("a daemon that stands still inside a transaction loses its locks after five seconds", () =>
      Effect.gen(function* () {
        const { count, sql } = yield* withCounter
        const locked = yield* Deferred.make<void>()
        const still = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE counter SET n = 1 WHERE id = 'a'`
            yield* Deferred.succeed(locked, undefined)
            yield* Effect.sleep("7 seconds")
            yield* sql`SELECT 1`
          })
        )
        const standing = yield* Effect.forkChild(Effect.flip(still))
        yield* Deferred.await(locked)
        yield* sql`UPDATE counter SET n = 2 WHERE id = 'a'`
        assert.strictEqual((yield* Fiber.join(standing))._tag, "SqlError")
        assert.deepStrictEqual(yield* count, [2, 0])
      }).pipe(Effect.scoped)
    )

    it.effect("64-bit integers are numbers where numbers hold them, and bigints beyond, as sums are", () =>
      Effect.gen(function* () {
        const { url } = yield* database
        const sql = yield* open(url)
        assert.strictEqual(sql.driver, "pg")
        const [row] = yield* sql`SELECT 9007199254740991::bigint AS small, 9223372036854775807::bigint AS large,
          ${-5_000_000_000}::bigint AS given, COUNT(*) AS n FROM pg_class WHERE false`
        assert.deepStrictEqual({ ...row }, { small: 9007199254740991, large: 9223372036854775807n, given: -5e9, n: 0 })
      }).pipe(Effect.scoped)
    )

    it.effect("what cannot be reached, opened or read is told with what to do, and without the password", () =>
      Effect.gen(function* () {
        const { urlOf } = yield* Cluster
        const refused = (url: string) =>
          Effect.map(Effect.flip(Effect.scoped(open(Redacted.make(url)))), ({ message, reason }) => {
            assert.notInclude(message, "hunter2")
            return `${reason}: ${message}`
          })
        const place = urlOf("missing").replace("treemark@", "treemark:hunter2@")
        assert.match(yield* refused(place), /^missing: .*127\.0\.0\.1:\d+\/missing.*Create that database/)
        const user = urlOf("postgres").replace("treemark@", "stranger:hunter2@")
        assert.match(yield* refused(user), /^credentials: .*Correct user and password/)
        const closed = "postgres://treemark:hunter2@127.0.0.1:1/treemark"
        assert.match(
          yield* refused(closed),
          /^unreachable: .*127\.0\.0\.1:1\/treemark.*ECONNREFUSED.*Start the database/
        )
        for (const text of ["mysql://treemark:hunter2@h/d", "hunter2"]) {
          assert.match(
            yield* refused(text),
            /^url: The database TREEMARK_DATABASE_URL cannot be used.*postgres:\/\/USER/
          )
        }
      })
    )
  })
})

/** What one commit asks of the store, counted where each statement goes: from the look at its key to its stored answer. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { openCommitBench } from "../../../bench/CommitBench.ts"
import { isPostgresMissing, startPostgres } from "../../layers/PostgresCluster.ts"

/** Notes every statement and every transaction of its own. */
const noting = (noted: { transactions: number; readonly statements: Array<string> }): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const attribute = span.attribute.bind(span)
      if (options.name === "sql.transaction") noted.transactions++
      span.attribute = (key, value) => {
        if (key === "db.query.text") noted.statements.push(String(value).replace(/\s+/gu, " ").trim())
        attribute(key, value)
      }
      return span
    }
  })

/** A receipt that comes late costs a few more; so often a commit is tried until one comes in time. */
const TRIES = 30
const MOST = 16

/** What the commit asks that asks least, after some that have looked up what stays the same. */
const least = Effect.fnUntraced(function* (databaseUrl: string | undefined) {
  const noted = { transactions: 0, statements: [] as string[] }
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-statements-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const bench = yield* Effect.acquireRelease(
    Effect.promise(() => openCommitBench(home, { databaseUrl, tracer: noting(noted) })),
    ({ close }) => Effect.promise(close)
  )
  let found = Array.from({ length: 100 }, () => "")
  let transactions = 0
  for (let tries = 0; tries < TRIES && found.length > MOST; tries++) {
    noted.statements.length = 0
    noted.transactions = 0
    yield* Effect.promise(bench.durable)
    if (noted.statements.length < found.length) {
      found = [...noted.statements]
      transactions = noted.transactions
    }
  }
  assert.isAtMost(found.length, MOST, found.join("\n"))
  assert.strictEqual(transactions, 2)
})

describe("a commit", () => {
  it.live(`makes at most ${MOST} statements on SQLite`, () => Effect.scoped(least(undefined)))

  it.live.skipIf(isPostgresMissing)(`makes at most ${MOST} statements on PostgreSQL`, () =>
    startPostgres.pipe(
      Effect.flatMap((cluster) => cluster.create("treemark")),
      Effect.flatMap(least),
      Effect.scoped
    )
  )
})

/** One process writes the store: a second opener is refused with what to do, and a killed one leaves no lock and no damage. */
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Sqlite from "../../../packages/daemon/src/store/Sqlite.ts"
import { spawnWriter, storeLayer, tempFolder } from "./TempStore.ts"

const openOnce = (filename: string) => Effect.provide(Effect.void, Sqlite.layer({ filename }))

/** A second process on the store and its lines so far; killed with the scope. */
const secondProcess = (mode: "hold" | "write", filename: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawnWriter(mode, filename)),
      (child) => Effect.promise(() => kill(child))
    ),
    (child) => {
      const lines: Array<string> = []
      const reader = createInterface(child.stdout)
      reader.on("line", (line) => lines.push(line))
      const linesAtLeast = (count: number) =>
        Effect.promise(async () => {
          while (lines.length < count) await once(reader, "line")
        })
      return { child, lines, linesAtLeast }
    }
  )

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, "close")
  child.kill("SIGKILL")
  await closed
}

describe("the single writer of a store", () => {
  it.live("a second process is refused by name of the first, and told what to do", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const first = yield* secondProcess("hold", filename)
      yield* first.linesAtLeast(1)
      assert.deepStrictEqual(first.lines, ["open"])

      const error = yield* Effect.flip(openOnce(filename))
      assert.strictEqual(error._tag, "StoreLocked")
      assert.include(error.message, filename)
      assert.include(error.message, `process ${first.child.pid}`)
      assert.include(error.message, "treemarkd stop")
    }).pipe(Effect.scoped)
  )

  it.live("opening twice in one process is refused too, and does not loosen the lock of the first", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(openOnce(filename)))._tag, "StoreLocked")
        const other = yield* secondProcess("hold", filename)
        yield* other.linesAtLeast(1)
        assert.include(other.lines[0], "StoreLocked")
        assert.deepStrictEqual(yield* Effect.promise(() => once(other.child, "close")), [3, null])
      }).pipe(Effect.provide(storeLayer(filename)))
      yield* openOnce(filename)
    }).pipe(Effect.scoped)
  )

  it.live("other tools may read the store while it is open", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const writer = yield* secondProcess("hold", filename)
      yield* writer.linesAtLeast(1)
      const reader = new DatabaseSync(filename, { readOnly: true })
      assert.strictEqual(reader.prepare("SELECT COUNT(*) AS n FROM settings").get()?.n, 0)
      reader.close()
    }).pipe(Effect.scoped)
  )

  it.live("kill -9 while writing frees the lock and loses nothing that was acknowledged", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const id of ["from", "to"]) {
          yield* sql`INSERT INTO ledger_account ${sql.insert({ id, kind: "test", overdraft: 1 })}`
        }
      }).pipe(Effect.provide(storeLayer(filename)))

      for (const round of [1, 2]) {
        const writer = yield* secondProcess("write", filename)
        yield* writer.linesAtLeast(60 * round)
        yield* Effect.promise(() => kill(writer.child))
        const acknowledged = writer.lines.filter((line) => /^\d+$/.test(line)).map(Number)
        const last = acknowledged.at(-1) ?? -1
        assert.isAtLeast(last, 50)

        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* sql`PRAGMA integrity_check`.values, [["ok"]])
          const entries = (yield* sql`SELECT COUNT(*) FROM ledger_entry`.values)[0]?.[0]
          assert.isAtLeast(Number(entries), last + 1)
          const halves = sql`SELECT entry_id FROM posting GROUP BY entry_id HAVING SUM(CAST(amount AS INTEGER)) <> 0`
          assert.deepStrictEqual(yield* halves.values, [])
          assert.deepStrictEqual(yield* sql`SELECT COUNT(*) FROM posting`.values, [[Number(entries) * 2]])
        }).pipe(Effect.provide(storeLayer(filename)))
      }
    }).pipe(Effect.scoped)
  )
})

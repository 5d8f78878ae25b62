/**
 * A process of its own on a store. `hold FILE` opens it and waits; `write FILE` moves one unit per transaction between two books
 * and prints the entry's number after each commit. Ends with status 3 and the message when the store cannot be opened.
 */
import { writeSync } from "node:fs"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { storeLayer } from "./TempStore.ts"

const [mode, filename] = process.argv.slice(2)
const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const work = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* say("open")
  if (mode === "hold") return yield* Effect.sleep("1 hour")
  const rows = yield* sql<{ readonly n: number }>`SELECT COUNT(*) AS n FROM ledger_entry`
  for (let n = rows[0]?.n ?? 0; ; n++) {
    yield* sql.withTransaction(
      Effect.gen(function* () {
        const id = `entry-${n}`
        yield* sql`INSERT INTO ledger_entry ${sql.insert({ id, kind: "test", reference: null, created_at: n })}`
        yield* sql`INSERT INTO posting ${sql.insert([
          { entry_id: id, account_id: "from", amount: "-1" },
          { entry_id: id, account_id: "to", amount: "1" }
        ])}`
      })
    )
    yield* say(String(n))
  }
})

const exit = await Effect.runPromiseExit(Effect.provide(work, storeLayer(filename ?? "")))
if (Exit.isFailure(exit)) {
  writeSync(1, `${exit.cause}\n`)
  process.exitCode = 3
}

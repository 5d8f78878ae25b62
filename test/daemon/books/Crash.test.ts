/** kill -9 between hold and capture: what was held stays held, is found after the restart, and can be closed. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges } from "@treemark/core"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as AbandonedHolds from "../../../packages/daemon/src/books/AbandonedHolds.ts"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import { tempFolder } from "../store/TempStore.ts"
import { assertBalanced, balances, bankLayer, TOKEN } from "./Bank.ts"

/** Runs the process until it has printed its holds, kills it with SIGKILL, and answers the ids. */
const heldAndKilled = (filename: string) =>
  Effect.promise(async () => {
    const child = spawn(
      process.execPath,
      ["--conditions=@treemark/source", fileURLToPath(new URL("./BooksProcess.ts", import.meta.url)), filename],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    let said = ""
    for await (const chunk of child.stdout) {
      said += String(chunk)
      if (said.includes("\n")) break
    }
    child.kill("SIGKILL")
    if (child.signalCode === null) await once(child, "exit")
    assert.strictEqual(child.signalCode, "SIGKILL")
    return said.trim().split(" ")
  })

const insertJob = (sql: SqlClient.SqlClient, accountId: string, holdId: string) =>
  sql`INSERT INTO commit_job ${sql.insert({
    id: "cmt_3",
    account_id: accountId,
    network: "mainnet",
    chain_id: 7_053_001,
    asset_cid: "bafy",
    asset_tree_cid: "bagu",
    tree_sha256: "0".repeat(64),
    commit_json: "{}",
    state: "signed",
    hold_id: holdId,
    created_at: 0,
    updated_at: 0
  })}`

describe("after kill -9 between hold and capture", () => {
  it.live("what was held and captured stands, and open holds are released or captured after the restart", () =>
    Effect.gen(function* () {
      const filename = join(yield* tempFolder, "treemark.db")
      const ids = yield* heldAndKilled(filename)
      assert.strictEqual(ids.length, 10)
      yield* Effect.gen(function* () {
        const charges = yield* Charges
        const holds = yield* Holds
        const sql = yield* SqlClient.SqlClient
        yield* assertBalanced()
        const open = yield* holds.open
        assert.deepStrictEqual(open.map((one) => one.id).sort(), ids.slice(3).sort())
        const first = Option.getOrThrow(yield* holds.byId(ids[0] ?? ""))
        assert.deepInclude(first, {
          state: "captured",
          funding: "credits",
          captured: amount(TOKEN),
          reference: "cmt_0"
        })
        assert.strictEqual(first.caller.name, "alice")
        assert.isTrue(Option.isNone(yield* holds.byId("hold_none")))

        yield* insertJob(sql, first.caller.accountId, ids[3] ?? "")
        const abandoned = yield* holds.abandoned(Number.MAX_SAFE_INTEGER)
        assert.deepStrictEqual(abandoned.map((one) => one.id).sort(), ids.slice(4).sort())
        assert.deepStrictEqual(yield* holds.abandoned(0), [])
        yield* Effect.void.pipe(Effect.provide(AbandonedHolds.layer))
        assert.deepStrictEqual(
          (yield* holds.open).map((one) => one.id),
          ids.slice(3, 4)
        )
        yield* charges.capture(Option.getOrThrow(yield* holds.byId(ids[3] ?? "")), amount(TOKEN))
        assert.deepStrictEqual(yield* holds.open, [])
        assert.deepStrictEqual(yield* balances, {
          "credits:alice": TOKEN,
          gas: (4n * TOKEN * 9n) / 10n,
          issued: -5n * TOKEN,
          revenue: (4n * TOKEN) / 10n
        })
        yield* assertBalanced()
      }).pipe(Effect.provide(bankLayer(filename)))
    }).pipe(Effect.scoped)
  )
})

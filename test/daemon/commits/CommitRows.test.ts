/** Which commits still wait to be signed: those that somebody waits for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeCommitRows } from "../../../packages/daemon/src/commits/CommitRows.ts"
import { withStore } from "../store/TempStore.ts"

const FAR = 4_000_000_000_000

describe("a queued commit", () => {
  it.live("is wanted until its caller's deadline, and not once it is signed", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const rows = yield* makeCommitRows
        const account = { id: "acc_x", name: "x", service_name: "x", wallet_index: 1, wallet: "0x", created_at: 0 }
        yield* sql`INSERT INTO account ${sql.insert(account)}`
        const add = (id: string, state: string, wanted_until: number) =>
          sql`INSERT INTO commit_job ${sql.insert({
            id,
            account_id: "acc_x",
            network: "mainnet",
            chain_id: 1,
            asset_cid: "bafy",
            asset_tree_cid: "bagu",
            tree_sha256: "0".repeat(64),
            commit_json: "{}",
            state,
            wanted_until,
            created_at: 0,
            updated_at: 0
          })}`
        yield* add("waits", "queued", FAR)
        yield* add("given up", "queued", 1)
        yield* add("signed", "signed", FAR)
        const wanted = yield* Effect.forEach(["waits", "given up", "signed", "none"], rows.isWanted)
        assert.deepStrictEqual(wanted, [true, false, false, false])
      })
    )
  )
})

/** The one promise everything about money stands on: a transaction reaches a node only after the COMMIT with its row. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { errorOf, recordOne, rig, SEND } from "./FaultRig.ts"
import { jobOf, profileAt } from "./LedgerFixture.ts"

const ON_POSTGRES = [
  `CREATE FUNCTION doom() RETURNS trigger LANGUAGE plpgsql AS
    $doom$ BEGIN RAISE EXCEPTION 'this COMMIT fails'; END $doom$`,
  `CREATE CONSTRAINT TRIGGER doomed AFTER INSERT OR UPDATE ON commit_job DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.state = 'signed') EXECUTE FUNCTION doom()`
]
const ON_SQLITE = ["INSERT", "UPDATE"].map(
  (change) => `CREATE TRIGGER doomed_${change} AFTER ${change} ON commit_job WHEN NEW.state = 'signed' BEGIN
    INSERT INTO ledger_entry (id, kind, created_at, is_balanced) VALUES ('doomed', 'x', 1, 0); END`
)

/** Lets every statement succeed, and the COMMIT fail of a transaction that leaves a commit `signed`. */
const doomCommits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = sql.onDialectOrElse({ pg: () => ON_POSTGRES, orElse: () => ON_SQLITE })
  for (const statement of statements) yield* sql.unsafe(statement)
})

describe.skipIf(isAnvilMissing)("a commit whose COMMIT fails", () => {
  it.live("is never sent: the node sees no transaction of it", () =>
    Effect.gen(function* () {
      const { mined, proxy, run } = yield* rig()
      yield* run(
        Effect.gen(function* () {
          yield* recordOne("before")
          const before = yield* mined
          yield* doomCommits
          const sends = proxy.sent.length
          let asked = 0
          proxy.plan = (method) => {
            if (method === SEND) asked++
            return undefined
          }
          assert.include(["StorageUnavailable", "LedgerUnavailable"], errorOf(yield* recordOne("doomed"))._tag)
          yield* Effect.sleep("300 millis")
          assert.deepStrictEqual([asked, proxy.sent.length - sends], [0, 0])
          assert.notInclude(["signed", "sent", "mined"], (yield* jobOf("doomed"))?.state)
          assert.strictEqual(yield* mined, before)
        }),
        { deadline: Duration.seconds(5), networks: { profile: profileAt(proxy.url), rpcTimeout: Duration.seconds(20) } }
      )
    }).pipe(Effect.scoped)
  )
})

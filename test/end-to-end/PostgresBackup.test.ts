/** A backup of books in PostgreSQL while commits are being written: restored elsewhere, books, jobs, ledger and content agree. */
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { AuditReport } from "../../packages/daemon/src/keeping/AuditReport.ts"
import { isPostgresMissing, startPostgres } from "../layers/PostgresCluster.ts"
import { startDaemon } from "../layers/RunningDaemon.ts"
import { attempt, makeCallers } from "./Callers.ts"
import { bytesOf, parsed, temporaryHome } from "./Treemarkd.ts"

const CALLERS = 4
const CHAIN_ID = "7053001"

/** Networks that nobody serves, under which the books of the local ones are looked at. */
const DOWN = ["mainnet", "testnet"]
  .map(
    (role) => `
[profiles.down.${role}]
name = "${role} that is down"
chain_id = ${CHAIN_ID}
rpc = "http://127.0.0.1:1"
contract = "0x0000000000000000000000000000000000007053"
explorer = "https://example.org/tx/HASH"
`
  )
  .join("")

describe.skipIf(isPostgresMissing)("a backup of books in PostgreSQL", () => {
  it.live(
    "is of one moment while commits go on, and audits clean where it is restored; without a ledger the audit ends with 1",
    () =>
      Effect.gen(function* () {
        const postgres = yield* startPostgres
        const home = yield* temporaryHome
        const env = { TREEMARK_DATABASE_URL: yield* postgres.create("live") }
        const daemon = yield* startDaemon({ home, env })
        const callers = yield* makeCallers(daemon, CALLERS, "100")
        const asset = yield* daemon.register(bytesOf("backed up"))
        let stop = false
        let done = 0
        const calling = yield* Effect.forEach(
          callers,
          (caller) =>
            Effect.gen(function* () {
              for (let n = 0; !stop; n++) {
                const { body, status } = yield* attempt(daemon, caller, asset, `${caller.name} ${n}`)
                assert.strictEqual(status, 200, body)
                done++
              }
            }),
          { concurrency: "unbounded", discard: true }
        ).pipe(Effect.forkChild)
        const untilMore = (count: number) =>
          Effect.sync(() => done).pipe(
            Effect.delay("20 millis"),
            Effect.repeat({ until: (now) => now >= count || calling.pollUnsafe() !== undefined })
          )
        yield* untilMore(20)
        const before = done
        const copy = join(yield* temporaryHome, "backup")
        yield* daemon.admin("backup", copy)
        const after = done
        yield* untilMore(after + 10)
        stop = true
        yield* Fiber.join(calling)
        assert.isAbove(after, before, "no commit was made while the backup was")
        assert.deepInclude(yield* daemon.admin("audit"), { clean: true })

        const other = join(yield* temporaryHome, "home")
        assert.strictEqual((yield* parsed(["restore", copy, "--home", other])).code, 0)
        const audited = yield* parsed(["audit", "--home", other, "--json"])
        const { checked, findings } = audited.json() as AuditReport
        assert.deepStrictEqual([audited.code, findings], [0, []])
        assert.isAtLeast(checked.commits, before)
        assert.isAtMost(checked.commits, after + CALLERS)

        appendFileSync(join(other, "treemark.toml"), `profile = "down"\n${DOWN}`)
        const unread = yield* parsed(["audit", "--home", other])
        assert.strictEqual(unread.code, 1, unread.stderr)
        assert.match(unread.stdout, /ledger_unread {2}mainnet that is down\n {2}The ledger could not be read/u)
        assert.match(unread.stderr, /found 2 disagreements/u)
      }).pipe(Effect.scoped),
    600_000
  )
})

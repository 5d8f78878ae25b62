/**
 * An embedded installation that moves to a real PostgreSQL with its commits, paid from credits and from a wallet: nothing is lost, the
 * receipts go on, the old file stays shut, and a backup taken there restores as a file again.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { openReceipt, type Statement } from "@treemark/core"
import { Effect } from "effect"
import type { AuditReport } from "../../packages/daemon/src/keeping/AuditReport.ts"
import { isPostgresMissing, startPostgres } from "../layers/PostgresCluster.ts"
import { type RunningDaemon, startDaemon } from "../layers/RunningDaemon.ts"
import { commitRequest, treemarkd } from "./Treemarkd.ts"

type Daemon = RunningDaemon["Service"]

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-export-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
)

const bytes = new TextEncoder().encode("an asset that moves")

const commitWith = Effect.fnUntraced(function* (daemon: Daemon, token: string, message: string) {
  const asset = yield* daemon.register(bytes)
  const body = commitRequest(asset, { commitMessage: message })
  const answer = yield* daemon.call("/commit", { body, headers: { authorization: `token ${token}` } })
  assert.strictEqual(answer.status, 200, answer.text)
  return JSON.parse(openReceipt(String(answer.headers["treemark-receipt"]))!.text) as Record<string, unknown>
})

const statementOf = (daemon: Daemon, name: string, ...more: ReadonlyArray<string>) =>
  Effect.map(daemon.admin("account", "statement", name, ...more), (statement) => statement as Statement)

const isClean = (daemon: Daemon, ...more: ReadonlyArray<string>) =>
  Effect.map(daemon.admin("audit", ...more), (report) => {
    assert.deepStrictEqual((report as AuditReport).findings, [])
    return (report as AuditReport).checked
  })

describe.skipIf(isPostgresMissing)("treemarkd export", () => {
  it.live(
    "moves everything to PostgreSQL, where the receipts go on and the audit is clean, and shuts the file",
    () =>
      Effect.gen(function* () {
        const postgres = yield* startPostgres
        const home = yield* folder
        const url = yield* postgres.create("moved")
        const secret = url.replace("treemark@", "treemark:hush@")
        const embedded = yield* startDaemon({ home })
        const rich = yield* embedded.createAccount({ name: "rich", credits: "5" })
        const poor = yield* embedded.createAccount({ name: "poor", credits: "0", tokens: "7" })
        for (const n of [1, 2, 3]) {
          yield* commitWith(embedded, rich.token, `rich ${n}`)
          yield* commitWith(embedded, poor.token, `poor ${n}`)
        }
        const before = yield* Effect.all([statementOf(embedded, "rich"), statementOf(embedded, "poor")])

        const running = yield* treemarkd(["export", "--to", secret, "--json"], { home })
        assert.strictEqual(running.code, 69, running.stderr)
        assert.match(running.stderr, /in use by another treemarkd/)
        yield* embedded.kill("SIGTERM")
        const moved = yield* treemarkd(["export", "--to", secret], { home })
        assert.strictEqual(moved.code, 0, moved.stderr)
        assert.notInclude(moved.stdout + moved.stderr + running.stdout + running.stderr, "hush")
        assert.match(moved.stdout, /TREEMARK_DATABASE_URL/)

        const shut = yield* treemarkd(["start", "--port", "0"], { home })
        assert.strictEqual(shut.code, 69, shut.stderr)
        assert.match(shut.stderr, /was moved to the PostgreSQL database 127\.0\.0\.1:\d+\/moved.*export --undo/)
        const again = yield* treemarkd(["export", "--to", url, "--json"], { home })
        assert.deepInclude(again.json(), { hadArrived: true })

        const env = { TREEMARK_DATABASE_URL: url }
        const daemon = yield* startDaemon({ home, env, registrar: "registrar there" })
        const after = yield* Effect.all([statementOf(daemon, "rich"), statementOf(daemon, "poor")])
        for (const [n, one] of after.entries()) {
          assert.deepStrictEqual(one.movements, before[n]?.movements)
          assert.deepStrictEqual(one.closing, before[n]?.closing)
        }
        const receipt = yield* commitWith(daemon, rich.token, "rich 4")
        assert.deepInclude(receipt, { sequence: 4, previous: before[0]?.closing.receipt?.hash })
        yield* commitWith(daemon, poor.token, "poor 4")
        const checked = yield* isClean(daemon)
        assert.deepInclude(checked, { commits: 8, events: 8, receipts: 8, trees: 2 })

        const copy = join(yield* folder, "backup")
        yield* daemon.admin("backup", copy)
        assert.includeMembers(readdirSync(copy), ["treemark.db", "chain-mainnet.db", "seed.json", "blocks"])
        const closed = (yield* daemon.admin("account", "close", "poor")) as Record<string, unknown>
        assert.deepInclude(closed, { owed: "0", tokensRevoked: 1 })
        yield* isClean(daemon)
        yield* daemon.kill("SIGTERM")

        const other = join(yield* folder, "home")
        const restored = yield* treemarkd(["restore", copy, "--home", other], { home })
        assert.strictEqual(restored.code, 0, restored.stderr)
        const audited = yield* treemarkd(["audit", "--json"], { home: other })
        assert.deepInclude(audited.json(), { clean: true, checked: { ...checked } })
        const there = yield* treemarkd(["account", "statement", "rich", "--json"], { home: other })
        assert.lengthOf((there.json() as Statement).movements, (before[0]?.movements.length ?? 0) + 1)
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "refuses a database that is not empty, and the file goes on being used",
    () =>
      Effect.gen(function* () {
        const postgres = yield* startPostgres
        const home = yield* folder
        const url = yield* postgres.create("taken")
        const first = yield* treemarkd(["account", "create", "--name", "here"], { home })
        assert.strictEqual(first.code, 0, first.stderr)
        const other = yield* folder
        const env = { TREEMARK_DATABASE_URL: url }
        const theirs = yield* treemarkd(["account", "create", "--name", "theirs"], { home: other, env })
        assert.strictEqual(theirs.code, 0, theirs.stderr)
        const refused = yield* treemarkd(["export", "--to", url, "--json"], { home })
        assert.strictEqual(refused.code, 1, refused.stderr)
        assert.match(refused.stderr, /is not empty/)
        assert.strictEqual(yield* postgres.ask("taken", "SELECT string_agg(name, ',') FROM account"), "theirs")
        assert.strictEqual((yield* treemarkd(["account", "show", "here"], { home })).code, 0)
        const nowhere = yield* treemarkd(["export", "--to", url.replace(/:\d+\//u, ":1/")], { home })
        assert.strictEqual(nowhere.code, 69, nowhere.stderr)
        assert.strictEqual((yield* treemarkd(["account", "show", "here"], { home })).code, 0)
        assert.strictEqual((yield* treemarkd(["export"], { home })).code, 64)
      }).pipe(Effect.scoped),
    600_000
  )
})

/**
 * No statement of the daemon's daily work reads a whole table that grows with every commit: each that a start, commits, lists, a statement
 * and the figures prepare is asked for SQLite's plan.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { amount, Caller, commitAsset, decodeCommitRequest, UNITS_PER_TOKEN } from "@treemark/core"
import { Effect, Layer, Logger, Stream } from "effect"
import { HttpServer } from "effect/http"
import { Accounts } from "../../packages/daemon/src/accounts/Accounts.ts"
import { OwnLists } from "../../packages/daemon/src/accounts/OwnLists.ts"
import { Statements } from "../../packages/daemon/src/accounts/Statements.ts"
import { Idempotency } from "../../packages/daemon/src/books/Idempotency.ts"
import { headersOf } from "../../packages/daemon/src/books/Keys.ts"
import { FinishedCommits } from "../../packages/daemon/src/commits/FinishedCommits.ts"
import { LedgerIndex } from "../../packages/daemon/src/commits/LedgerIndex.ts"
import { NamedAssets } from "../../packages/daemon/src/commits/NamedAssets.ts"
import { Assets } from "../../packages/daemon/src/content/Assets.ts"
import { CommitResponse } from "../../packages/daemon/src/http/commit/CommitApi.ts"
import { storedAnswer } from "../../packages/daemon/src/http/edge/IdempotencyKey.ts"
import { MetricsGauges } from "../../packages/daemon/src/http/service/MetricsRoute.ts"
import * as MetricsLook from "../../packages/daemon/src/MetricsLook.ts"
import { PublicUrl, servicesLayer } from "../../packages/daemon/src/Services.ts"
import * as Settings from "../../packages/daemon/src/Settings.ts"

const GROWING =
  "(account_event|asset|asset_tree|commit_event|commit_job|hold|holding|idempotency|ledger_commit|ledger_entry|posting|receipt|[aehjpr])"

/** Only work under way stands in these. */
const SMALL = "(commit_job_open|commit_job_watched|hold_open)"

/** A committer's commits, all of them, on the way to those few that are under way. */
const WHOLE_LANE =
  /USING (?:COVERING )?INDEX sqlite_autoindex_commit_job_\d \((?:chain_id=\? AND committer=\?|chain_id=\?)\)$/u

interface Plan {
  readonly sql: string
  readonly detail: string
}

/** Of charges only the newest is looked at. An account's making has SQLite look for rows that waited for it, if any did. */
const isBounded = ({ detail, sql }: Plan): boolean =>
  (detail === "SCAN h USING INDEX hold_closed" && sql.endsWith("LIMIT 1")) || sql.startsWith("INSERT INTO account (")

const readsWhole = ({ detail, sql }: Plan): boolean => {
  if (WHOLE_LANE.test(detail)) return true
  const isScan = new RegExp(`^SCAN ${GROWING}\\b`, "u").test(detail)
  const isSmall = new RegExp(`USING (?:COVERING )?INDEX ${SMALL}`, "u").test(detail) || / rowid LIMIT \?$/u.test(sql)
  return isScan && !isSmall && !isBounded({ detail, sql })
}

/** The statements that `work` prepares, of whatever database. */
const preparedBy = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const statements = new Set<string>()
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
    statements.add(sql)
    return prepare.call(this, sql, ...rest)
  }
  yield* Effect.ensuring(
    work,
    Effect.sync(() => {
      DatabaseSync.prototype.prepare = prepare
    })
  )
  return statements
})

const layerOf = (home: string) =>
  Layer.merge(MetricsLook.layer, LedgerIndex.layer).pipe(
    Layer.provideMerge(servicesLayer),
    Layer.provide(Layer.succeed(PublicUrl, "http://127.0.0.1:7053")),
    Layer.provideMerge(Settings.layer({ home }, {})),
    Layer.provideMerge(Layer.mergeAll(NodeServices.layer, HttpServer.layerServices)),
    Layer.provide(Logger.layer([]))
  )

const dailyWork = Effect.gen(function* () {
  const { account } = yield* (yield* Accounts).create({
    name: "bench",
    serviceName: "bench",
    credits: amount(100n * UNITS_PER_TOKEN),
    tokens: amount(0n)
  })
  const asset = yield* (yield* Assets).register({
    bytes: Stream.succeed(randomBytes(1_000)),
    fileName: "a.bin",
    contentType: "application/octet-stream",
    accountId: account.id
  })
  const caller = new Caller({
    accountId: account.id,
    name: account.name,
    serviceName: account.serviceName,
    wallet: account.wallet
  })
  const { assetCid, assetSha256, encodingFormat } = asset
  const request = yield* decodeCommitRequest({
    encodingFormat,
    assetCid,
    assetSha256,
    assetTimestampCreated: 1_780_000_000,
    assetCreator: "Ada"
  })
  const idempotency = yield* Idempotency
  const order = { accountId: account.id, operation: "commit", key: "k", fingerprint: "0".repeat(64) } as const
  yield* idempotency.run(order, (call) =>
    Effect.map(commitAsset({ caller, request, call }), ({ answer, receipt }) =>
      storedAnswer(CommitResponse, answer, headersOf(receipt))
    )
  )
  const lists = yield* OwnLists
  const { next } = yield* lists.assets(account.id, { limit: 20, cursor: "1.b" })
  assert.isNull(next)
  const [made] = (yield* lists.commits(account.id, { limit: 20, cursor: "1000000" })).items
  yield* lists.commits(account.id, { limit: 20 })
  yield* lists.events(account.id, "0", 20)
  yield* lists.newestEvent(account.id)
  const index = yield* LedgerIndex
  const place = { blockNumber: 1_000, logIndex: 0 }
  assert.lengthOf(yield* index.history("mainnet", assetCid, { limit: 20, from: "newest", before: place }), 1)
  assert.lengthOf(yield* index.history("mainnet", assetCid, { limit: 20 }), 1)
  const named = yield* NamedAssets
  assert.strictEqual((yield* named.find({ sha256: assetSha256 }))?.assetTreeCid, made?.assetTreeCid)
  yield* named.find({ txHash: made?.txHash ?? "" })
  yield* (yield* FinishedCommits).newestOfTree(made?.assetTreeCid ?? "")
  yield* (yield* FinishedCommits).blocks("mainnet")
  yield* (yield* Statements).of(account.id, {})
  yield* (yield* MetricsGauges).look
})

it.live("reads no growing table whole, from the start to a statement", () =>
  Effect.gen(function* () {
    const home = mkdtempSync(join(tmpdir(), "treemark-plans-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true, force: true })))
    yield* Effect.provide(MetricsGauges, layerOf(home)) // Makes the tables.
    const prepared = yield* preparedBy(Effect.provide(dailyWork, layerOf(home)))
    const database = new DatabaseSync(join(home, "treemark.db"), { readOnly: true })
    yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
    const plans = [...prepared].flatMap((sql): ReadonlyArray<Plan> => {
      if (!/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/u.test(sql)) return []
      try {
        const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
        return rows.map(({ detail }) => ({ sql: sql.replaceAll(/\s+/gu, " ").trim(), detail: String(detail) }))
      } catch {
        return [] // Of the chains' own databases, or of tables that a migration did away with.
      }
    })
    assert.isAbove(plans.length, 100)
    assert.deepStrictEqual(plans.filter(readsWhole), [])
  }).pipe(Effect.scoped)
)

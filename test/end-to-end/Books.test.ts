/**
 * The books of a running daemon as a caller, an operator and an auditor see them: receipts on answers, statements that are checked
 * offline, quotes, where a commit stands, an audit that finds every kind of damage, and backups that start again.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { openReceipt, type Statement } from "@treemark/core"
import { Clock, Effect, Fiber } from "effect"
import { AUDIT_CODES, type AuditReport } from "../../packages/daemon/src/keeping/AuditReport.ts"
import type { CommandRefused } from "../layers/RunningDaemon.ts"
import { type DaemonAccount, RunningDaemon, startDaemon, withDaemon } from "../layers/RunningDaemon.ts"
import { treemarkVerify } from "../verify/Command.ts"

interface Customer {
  readonly account: DaemonAccount
  readonly token: string
  readonly request: Record<string, unknown>
}

/** An account with a registered asset, in the daemon at hand. */
const customer = Effect.fnUntraced(function* (name: string, credits = "10") {
  const daemon = yield* RunningDaemon
  const made = yield* daemon.createAccount({ name, credits })
  const asset = yield* daemon.register(new TextEncoder().encode(`an asset of ${name}`), "text/plain")
  const request = {
    encodingFormat: asset.encodingFormat,
    assetCid: asset.assetCid,
    assetSha256: asset.assetSha256,
    assetTimestampCreated: 1,
    assetCreator: "A"
  }
  return { ...made, request } satisfies Customer
})

const commit = Effect.fnUntraced(function* (
  { request, token }: Customer,
  headers: Record<string, string> = {},
  message = ""
) {
  const body = message === "" ? request : { ...request, headline: message }
  return yield* (yield* RunningDaemon).call("/commit", {
    body,
    headers: { authorization: `token ${token}`, ...headers }
  })
})

const get = Effect.fnUntraced(function* (path: string, { token }: Customer) {
  return yield* (yield* RunningDaemon).call(path, { headers: { authorization: `token ${token}` } })
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "treemark-books-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

withDaemon()("the books of a running daemon", (it) => {
  it.effect("every charged answer carries the account's next receipt, and a replay the same one", () =>
    Effect.gen(function* () {
      const alice = yield* customer("alice")
      const daemon = yield* RunningDaemon
      const first = yield* commit(alice, { "idempotency-key": "one" })
      const again = yield* commit(alice, { "idempotency-key": "one" })
      const balance = yield* daemon.call("/balance/all-networks", {
        body: { wallet: alice.account.wallet },
        headers: { authorization: `token ${alice.token}` }
      })
      assert.deepStrictEqual([first.status, again.status, balance.status], [200, 200, 200])
      assert.strictEqual(again.headers["treemark-receipt"], first.headers["treemark-receipt"])
      const opened = [first, balance].map(({ headers }) => openReceipt(String(headers["treemark-receipt"]))!)
      const [one, two] = opened.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
      assert.deepInclude(one, {
        account: alice.account.id,
        operation: "commit",
        sequence: 1,
        previous: null,
        price: "0.1"
      })
      assert.deepInclude(two, {
        operation: "balance-all-networks",
        sequence: 2,
        previous: opened[0]?.hash,
        amount: "0.01"
      })
      const free = yield* daemon.call("/balance/mainnet", { body: { wallet: alice.account.wallet } })
      assert.isUndefined(free.headers["treemark-receipt"])
    })
  )

  it.effect("a statement of the account checks offline, and one whose amount was changed does not", () =>
    Effect.gen(function* () {
      const bob = yield* customer("bob", "0.15")
      yield* (yield* RunningDaemon).addCredits("bob", "0.000000000000000001")
      yield* commit(bob)
      const answer = yield* get("/account/statement", bob)
      const statement = answer.json() as unknown as Statement
      const path = join(yield* folder, "bob.json")
      writeFileSync(path, answer.text)
      const checked = treemarkVerify(["statement", path, "--service", statement.service.toLowerCase()])
      assert.deepStrictEqual([checked.code, checked.stderr], [0, ""])
      assert.deepStrictEqual(
        statement.movements.map(({ kind }) => kind),
        ["grant", "grant", "charge"]
      )
      assert.strictEqual(statement.closing.credits, (yield* (yield* RunningDaemon).showAccount("bob")).credits)
      writeFileSync(path, answer.text.replace('"0.000000000000000001"', '"0.000000000000000002"'))
      const changed = treemarkVerify(["statement", path, "--json"])
      assert.deepStrictEqual([changed.code, JSON.parse(changed.stdout).verdict], [1, "invalid"])
      writeFileSync(path, answer.text.slice(0, -20))
      assert.strictEqual(treemarkVerify(["statement", path]).code, 2)
      const command = (yield* (yield* RunningDaemon).admin("account", "statement", "bob")) as Statement
      assert.deepStrictEqual(command.movements, statement.movements)
    })
  )

  it.effect("a quote says what a commit would cost, and changes nothing", () =>
    Effect.gen(function* () {
      const carol = yield* customer("carol", "0")
      const daemon = yield* RunningDaemon
      const quoted = yield* commit(carol, { prefer: "respond-async, return=quote" })
      assert.deepStrictEqual([quoted.status, quoted.headers["preference-applied"]], [200, "return=quote"])
      assert.isUndefined(quoted.headers["treemark-receipt"])
      const { expiresAt, gasCeiling, price, total } = quoted.json() as Record<string, string>
      assert.strictEqual(price, "0.1")
      assert.strictEqual(Number(total).toFixed(9), (0.1 + Number(gasCeiling)).toFixed(9))
      assert.isAbove(Date.parse(expiresAt ?? ""), Date.now())
      assert.deepStrictEqual(((yield* get("/account/statement", carol)).json() as unknown as Statement).movements, [])
      const commits = yield* daemon.call(`/assets/${String(carol.request.assetCid)}/commits`)
      assert.deepStrictEqual(commits.json(), { commits: [] })
      assert.strictEqual((yield* commit(carol)).status, 403)
      yield* daemon.addCredits("carol", total ?? "")
      const made = yield* commit(carol, { prefer: "return=representation" })
      assert.strictEqual(made.status, 200, made.text)
      assert.isUndefined(made.headers["preference-applied"])
      assert.isBelow(Number(yield* Effect.map(daemon.showAccount("carol"), ({ credits }) => credits)), 0.004)
    })
  )

  it.effect("a commit's id tells its own account where it stands, and nobody else", () =>
    Effect.gen(function* () {
      const dave = yield* customer("dave")
      const made = yield* commit(dave)
      const receipt = String(made.headers["treemark-receipt"])
      const { amount, reference } = JSON.parse(openReceipt(receipt)!.text) as Record<string, string>
      const state = (yield* get(`/commits/${reference}`, dave)).json()
      assert.deepInclude(state, {
        ...made.json(),
        id: reference,
        state: "mined",
        charged: amount,
        receipt,
        error: null
      })
      const erin = yield* customer("erin")
      for (const path of [`/commits/${reference}`, "/commits/cmt_unknown"]) {
        const answer = yield* get(path, erin)
        assert.deepStrictEqual([answer.status, answer.json().code], [404, "not_found"])
      }
    })
  )

  it.effect(
    "a backup taken while commits run starts again with all of them, and the audit of both is clean",
    () =>
      Effect.gen(function* () {
        const daemon = yield* RunningDaemon
        const frank = yield* customer("frank", "100")
        const load = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 40 }, (_, n) => n),
            (n) => commit(frank, {}, `number ${n}`),
            { concurrency: 4 }
          )
        )
        yield* Effect.sleep(300)
        const place = yield* folder
        const copy = join(place, "backup")
        const home = join(place, "home")
        const asked = new Date(yield* Clock.currentTimeMillis).toISOString()
        yield* daemon.admin("backup", copy)
        const answers = yield* Fiber.join(load)
        assert.isTrue(answers.every(({ status }) => status === 200))
        for (const name of readdirSync(copy)) assert.strictEqual(statSync(join(copy, name)).mode & 0o077, 0, name)
        assert.include((yield* Effect.flip(daemon.admin("backup", copy))).stderr, "new or an empty folder")

        yield* daemon.admin("restore", copy, "--home", home)
        assert.include((yield* Effect.flip(daemon.admin("restore", copy, "--home", home))).stderr, "empty data folder")
        assert.isTrue(((yield* daemon.admin("audit", "--home", home)) as AuditReport).clean)
        const there = (yield* daemon.admin("account", "statement", "frank", "--home", home)) as Statement
        const here = (yield* daemon.admin("account", "statement", "frank")) as Statement
        assert.isAbove(there.movements.length, 1)
        const early = ({ movements }: Statement) => movements.filter(({ at }) => at < asked)
        assert.isNotEmpty(early(there))
        assert.deepStrictEqual(early(there), early(here))
        // What was under way when it was taken is concluded once more where it is restored: the same charges, at another time.
        const charged = ({ movements }: Statement) =>
          movements.map(({ credits, kind, posting, reference }) => [posting, kind, credits, reference].join(" "))
        assert.includeMembers(charged(here), charged(there))

        const block = readdirSync(join(copy, "blocks"), { recursive: true, encoding: "utf8" }).find(
          (name) => name.length > 20
        )
        writeFileSync(join(copy, "blocks", block ?? ""), "damaged")
        const refused = yield* Effect.flip(daemon.admin("restore", copy, "--home", join(place, "other")))
        assert.include(refused.stderr, "damaged")
        assert.isFalse(existsSync(join(place, "other")))
        assert.deepStrictEqual(readdirSync(place).sort(), ["backup", "home"])
        assert.isTrue(((yield* daemon.admin("audit")) as AuditReport).clean)
      }).pipe(Effect.scoped),
    600_000
  )
})

/** A CID of bytes that nobody has. */
const GONE = "bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am"

/** Damage of every kind, each to a commit of its own, and the code that has to come of it. */
const DAMAGE: ReadonlyArray<readonly [code: string, statement: (n: number) => string]> = [
  [
    "entry_unbalanced",
    () => "UPDATE posting SET amount = amount || '0' WHERE entry_id LIKE 'grant:%' AND account_id LIKE 'credits:%'"
  ],
  ["balance_differs", () => "UPDATE ledger_account SET balance = '5' WHERE id = 'gas'"],
  ["total_not_zero", () => "SELECT 1"],
  [
    "hold_abandoned",
    () =>
      "INSERT INTO hold (id, account_id, amount, funding, state, reference, created_at) SELECT 'hold_x', id, '7', 'tokens', 'held', 'cmt_x', 0 FROM account LIMIT 1"
  ],
  ["held_differs", () => "SELECT 1"],
  [
    "hold_not_closed",
    (n) => `UPDATE hold SET state = 'held', captured = NULL, closed_at = NULL WHERE id = (${holdOf(n)})`
  ],
  ["charge_not_booked", (n) => `UPDATE hold SET captured = '1' WHERE id = (${holdOf(n)})`],
  ["charge_differs", () => "SELECT 1"],
  ["charge_without_commit", (n) => `UPDATE commit_job SET state = 'reverted' WHERE id = (${jobOf(n)})`],
  ["commit_not_charged", (n) => `UPDATE hold SET state = 'released', captured = NULL WHERE id = (${holdOf(n)})`],
  ["commit_without_hold", (n) => `UPDATE commit_job SET hold_id = NULL WHERE id = (${jobOf(n)})`],
  ["receipt_damaged", (n) => `UPDATE receipt SET document = replace(document, '0.1', '0.2') WHERE sequence = ${n + 1}`],
  ["receipt_missing", (n) => `DELETE FROM receipt WHERE sequence = ${n + 1}`],
  ["receipt_chain", () => "SELECT 1"],
  [
    "receipt_signature",
    () => "UPDATE receipt SET signature = '0x' WHERE sequence = (SELECT MAX(sequence) FROM receipt)"
  ],
  [
    "settlement_differs",
    () =>
      "INSERT INTO settlement (id, account_id, amount, state, tx_hash, created_at, closed_at) SELECT 'stl_x', id, '5', 'settled', '0x1', 0, 1 FROM account LIMIT 1"
  ],
  [
    "block_missing",
    () => `INSERT INTO asset (asset_cid, asset_sha256, encoding_format, size, stored, created_at)
      VALUES ('${GONE}', '${"0".repeat(64)}', 'image/png', '1', 1, 1)`
  ],
  ["event_missing", (n) => `UPDATE commit_job SET tx_hash = '0xnone' WHERE id = (${jobOf(n)})`],
  ["event_unknown", () => "SELECT 1"],
  ["event_differs", (n) => `UPDATE commit_job SET commit_json = '{}' WHERE id = (${jobOf(n)})`],
  ["tree_missing", (n) => `DELETE FROM asset_tree WHERE cid = (${treeOf(n)})`],
  ["tree_damaged", (n) => `UPDATE asset_tree SET document = '' WHERE cid = (${treeOf(n)})`]
]

const jobOf = (n: number) => `SELECT id FROM commit_job ORDER BY created_at, id LIMIT 1 OFFSET ${n}`
const treeOf = (n: number) => `SELECT asset_tree_cid FROM commit_job ORDER BY created_at, id LIMIT 1 OFFSET ${n}`
const holdOf = (n: number) => `SELECT hold_id FROM commit_job ORDER BY created_at, id LIMIT 1 OFFSET ${n}`

describe("the audit", () => {
  it.live(
    "is clean after commits, and finds damage of every kind while the daemon runs",
    () =>
      Effect.gen(function* () {
        const daemon = yield* startDaemon()
        yield* Effect.gen(function* () {
          const grace = yield* customer("grace", "100")
          for (const [n] of DAMAGE.entries()) assert.strictEqual((yield* commit(grace, {}, `number ${n}`)).status, 200)
          const clean = (yield* daemon.admin("audit")) as AuditReport
          assert.deepStrictEqual(clean.findings, [])
          assert.deepInclude(clean.checked, { commits: DAMAGE.length, events: DAMAGE.length, trees: DAMAGE.length })

          damageStore(join(daemon.home, "treemark.db"))
          damageBlocks(join(daemon.home, "blocks"))
          const refused: CommandRefused = yield* Effect.flip(daemon.admin("audit"))
          assert.strictEqual(refused.exitCode, 1)
          const { findings } = JSON.parse(refused.stdout) as AuditReport
          const found = new Set<string>(findings.map(({ code }) => code))
          const expected = [...DAMAGE.map(([code]) => code), "block_damaged"]
          assert.deepStrictEqual([...found].sort(), expected.sort())
          assert.deepStrictEqual([...expected, "ledger_unread"].sort(), Object.keys(AUDIT_CODES).sort())
        }).pipe(Effect.provideService(RunningDaemon, daemon))
      }).pipe(Effect.scoped),
    600_000
  )
})

/** The blocks of the registered files; trees are in the store. */
const damageBlocks = (folder: string): void => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name)
    if (statSync(path).isFile()) truncateSync(path, statSync(path).size - 1)
  }
}

const damageStore = (file: string): void => {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: false })
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${String(name)}`)
  database.exec("UPDATE commit_job SET updated_at = 0")
  for (const [n, [, statement]] of DAMAGE.entries()) database.exec(statement(n))
  database.close()
}

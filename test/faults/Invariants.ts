/**
 * What must hold whatever was killed, cut off or lied to: every commit that was answered is on the ledger once, none is there that
 * nobody asked for, the committer's nonces have no gap, no hold is left, each caller paid for its own commits and nothing else, to the
 * last unit, and the daemon's audit of itself is clean.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { audited, type Caller } from "./Callers.ts"
import { nonceOf, type OnLedger, onLedger, type Rig } from "./Rig.ts"

const PRICE = 10n ** 17n

const OPEN = `SELECT (SELECT COUNT(*) FROM hold WHERE state = 'held') AS holds,
  (SELECT COUNT(*) FROM commit_job WHERE state IN ('queued', 'signed', 'sent')) AS jobs`

const OWED = `SELECT (SELECT COUNT(*) FROM settlement WHERE state = 'sending') AS transfers,
  (SELECT COUNT(*) FROM ledger_account WHERE id LIKE 'tokens:%' AND balance <> '0') AS debts`

const isNothing = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): boolean =>
  rows.length === 1 && Object.values(rows[0] ?? {}).every((count) => Number(count) === 0)

const untilNothing = Effect.fnUntraced(function* (rig: Rig, query: string, seconds: number) {
  const look = rig.rows(query)
  for (let left = seconds * 20; ; left--) {
    const found = yield* look
    if (isNothing(found) || left === 0) return assert.isTrue(isNothing(found), `left open: ${JSON.stringify(found)}`)
    yield* Effect.sleep("50 millis")
  }
})

/** Waits until no hold is open and no commit is under way. */
export const untilSettled = (rig: Rig, seconds = 300) => untilNothing(rig, OPEN, seconds)

/** Waits until no wallet owes anything and no transfer is under way. */
export const untilPaid = (rig: Rig, seconds = 300) => untilNothing(rig, OWED, seconds)

export interface Expected {
  readonly callers: ReadonlyArray<Caller>
  /** The transaction of each commit that was answered with 200, by its message. */
  readonly done: ReadonlyMap<string, string>
  /** Messages of commits that were asked for and not answered: they may be on the ledger. */
  readonly open?: ReadonlyArray<string>
}

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((all, value) => all + value, 0n)

const costOf = (commits: ReadonlyArray<OnLedger>): bigint => sum(commits.map(({ gas }) => PRICE + gas))

/** Fails unless everything agrees; answers the commits on the ledger. */
export const assertConsistent = Effect.fnUntraced(function* (rig: Rig, url: string, expected: Expected) {
  yield* untilSettled(rig)
  if (expected.callers.some(({ pays }) => pays === "tokens")) yield* untilPaid(rig)
  const ledger = yield* onLedger(rig, url)
  const byMessage = new Map(ledger.map((commit) => [commit.message, commit.txHash]))
  assert.strictEqual(byMessage.size, ledger.length, "a commit is on the ledger twice")
  for (const [message, txHash] of expected.done) {
    assert.strictEqual(byMessage.get(message), txHash, `"${message}" was answered with another transaction`)
  }
  const known = new Set([...expected.done.keys(), ...(expected.open ?? [])])
  assert.deepStrictEqual(
    ledger.filter(({ message }) => !known.has(message)),
    [],
    "a commit is on the ledger that nobody asked for"
  )
  const jobs = yield* rig.rows("SELECT DISTINCT committer FROM commit_job WHERE state = 'mined'")
  const committer = String(jobs[0]?.committer ?? "")
  if (jobs.length === 1)
    assert.strictEqual(yield* nonceOf(rig, url, committer), ledger.length, "nonces of the committer")
  const mined = yield* rig.rows("SELECT tx_hash FROM commit_job WHERE state = 'mined'")
  assert.deepStrictEqual(mined.map(({ tx_hash }) => tx_hash).sort(), ledger.map(({ txHash }) => txHash).sort())

  const accounts = yield* rig.rows("SELECT id, balance FROM ledger_account")
  const balances = new Map(accounts.map(({ balance, id }) => [String(id), BigInt(String(balance))]))
  const balance = (id: string): bigint => balances.get(id) ?? 0n
  assert.strictEqual(sum(balances.values()), 0n, "all balances together")
  assert.strictEqual(balance("revenue"), PRICE * BigInt(ledger.length), "revenue")
  assert.strictEqual(balance("gas"), costOf(ledger) - PRICE * BigInt(ledger.length), "gas")
  const paid = yield* rig.rows(
    "SELECT account_id, amount FROM settlement WHERE state IN ('settled', 'sending') ORDER BY id"
  )
  for (const { granted, id, name, pays, wallet } of expected.callers) {
    const cost = costOf(ledger.filter(({ author }) => author === wallet))
    if (pays === "credits") assert.strictEqual(balance(`credits:${id}`), granted - cost, `credits of ${name}`)
    else {
      const settled = sum(
        paid.filter(({ account_id }) => account_id === id).map(({ amount }) => BigInt(String(amount)))
      )
      assert.strictEqual(settled - balance(`tokens:${id}`), cost, `what ${name} owes and has paid`)
    }
  }
  const report = yield* audited(rig)
  assert.deepStrictEqual(report.findings, [])
  assert.isTrue(report.clean)
  return ledger
})

/** Each finished transfer of a wallet is one transaction of it, and nothing else is. */
export const assertPaidOnce = Effect.fnUntraced(function* (rig: Rig, url: string, caller: Caller) {
  yield* untilPaid(rig)
  const transfers = yield* rig.rows(`SELECT id FROM settlement WHERE account_id = '${caller.id}' AND state = 'settled'`)
  assert.strictEqual(yield* nonceOf(rig, url, caller.wallet), transfers.length, `transfers of ${caller.name}`)
})

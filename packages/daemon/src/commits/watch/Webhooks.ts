/**
 * Tells what the watch over authors found: each alert is a line of the log and, where the watch has a webhook, a signed POST, repeated until it
 * is answered with a 2xx. What is to be told stands in the store before it is told, so a receiver that is down for an hour or a daemon that is
 * killed loses nothing; a delivery that was cut off comes again with the same id. While a receiver fails it is tried less and less often,
 * and what it refused last waits behind what it has not seen.
 */
import { Clock, Context, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { note, webhookDeliveries } from "../../telemetry/Metrics.ts"
import { HdWallets } from "../../wallets/HdWallets.ts"
import { type AlertKind, alertOf, type Finding } from "./Alert.ts"
import { signatureHeaders, webhookSecret } from "./WebhookSignature.ts"

export interface WebhookCall {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a delivery; answers the status. A failure says in words why there is none. */
export const SendWebhook = Context.Reference<(call: WebhookCall) => Effect.Effect<number, Error>>(
  "@treemark/daemon/commits/watch/SendWebhook",
  {
    // Nothing of the answer is read but its status, and no redirect is followed: the administration named this place and no other.
    defaultValue:
      () =>
      ({ body, headers, url }) =>
        Effect.tryPromise({
          try: async (signal) => {
            const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" })
            await response.body?.cancel()
            return response.status
          },
          catch: (cause) => new Error(reasonOf(cause))
        })
  }
)

const TIMEOUT = Duration.seconds(10)

/** While one daemon delivers for a watch, others of the same store leave it alone: longer than a delivery takes. */
const HELD_MS = 30_000

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 300_000

/** Deliveries of one watch in one go, so that others get their turn. */
const MOST = 100

interface OpenRow {
  readonly id: string
  readonly kind: AlertKind
  readonly body: string
}

interface DueWatch {
  readonly id: string
  readonly webhook: string | null
  readonly failures: number | bigint
  readonly next_try: number | bigint
}

/** One round: everything that is due is told, or put off. */
export const makeWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* HdWallets
  const send = yield* SendWebhook

  const log = Effect.gen(function* () {
    const rows = yield* sql<OpenRow>`SELECT d.id, d.kind, a.body FROM author_delivery d
      JOIN author_alert a ON a.id = d.alert_id WHERE d.done_at IS NULL AND d.is_logged = 0 ORDER BY d.made_at, a.block_number, a.log_index`
    for (const { body, id, kind } of rows) {
      const finding = JSON.parse(body) as Finding
      const { text } = alertOf(finding, id, kind)
      const isCalm = finding.why === "signed" && finding.actBy === "author" && kind !== "withdrawn"
      yield* (isCalm ? Effect.logInfo(text) : Effect.logWarning(text)).pipe(Effect.annotateLogs({ alert: id }))
      yield* sql`UPDATE author_delivery SET is_logged = 1 WHERE id = ${id}`
    }
  })

  const done = Effect.fnUntraced(function* (id: string) {
    yield* sql`UPDATE author_delivery SET done_at = ${yield* Clock.currentTimeMillis}, attempts = attempts + 1 WHERE id = ${id}`
  })

  /** The next one to send, never one about an alert of which an earlier one waits. */
  const next = (watchId: string) => sql<OpenRow>`SELECT d.id, d.kind, a.body FROM author_delivery d
    JOIN author_alert a ON a.id = d.alert_id
    WHERE d.watch_id = ${watchId} AND d.done_at IS NULL AND NOT EXISTS (SELECT 1 FROM author_delivery e
      WHERE e.alert_id = d.alert_id AND e.done_at IS NULL AND (e.made_at < d.made_at OR (e.made_at = d.made_at AND e.id < d.id)))
    ORDER BY d.attempts, d.made_at, a.block_number, a.log_index LIMIT 1`

  const post = Effect.fnUntraced(function* (watch: DueWatch, { body, id, kind }: OpenRow) {
    const text = JSON.stringify(alertOf(JSON.parse(body) as Finding, id, kind))
    const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const signed = signatureHeaders(webhookSecret(wallets, watch.id), { id, seconds, body: text })
    const headers = { "content-type": "application/json", "user-agent": "treemark", ...signed }
    const status = yield* send({ url: watch.webhook ?? "", headers, body: text }).pipe(
      Effect.timeoutOrElse({
        duration: TIMEOUT,
        orElse: () => Effect.fail(new Error(`it did not answer within ${Duration.format(TIMEOUT)}`))
      }),
      Effect.result
    )
    if (status._tag === "Failure") return status.failure.message
    return status.success >= 200 && status.success < 300 ? undefined : `it answered ${status.success}`
  })

  const putOff = Effect.fnUntraced(function* (watch: DueWatch, failures: number, problem: string) {
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 20))
    const at = (yield* Clock.currentTimeMillis) + wait
    yield* sql`UPDATE author_watch SET failures = ${failures + 1}, next_try = ${at}, problem = ${problem} WHERE id = ${watch.id}`
    if (failures > 0) return
    yield* Effect.logWarning(
      `The webhook of the watch ${watch.id} (${originOf(watch.webhook)}) did not take an alert: ${problem}. It is tried again, less and less often; nothing is lost meanwhile.`
    )
  })

  const serve = Effect.fnUntraced(function* (watch: DueWatch) {
    let failures = Number(watch.failures)
    for (let left = MOST; left > 0; left--) {
      const held = (yield* Clock.currentTimeMillis) + HELD_MS
      yield* sql`UPDATE author_watch SET next_try = ${held} WHERE id = ${watch.id}`
      const [row] = yield* next(watch.id)
      if (row === undefined) break
      const problem = watch.webhook === null ? undefined : yield* post(watch, row)
      if (watch.webhook !== null) {
        note(webhookDeliveries, 1, { outcome: problem === undefined ? "delivered" : "failed" })
      }
      if (problem !== undefined) {
        yield* sql`UPDATE author_delivery SET attempts = attempts + 1 WHERE id = ${row.id}`
        return yield* putOff(watch, failures, problem)
      }
      yield* done(row.id)
      if (failures > 0) yield* Effect.logInfo(`The webhook of the watch ${watch.id} takes alerts again.`)
      failures = 0
    }
    yield* sql`UPDATE author_watch SET next_try = 0, failures = 0, problem = NULL WHERE id = ${watch.id}`
  })

  return Effect.gen(function* () {
    yield* log
    const now = yield* Clock.currentTimeMillis
    // A time further ahead than any wait was written before the clock was set back.
    const due = yield* sql<DueWatch>`SELECT id, webhook, failures, next_try FROM author_watch w
      WHERE (next_try <= ${now} OR next_try > ${now + LONGEST_WAIT_MS}) AND EXISTS (SELECT 1 FROM author_delivery d WHERE d.watch_id = w.id AND d.done_at IS NULL)`
    yield* Effect.forEach(
      due,
      Effect.fnUntraced(function* (watch) {
        const mine = yield* sql`UPDATE author_watch SET next_try = ${now + HELD_MS}
          WHERE id = ${watch.id} AND next_try = ${watch.next_try} RETURNING id`
        if (mine.length > 0) yield* serve(watch)
      }),
      { concurrency: 4, discard: true }
    )
  })
})

/** What of a webhook's address may be shown: its path is often a secret. */
export const originOf = (webhook: string | null): string => {
  if (webhook === null) return "-"
  const { host, pathname, protocol } = new URL(webhook)
  return `${protocol}//${host}${pathname === "/" ? "" : "/…"}`
}

/** fetch hides the reason in causes. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message === "" && "code" in error ? String(error.code) : error.message
}

/** The gauges behind `/metrics` that are looked for when somebody asks: what `/ready` says, jobs, holds, wallets, chains, the process itself. None takes long. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { commitTable } from "./commits/CommitTable.ts"
import { type LedgerNetwork, Networks } from "./evm/Networks.ts"
import { Outbox } from "./evm/Outbox.ts"
import { ask } from "./evm/RpcFailure.ts"
import { MetricsGauges } from "./http/service/MetricsRoute.ts"
import { Readiness } from "./http/service/Readiness.ts"
import { IntColumn } from "./store/Columns.ts"
import * as Metrics from "./telemetry/Metrics.ts"
import { note } from "./telemetry/Metrics.ts"

/** For how long what was found holds: whoever asks often does not make work. */
const KEPT = Duration.seconds(2)

/** A node that takes longer is left out of this look; its head stands still in the figures, which is what they are for. */
const PATIENCE = Duration.seconds(2)

const NANOSECONDS = 1e9

const decodeCounts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ state: Schema.String, many: IntColumn })))

const decodeNonces = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ chain_id: IntColumn, address: Schema.String, next_nonce: IntColumn }))
)

const decodeSums = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ kind: Schema.String, amount: Schema.BigIntFromString }))
)

const decodeOpen = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ chain_id: IntColumn, committer: Schema.NullOr(Schema.String), state: Schema.String }))
)

/** A gauge is a floating-point number: good for fifteen digits, which is enough to look at. */
const inTokens = (units: bigint): number => Number(units) / 1e18

const OPEN_STATES = ["queued", "signed", "sent"]

export const layer = Layer.effect(
  MetricsGauges,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const outbox = yield* Outbox
    const readiness = yield* Effect.serviceOption(Readiness)
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()
    yield* Effect.addFinalizer(() => Effect.sync(() => delay.disable()))
    const roles = (["mainnet", "testnet"] as const).map((role) => networks.role(role))
    const nameOf = (chainId: number) => roles.find((one) => one.chainId === chainId)?.name ?? String(chainId)

    const jobs = Effect.gen(function* () {
      const commits = yield* decodeCounts(yield* commitTable(sql).underWay)
      const transfers = yield* decodeCounts(
        yield* sql`SELECT state, COUNT(*) AS many FROM transfer_job WHERE state IN ('queued', 'signed', 'sent') GROUP BY state`
      )
      const holds = yield* decodeCounts(
        yield* sql`SELECT 'held' AS state, COUNT(*) AS many FROM hold WHERE state = 'held'`
      )
      for (const state of OPEN_STATES) {
        note(Metrics.commitsOpen, commits.find((row) => row.state === state)?.many ?? 0, { state })
        note(Metrics.transfersOpen, transfers.find((row) => row.state === state)?.many ?? 0, { state })
      }
      note(Metrics.holdsOpen, holds[0]?.many ?? 0)
      const waiting = yield* decodeCounts(
        yield* sql`SELECT 'waiting' AS state, COUNT(*) AS many FROM author_delivery WHERE done_at IS NULL`
      )
      note(Metrics.deliveriesWaiting, waiting[0]?.many ?? 0)
      const nonces = yield* decodeNonces(yield* sql`SELECT chain_id, address, next_nonce FROM signer_nonce`)
      for (const { address, chain_id, next_nonce } of nonces) {
        note(Metrics.laneNonce, next_nonce, { network: nameOf(chain_id), wallet: address })
      }
    })

    const ready = Option.match(readiness, {
      onNone: () => Effect.void,
      onSome: ({ check }) =>
        Effect.map(check, (checks) => {
          for (const { name, ok } of checks) note(Metrics.readyChecks, ok ? 1 : 0, { check: name })
        })
    })

    const amounts = Effect.gen(function* () {
      const sums = yield* decodeSums(
        yield* sql`SELECT kind, balance AS amount FROM ledger_account
            WHERE kind IN ('tokens', 'settling') AND balance <> '0'
          UNION ALL SELECT 'held' AS kind, amount FROM hold WHERE state = 'held'`
      )
      const sumOf = (wanted: string) =>
        sums.reduce((sum, { amount, kind }) => (kind === wanted ? sum + amount : sum), 0n)
      note(Metrics.heldTokens, inTokens(sumOf("held")))
      note(Metrics.owedTokens, inTokens(-sumOf("tokens")))
      note(Metrics.settlingTokens, inTokens(-sumOf("settling")))
    })

    const open = Effect.gen(function* () {
      const rows = yield* decodeOpen(yield* commitTable(sql).open)
      for (const { address, chainId } of outbox.lanes()) {
        const signed = rows.filter(
          ({ chain_id, committer, state }) => chain_id === chainId && committer === address && state !== "queued"
        )
        note(Metrics.laneOpen, signed.length, { network: nameOf(chainId), wallet: address })
      }
    })

    const wallets = Effect.sync(() => {
      for (const { address, chainId, stopped } of outbox.lanes()) {
        note(Metrics.laneStopped, stopped === undefined ? 0 : 1, { network: nameOf(chainId), wallet: address })
      }
    })

    const chain = (network: LedgerNetwork) =>
      Effect.map(
        ask(network, () => network.client.getBlock({ blockTag: "latest" })).pipe(Effect.timeout(PATIENCE)),
        ({ number, timestamp }) => {
          note(Metrics.chainHead, Number(number), { network: network.name })
          note(Metrics.chainLag, Math.max(0, Date.now() / 1000 - Number(timestamp)), { network: network.name })
        }
      )

    const ownProcess = Effect.sync(() => {
      for (const quantile of [50, 99, 100]) {
        const late = Math.max(0, delay.percentile(quantile) / NANOSECONDS - 0.01)
        note(Metrics.loopLag, late, { quantile: String(quantile / 100) })
      }
      delay.reset()
      const { external, heapUsed, rss } = process.memoryUsage()
      for (const [kind, bytes] of Object.entries({ rss, heap: heapUsed, external })) {
        note(Metrics.memory, bytes, { kind })
      }
      note(Metrics.upSeconds, process.uptime())
      note(Metrics.logLinesLost, 0)
      for (const outcome of ["mined", "reverted", "displaced", "refused", "reorganised"]) {
        note(Metrics.commitsEnded, 0, { outcome })
      }
      for (const outcome of ["settled", "returned"]) note(Metrics.settlementsEnded, 0, { outcome })
    })

    const looks = [ready, jobs, amounts, open, wallets, ownProcess, ...roles.map(chain)]
    const all = Effect.all(
      looks.map((look) =>
        Effect.catchCause(look as Effect.Effect<void>, (cause) => Effect.logDebug("A gauge could not be read.", cause))
      ),
      { concurrency: "unbounded", discard: true }
    )
    return MetricsGauges.of({ look: yield* Effect.cachedWithTTL(all, KEPT) })
  })
)

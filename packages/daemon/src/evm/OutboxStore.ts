/**
 * What the outbox writes, each step one transaction: a nonce taken and bytes signed, a nonce given back, a transaction replaced by one
 * with the same nonce, a transaction lost. A change that must not be lost is tried until the store takes it.
 */
import { type CommitEvent as Happening, StorageUnavailable } from "@treemark/core"
import { Clock, Duration, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { addEvent, type CommitEvent, replacedDetail } from "../commits/CommitHistory.ts"
import { makeCommitTransitions, type Written } from "../commits/CommitTransitions.ts"
import { type Lease, Leases } from "../store/Leases.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import * as Nonces from "./Nonces.ts"
import type { Signed, Wanted } from "./OutboxTransaction.ts"
import { signTransaction } from "./SignedTransaction.ts"
import { storeVariants, variantsOf } from "./Variants.ts"

export const isSqlError = (error: unknown): error is SqlError.SqlError => SqlError.isSqlError(error)

export const storage = (doing: string) => (cause: unknown) => new StorageUnavailable({ doing, cause })

/** 100 ms, doubling up to 1 s: a store that is back is used soon. */
export const storePause = (failures: number): Duration.Duration =>
  Duration.millis(Math.min(100 * 2 ** Math.min(failures, 10), 1_000))

export const makeOutboxStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wallets = yield* HdWallets
  const leases = yield* Leases
  const inStore = Effect.provideService(SqlClient.SqlClient, sql)

  /** Tries a change until the store takes it; fails only with what is no failure of the store. */
  const untilStored = Effect.fnUntraced(function* <E>(change: Effect.Effect<unknown, E | SqlError.SqlError>) {
    for (let failures = 0; ; failures++) {
      const error = yield* change.pipe(
        Effect.as(undefined),
        Effect.catchIf(isSqlError, (failed) => Effect.succeed(failed))
      )
      if (error === undefined) return
      yield* Effect.logError("The store refused a change of a job that is under way; trying again", error)
      yield* Effect.sleep(storePause(failures))
    }
  })

  const transitions = yield* makeCommitTransitions

  const note = ({ id, table }: Signed, at: number, event: CommitEvent) =>
    table === "commit_job" ? inStore(addEvent(id, at, event)) : Effect.void

  const startAt = (lane: Nonces.Lane, mined: number) =>
    Effect.mapError(inStore(Nonces.startAt(lane, mined)), storage("reading the nonces of a wallet"))

  /** Answers after its COMMIT: nothing is sent before it. */
  const sign = Effect.fnUntraced(function* (wanted: Wanted, lane: Nonces.Lane, lease: Lease) {
    const { network, table, id, walletIndex } = wanted
    const at = yield* Clock.currentTimeMillis
    return yield* sql
      .withTransaction(
        Effect.gen(function* () {
          yield* leases.guard(lease)
          const nonce = yield* inStore(Nonces.take(lane))
          const made = signTransaction(wallets, walletIndex, { ...wanted, chainId: lane.chainId, nonce })
          const again = table === "commit_job" ? walletIndex : undefined
          const signed: Signed = { table, id, network, address: lane.address, nonce, walletIndex: again, ...made }
          yield* wanted.insert(signed, at)
          yield* note(signed, at, { what: "signed", txHash: signed.hash })
          return signed
        })
      )
      .pipe(Effect.catchTag("SqlError", (cause) => Effect.fail(storage("storing a signed transaction")(cause))))
  })

  /** Says so only of a transaction that has not ended meanwhile: another daemon may have taken it over and been told of its receipt. */
  const markSent = Effect.fnUntraced(function* (signed: Signed) {
    const { hash, id, table } = signed
    if (table === "commit_job") {
      yield* transitions.tell(id, { _tag: "taken" }, { history: { what: "sent", txHash: hash } })
      return
    }
    const updated_at = yield* Clock.currentTimeMillis
    yield* sql`UPDATE transfer_job SET ${sql.update({ state: "sent", updated_at })} WHERE id = ${id} AND state = 'signed'`
  }, sql.withTransaction)

  /** Ends a commit by its machine, a transfer unless it has ended; answers whether it did. */
  const end = Effect.fnUntraced(function* (
    { id, table }: Signed,
    event: Happening,
    state: "refused" | "displaced",
    written: Written
  ) {
    if (table === "commit_job") return (yield* transitions.tell(id, event, written)).hasChanged
    const columns = { ...written.columns, state, updated_at: yield* Clock.currentTimeMillis }
    const ended = yield* sql`UPDATE transfer_job SET ${sql.update(columns)}
      WHERE id = ${id} AND state IN ('signed', 'sent') RETURNING id`
    return ended.length > 0
  })

  /** True when the nonce was the last one taken: then the row says `refused` and the transaction can never be mined. */
  const giveUp = Effect.fnUntraced(function* (signed: Signed, lane: Nonces.Lane, lease: Lease, reason: string) {
    yield* leases.guard(lease)
    if (!(yield* inStore(Nonces.giveBack(lane, signed.nonce)))) return false
    const columns = { nonce: null, raw_tx: null, tx_hash: null, error: reason }
    const history = { what: "refused", txHash: signed.hash, detail: reason } as const
    if (yield* end(signed, { _tag: "not_taken" }, "refused", { columns, history })) return true
    yield* inStore(Nonces.take(lane))
    return false
  }, sql.withTransaction)

  /** A daemon that has lost the wallet must not say that a transaction is lost: its successor may have sent it. */
  const displace = Effect.fnUntraced(function* (signed: Signed, lease: Lease, reason: string) {
    yield* leases.guard(lease)
    const history = { what: "displaced", txHash: signed.hash, detail: reason } as const
    yield* end(signed, { _tag: "nonce_spent" }, "displaced", { columns: { error: reason }, history })
  }, sql.withTransaction)

  /** From now on `next` is what is sent; it, and what it replaces, are kept. Nothing of it was sent before this. */
  const replace = Effect.fnUntraced(function* (old: Signed, next: Signed, lease: Lease) {
    yield* leases.guard(lease)
    const at = yield* Clock.currentTimeMillis
    const [from, to] = yield* inStore(storeVariants([old, next], at))
    const detail = from === undefined || to === undefined ? null : replacedDetail(from, to)
    const columns = { raw_tx: next.raw, tx_hash: next.hash }
    const history = { what: "replaced", txHash: next.hash, detail } as const
    yield* transitions.tell(next.id, { _tag: "replace" }, { columns, history })
  }, sql.withTransaction)

  return {
    untilStored,
    startAt,
    sign,
    markSent,
    giveUp,
    displace,
    replace,
    variantsOf: (id: string) => inStore(variantsOf(id))
  }
})

export type OutboxStore = Effect.Success<typeof makeOutboxStore>

/**
 * This daemon's place among the replicas on one PostgreSQL: a row in `replica` that it renews every two seconds and that counts for
 * eight, and the wallets it signs for. Whoever finds a wallet's signer dead takes the wallet over: at most nine seconds after its
 * last sign of life. All times are the database's, so the clocks of the machines do not matter.
 *
 * Signs of life have a connection of their own, so that they never wait behind work.
 */
import { Context, Duration, Effect, Layer, Schedule, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { type Lane, type Lease, LeaseElsewhere, LeaseLost, Leases, type LeasesShape } from "./Leases.ts"
import * as Postgres from "./Postgres.ts"
import { randomId } from "./RandomId.ts"
import { databaseNow, isAlive, ReplicaId } from "./Replica.ts"

/** How long a sign of life counts, in milliseconds. */
export const LEASE_MS = 8_000
const BEAT = Duration.seconds(2)
/** A beat that takes longer than this is given up, for the next one to try. */
const BEAT_PATIENCE = Duration.seconds(3)
const DOUBT = Duration.millis(250)
/** Rows of daemons that ended without saying so are removed after a day. */
const FORGOTTEN_MS = 86_400_000

/** Embedded chains live in one process; daemons with chains of their own cannot share books. */
export class ChainNotShared extends Schema.TaggedError<ChainNotShared>()("ChainNotShared", { other: Schema.String }) {
  override get message() {
    return `Another daemon (${this.other}) works on the same database, and the embedded chains of a "local" profile belong to one daemon only. Nothing was started. Give all daemons a profile whose networks are reached over HTTP, or stop the other one.`
  }
}

export interface ReplicasOptions extends Postgres.PostgresOptions {
  /** Whether this daemon has embedded chains. */
  readonly embedded: boolean
}

interface Held {
  readonly lease: Lease
  users: number
  lost: boolean
}

const keyOf = ({ address, chainId }: Lane): string => `${chainId}:${address}`

const make = Effect.fnUntraced(function* (options: ReplicasOptions) {
  const main = yield* SqlClient.SqlClient
  const sql = yield* Postgres.make({ ...options, connections: 1 }).pipe(Effect.provide(Reactivity.layer))
  const now = databaseNow(sql)
  const id = yield* randomId("rep", yield* SecureRandom.SecureRandom)
  const held = new Map<string, Held>()
  const oneAtATime = Semaphore.makeUnsafe(1)
  let aliveUntil = 0

  const renew = sql`INSERT INTO replica (id, embedded, started_at, lease_until)
    VALUES (${id}, ${options.embedded ? 1 : 0}, ${now}, ${now} + ${LEASE_MS})
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`

  /** Says that this daemon lives, and learns which of its wallets others have taken. */
  const beat = Effect.gen(function* () {
    const asked = performance.now()
    const known = [...held.values()]
    yield* renew
    aliveUntil = asked + LEASE_MS
    if (known.length === 0) return
    const rows =
      yield* sql<Lease>`SELECT chain_id AS "chainId", address, epoch FROM signer_lease WHERE replica_id = ${id}`
    const mine = new Map(rows.map((row) => [keyOf(row), row.epoch]))
    for (const one of known) if (mine.get(keyOf(one.lease)) !== one.lease.epoch) one.lost = true
  }).pipe(Effect.timeout(BEAT_PATIENCE))

  const take = Effect.fnUntraced(function* ({ address, chainId }: Lane) {
    const rows = yield* sql<Lease>`INSERT INTO signer_lease (chain_id, address, replica_id, epoch)
      VALUES (${chainId}, ${address}, ${id}, 1)
      ON CONFLICT (chain_id, address) DO UPDATE SET replica_id = excluded.replica_id, epoch = signer_lease.epoch + 1
      WHERE signer_lease.replica_id = excluded.replica_id OR NOT ${isAlive(sql, "signer_lease.replica_id")}
      RETURNING chain_id AS "chainId", address, epoch`
    return rows[0] ?? (yield* new LeaseElsewhere({ chainId, address }))
  })

  const acquire = Effect.fnUntraced(function* (lane: Lane) {
    const known = held.get(keyOf(lane))
    const one = known !== undefined && !known.lost ? known : { lease: yield* take(lane), users: 0, lost: false }
    held.set(keyOf(lane), one)
    one.users++
    return one
  }, oneAtATime.withPermit)

  const release = (one: Held) =>
    Effect.suspend(() => {
      if (--one.users > 0) return Effect.void
      if (held.get(keyOf(one.lease)) === one) held.delete(keyOf(one.lease))
      const { address, chainId, epoch } = one.lease
      return Effect.ignore(sql`UPDATE signer_lease SET replica_id = NULL
        WHERE chain_id = ${chainId} AND address = ${address} AND replica_id = ${id} AND epoch = ${epoch}`)
    }).pipe(oneAtATime.withPermit)

  const isLost = (lease: Lease): boolean => {
    const one = held.get(keyOf(lease))
    return one === undefined || one.lost || one.lease.epoch !== lease.epoch
  }

  const locking = ({ address, chainId, epoch }: Lease) => main`SELECT epoch FROM signer_lease
    WHERE chain_id = ${chainId} AND address = ${address} AND replica_id = ${id} AND epoch = ${epoch} FOR SHARE`

  const leases: LeasesShape = {
    locking,
    use: (lane, work) => Effect.acquireUseRelease(acquire(lane), (one) => work(one.lease), release),
    held: (lane) => {
      const one = held.get(keyOf(lane))
      return one === undefined || one.lost || performance.now() >= aliveUntil ? undefined : one.lease
    },
    guard: Effect.fnUntraced(function* (lease) {
      const rows = yield* locking(lease)
      if (rows.length === 0) return yield* new LeaseLost(lease)
    }),
    confirm: Effect.fnUntraced(function* (lease) {
      for (;;) {
        if (isLost(lease)) return yield* new LeaseLost(lease)
        if (performance.now() < aliveUntil) return
        yield* Effect.catch(beat, () => Effect.sleep(DOUBT))
      }
    })
  }

  /** Daemons that live and were here before this one, when either has embedded chains. */
  const strangers = sql<{ readonly id: string }>`SELECT r.id FROM replica r, replica me
    WHERE me.id = ${id} AND r.id <> me.id AND r.lease_until > ${now} AND (r.embedded = 1 OR me.embedded = 1)
    AND (r.started_at < me.started_at OR (r.started_at = me.started_at AND r.id < me.id))`

  yield* sql`DELETE FROM replica WHERE lease_until < ${now} - ${FORGOTTEN_MS}`
  yield* Effect.acquireRelease(beat, () =>
    Effect.ignore(
      sql`UPDATE signer_lease SET replica_id = NULL WHERE replica_id = ${id}`.pipe(
        Effect.andThen(sql`DELETE FROM replica WHERE id = ${id}`)
      )
    )
  )
  yield* beat.pipe(
    Effect.catch((error) => Effect.logWarning("This daemon could not say that it lives; trying again", error)),
    Effect.schedule(Schedule.spaced(BEAT)),
    Effect.forkScoped
  )
  yield* waitAlone(strangers)
  return Context.make(ReplicaId, id).pipe(Context.add(Leases, leases))
})

/** A daemon that was killed seems to live for a while: its successor waits for that to pass. */
const waitAlone = Effect.fnUntraced(function* (
  strangers: Effect.Effect<ReadonlyArray<{ readonly id: string }>, SqlError.SqlError>
) {
  const until = performance.now() + LEASE_MS + Duration.toMillis(BEAT)
  for (;;) {
    const [other] = yield* strangers
    if (other === undefined) return
    if (performance.now() > until) return yield* new ChainNotShared({ other: other.id })
    yield* Effect.sleep(DOUBT)
  }
})

/** Registers this daemon for as long as the layer lives, and provides `ReplicaId` and `Leases`. Needs the migrated store. */
export const layer = (options: ReplicasOptions) => Layer.effectContext(make(options))

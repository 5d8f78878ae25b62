/**
 * Moves an embedded store to PostgreSQL. All of it arrives in one transaction or nothing does; what was copied is compared before that
 * transaction ends. The file is marked as moved first: a move that was cut off anywhere is simply run again.
 */
import { Effect, Option, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { migrate, versionOf } from "../store/Migrations.ts"
import { type Mark, markOf, noteOrigin, originOf, removeMark, setMark } from "../store/MovedStore.ts"
import * as Postgres from "../store/Postgres.ts"
import { randomId } from "../store/RandomId.ts"
import { databaseUnusable } from "../store/StoreErrors.ts"
import { type Copied, copyStore } from "./CopyStore.ts"

export class ExportRefused extends Schema.TaggedError<ExportRefused>()("ExportRefused", { problem: Schema.String }) {
  override get message() {
    return `Nothing was moved: ${this.problem}`
  }
}

export interface Exported extends Copied {
  readonly place: string
  /** True when an earlier run had moved everything already and was cut off before it could say so. */
  readonly hadArrived: boolean
}

/** The connected store, an embedded one that nobody else has open, to the database at `url`. */
export const exportStore = Effect.fn("Store.export")(function* (url: Redacted.Redacted<string>) {
  const from = yield* SqlClient.SqlClient
  const to = yield* Postgres.make({ url, connections: 2 }).pipe(Effect.provide(Reactivity.layer))
  const place = Postgres.placeOf(url) ?? ""
  yield* migrate
  const earlier = yield* markOf
  if (Option.isSome(earlier) && earlier.value.place !== place) {
    return yield* new ExportRefused({
      problem: `this store was moved to ${earlier.value.place}, or its move there was cut off. Go on with that one, or begin anew with treemarkd export --undo.`
    })
  }
  const mark: Mark = Option.getOrElse(earlier, () => ({ place, id: "" }))
  const id = mark.id === "" ? yield* randomId("move", yield* SecureRandom.SecureRandom) : mark.id
  const arrival = arrive(from, to, { place, id }).pipe(
    Effect.mapError((error) => (error._tag === "SqlError" ? databaseUnusable(place, error) : error))
  )
  yield* setMark({ place, id })
  return yield* Option.isSome(earlier)
    ? arrival
    : Effect.tapError(arrival, (error) => (mayHaveArrived(error) ? Effect.void : removeMark))
})

/** A connection that broke may have done so after the COMMIT; what the database itself refused did not arrive. */
const mayHaveArrived = (error: { readonly _tag: string; readonly reason?: unknown }): boolean =>
  error._tag === "DatabaseUnusable" && error.reason !== "rights"

/** Reading and hashing a page takes far less; a machine that vanished must not hold the database's locks for longer. */
const LONGEST_PAUSE = "'60s'"

const arrive = (from: SqlClient.SqlClient, to: SqlClient.SqlClient, mark: Mark) =>
  Effect.gen(function* () {
    yield* to`SET LOCAL statement_timeout = 0`
    yield* to`SET LOCAL idle_in_transaction_session_timeout = ${to.literal(LONGEST_PAUSE)}`
    const version = yield* Effect.provideService(versionOf, SqlClient.SqlClient, to)
    yield* Effect.provideService(migrate, SqlClient.SqlClient, to)
    const origin = version === 0 ? Option.none() : yield* originOf(to)
    if (Option.isSome(origin) && origin.value === mark.id) {
      return { tables: 0, rows: 0, place: mark.place, hadArrived: true } satisfies Exported
    }
    const copied = yield* copyStore(from, to)
    yield* noteOrigin(to, mark)
    return { ...copied, place: mark.place, hadArrived: false } satisfies Exported
  }).pipe(to.withTransaction)

/** Takes the mark off the connected store; answers where it had been moved. Fails when it had not been. */
export const undoExport = Effect.gen(function* () {
  const mark = yield* markOf
  if (Option.isNone(mark)) return yield* new ExportRefused({ problem: "this store was not moved." })
  yield* removeMark
  return mark.value.place
})

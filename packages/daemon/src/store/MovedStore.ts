/**
 * The mark of an embedded store whose data went to PostgreSQL (`treemarkd export`): while it is there, nothing opens the file again by
 * accident, which would make two sets of books out of one. Set before anything is copied, so that no crash leaves two without it.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

const KEY = "moved_to"
const ORIGIN_KEY = "moved_from"

/** `place`: `HOST:PORT/DATABASE`. `id` is noted on both sides. */
const Mark = Schema.Struct({ place: Schema.String, id: Schema.String })
export type Mark = typeof Mark.Type

const MarkText = Schema.fromJsonString(Mark)

export class StoreMoved extends Schema.TaggedError<StoreMoved>()("StoreMoved", {
  filename: Schema.String,
  place: Schema.String
}) {
  override get message() {
    return `The data store ${this.filename} was moved to the PostgreSQL database ${this.place}, or its move was cut off. Nothing was started, since two daemons on two copies of the same books would spend the same money twice. Set TREEMARK_DATABASE_URL to that database (or database_url in treemark.toml). If the move was cut off, run it again: treemarkd export --to postgres://… To go on with the file instead, as of the move: treemarkd export --undo`
  }
}

/** The mark of the connected store, if it has one. */
export const markOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly value: string }>`SELECT value FROM settings WHERE key = ${KEY}`
  const value = rows[0]?.value
  if (value === undefined) return Option.none<Mark>()
  return Option.some(yield* Effect.orDie(Schema.decodeUnknownEffect(MarkText)(value)))
})

/** Fails with `StoreMoved` when the connected store, the file `filename`, has the mark. */
export const refuseMoved = (filename: string) =>
  Effect.flatMap(
    markOf,
    Option.match({
      onNone: () => Effect.void,
      onSome: ({ place }) => Effect.fail(new StoreMoved({ filename, place }))
    })
  )

export const setMark = Effect.fnUntraced(function* (mark: Mark) {
  const sql = yield* SqlClient.SqlClient
  const value = yield* Effect.orDie(Schema.encodeEffect(MarkText)(mark))
  yield* sql`INSERT INTO settings ${sql.insert({ key: KEY, value })} ON CONFLICT (key) DO UPDATE SET value = excluded.value`
})

export const removeMark = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM settings WHERE key = ${KEY}`
})

/** In the copy: the mark goes, and the id of the move that made it stays. */
export const noteOrigin = (sql: SqlClient.SqlClient, { id }: Mark) =>
  Effect.andThen(
    sql`DELETE FROM settings WHERE key = ${KEY}`,
    sql`INSERT INTO settings ${sql.insert({ key: ORIGIN_KEY, value: id })}
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`
  )

/** The id of the move that made the connected store. */
export const originOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* sql<{ readonly value: string }>`SELECT value FROM settings WHERE key = ${ORIGIN_KEY}`
  return Option.fromUndefinedOr(rows[0]?.value)
})

/**
 * The data store that the settings name: a PostgreSQL database, shared with other daemons, or a SQLite file in the data folder, for
 * this daemon alone. Migrated either way. A data folder always belongs to one process: its socket and its chains do.
 */
import { join } from "node:path"
import { Effect, Layer, Option, type Redacted } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import { refuseMoved } from "./MovedStore.ts"
import * as Postgres from "./Postgres.ts"
import { ensurePrivateFolder } from "./PrivateFile.ts"
import * as Sqlite from "./Sqlite.ts"
import {
  type DatabaseUnusable,
  databaseUnusable,
  type StoreLocked,
  type StoreUnusable,
  storeUnusable
} from "./StoreErrors.ts"
import { holdStoreLock } from "./StoreLock.ts"

export interface StorePlace {
  readonly home: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  /** Connections to the database; 10 by default. */
  readonly databaseConnections?: number
}

/** The data store of a data folder. */
export const storeFile = (home: string): string => join(home, "treemark.db")

type Client = Layer.Layer<SqlClient.SqlClient, StoreLocked | StoreUnusable | DatabaseUnusable>

/** The store as it is, not migrated. */
export const client = ({ databaseConnections, databaseUrl, home }: StorePlace): Client =>
  Option.match(databaseUrl, {
    onNone: (): Client => Sqlite.layer({ filename: storeFile(home) }),
    onSome: (url): Client =>
      Layer.merge(
        Postgres.layer({ url, ...(databaseConnections === undefined ? {} : { connections: databaseConnections }) }),
        Layer.effectDiscard(holdStoreLock(storeFile(home)))
      )
  })

/** A file that was moved to a database is not opened again; a database is nobody's alone, and has no such mark. */
const notMoved = ({ databaseUrl, home }: StorePlace) =>
  Layer.effectDiscard(Option.isSome(databaseUrl) ? Effect.void : refuseMoved(storeFile(home)))

/** What a shared database refuses is told with its own words and with advice; the embedded store's errors say both already. */
export const toldByDatabase =
  ({ databaseUrl }: StorePlace) =>
  <E>(error: E): Exclude<E, SqlError.SqlError> | SqlError.SqlError | DatabaseUnusable =>
    Option.isSome(databaseUrl) && SqlError.isSqlError(error)
      ? databaseUnusable(Postgres.placeOf(databaseUrl.value) ?? "", error)
      : (error as Exclude<E, SqlError.SqlError>)

/** A data folder that others could look into is closed to them, and that is said: what was in it may have been read. */
const closeFolder = ({ home }: StorePlace): Effect.Effect<void, StoreUnusable> =>
  Effect.try({ try: () => ensurePrivateFolder(home), catch: (cause) => storeUnusable(storeFile(home), cause) }).pipe(
    Effect.flatMap((wasOpen) =>
      wasOpen
        ? Effect.logWarning(
            `Others on this machine could look into the data folder ${home}. It is closed to them now (mode 0700).`
          )
        : Effect.void
    )
  )

/** The store, migrated. */
export const layer = (place: StorePlace) =>
  notMoved(place).pipe(
    Layer.provideMerge(Layer.effectDiscard(closeFolder(place))),
    Layer.provideMerge(Layer.effectDiscard(Effect.mapError(Migrations.migrate, toldByDatabase(place)))),
    Layer.provideMerge(client(place))
  )

/**
 * The data store that the settings name: a PostgreSQL database, shared with other daemons, or a SQLite file in the data folder, for
 * this daemon alone. Migrated either way. A data folder always belongs to one process: its socket and its chains do.
 */
import { join } from "node:path"
import { Layer, Option, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "./Migrations.ts"
import * as Postgres from "./Postgres.ts"
import * as Sqlite from "./Sqlite.ts"
import type { DatabaseUnusable, StoreLocked, StoreUnusable } from "./StoreErrors.ts"
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

const client = ({ databaseConnections, databaseUrl, home }: StorePlace): Client =>
  Option.match(databaseUrl, {
    onNone: (): Client => Sqlite.layer({ filename: storeFile(home) }),
    onSome: (url): Client =>
      Layer.merge(
        Postgres.layer({ url, ...(databaseConnections === undefined ? {} : { connections: databaseConnections }) }),
        Layer.effectDiscard(holdStoreLock(storeFile(home)))
      )
  })

/** The store, migrated. */
export const layer = (place: StorePlace) => Migrations.layer.pipe(Layer.provideMerge(client(place)))

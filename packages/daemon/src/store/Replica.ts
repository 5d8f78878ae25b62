/**
 * This process among the daemons that share a database. A daemon that is alone on its store (SQLite) has no name there, and every
 * question about others has the answer "nobody".
 */
import { Context } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/** The name of this daemon in the table `replica`; null when it is alone on its store. */
export const ReplicaId = Context.Reference<string | null>("@treemark/daemon/store/Replica/ReplicaId", {
  defaultValue: () => null
})

/** SQL expression: now, in milliseconds since 1970, by the one clock that all daemons share. */
export const databaseNow = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.literal(
    sql.onDialectOrElse({
      pg: () => "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
      orElse: () => "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    })
  )

/** SQL condition: the daemon named in `column` lives. False for null, which names nobody. */
export const isAlive = (sql: SqlClient.SqlClient, column: string): Statement.Fragment =>
  sql`EXISTS (SELECT 1 FROM replica WHERE replica.id = ${sql.literal(column)} AND replica.lease_until > ${databaseNow(sql)})`

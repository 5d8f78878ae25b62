/** How a failed statement reaches callers of the books: as core's `StorageUnavailable`, which says what was being done. */
import { StorageUnavailable } from "@treemark/core"
import { Effect } from "effect"
import { SqlError } from "effect/sql"

/** Turns an effect's `SqlError` into `StorageUnavailable`; `doing` completes "The store could not be used while …". */
export const storing =
  (doing: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError> | StorageUnavailable, R> =>
    Effect.mapError(self, (error) =>
      SqlError.isSqlError(error)
        ? new StorageUnavailable({ doing, cause: error })
        : (error as Exclude<E, SqlError.SqlError>)
    )

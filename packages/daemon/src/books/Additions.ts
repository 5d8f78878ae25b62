/**
 * The commits that were asked for by identity (`treemarkd add`): each has an idempotency key made from its identity, and those keys are
 * kept for good, where others go after a day. So whether a file was committed with these words is known however long ago it was.
 */
import { type AccountId, CommitReceipt, type StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { storing } from "../store/StorageFailure.ts"

const PREFIX = "add-"

/** SQL: the key is none that is kept for good. In the words of the index, which is used for no others. */
export const IS_REMOVABLE = `substr(key, 1, ${PREFIX.length}) <> '${PREFIX}'`

/** The idempotency key of an identity (64 hex digits). */
export const additionKey = (identity: string): string => `${PREFIX}${identity}`

export class Additions extends Context.Service<
  Additions,
  {
    /** Those of the identities that the account has committed, with their receipts. */
    readonly done: (
      accountId: AccountId,
      identities: ReadonlyArray<string>
    ) => Effect.Effect<
      ReadonlyArray<{ readonly identity: string; readonly receipt: CommitReceipt }>,
      StorageUnavailable
    >
  }
>()("@treemark/daemon/books/Additions") {
  static readonly layer = Layer.effect(
    Additions,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      done: Effect.fn("Additions.done")(function* (accountId, identities) {
        if (identities.length === 0) return []
        const rows = yield* sql<{ readonly key: string; readonly body: string }>`SELECT key, body FROM idempotency
          WHERE account_id = ${accountId} AND operation = 'commit' AND status = 200 AND body IS NOT NULL
          AND ${sql.in("key", identities.map(additionKey))}`
        return yield* Effect.forEach(rows, ({ body, key }) =>
          Effect.map(Effect.orDie(decodeReceipt(body)), (receipt) => ({ identity: key.slice(PREFIX.length), receipt }))
        )
      }, storing("what was committed already was looked up"))
    }))
  )
}

const decodeReceipt = Schema.decodeEffect(Schema.fromJsonString(CommitReceipt))

/** The part of the administration API about watched authors. Nobody else may add one: its webhook makes this daemon call an address. Definitions only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AccountName } from "./AccountName.ts"
import { AdminRefused } from "./AdminRefused.ts"

const WatchView = Schema.Struct({
  id: Schema.String,
  author: Schema.String,
  /** Name of the account whose `/events` tell of it. */
  account: Schema.NullOr(Schema.String),
  /** The webhook's address without its path, which is often a secret. */
  webhook: Schema.NullOr(Schema.String),
  since: Schema.String
})

export const watches = HttpApiGroup.make("watches").add(
  HttpApiEndpoint.get("list", "/watches", {
    success: Schema.Array(
      Schema.Struct({
        ...WatchView.fields,
        alerts: Schema.Int,
        /** Not delivered yet. */
        waiting: Schema.Int,
        /** Why the webhook did not take the last one; null when it did. */
        problem: Schema.NullOr(Schema.String)
      })
    ),
    error: AdminRefused
  }),
  HttpApiEndpoint.post("add", "/watches", {
    payload: Schema.Struct({
      /** An address, or `me`: the wallet of the account. */
      author: Schema.String,
      /** Whose events tell of it; null: the account of that wallet, else the first one. */
      account: Schema.NullOr(AccountName),
      webhook: Schema.NullOr(Schema.String)
    }),
    success: Schema.Struct({
      ...WatchView.fields,
      /** Of the webhook; told this once. */
      secret: Schema.NullOr(Schema.String),
      /** Networks that did not answer: there it begins when they do. */
      behind: Schema.Array(Schema.String)
    }),
    error: AdminRefused
  }),
  HttpApiEndpoint.post("remove", "/watches/remove", {
    /** The id of a watch, an author's address, or `me`. */
    payload: Schema.Struct({ named: Schema.String, account: Schema.NullOr(AccountName) }),
    success: Schema.Array(WatchView),
    error: AdminRefused
  })
)

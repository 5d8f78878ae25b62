/** The part of the administration API about the console: an address that signs in. Definitions only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AccountName } from "./AccountName.ts"
import { AdminRefused } from "./AdminRefused.ts"

export const console = HttpApiGroup.make("console").add(
  HttpApiEndpoint.post("signIn", "/console/sign-in", {
    /** Null: the first account, made at the first sign-in if there is none. */
    payload: Schema.Struct({ account: Schema.NullOr(AccountName) }),
    success: Schema.Struct({ url: Schema.String, expiresAt: Schema.String }),
    error: AdminRefused
  })
)

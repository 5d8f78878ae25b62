/** The part of the administration API about the console: an address that signs in, and tools that wait to be paired. Definitions only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { GrantedTokens } from "../accounts/GrantedTokens.ts"
import { AccountName } from "./AccountName.ts"
import { AdminRefused } from "./AdminRefused.ts"

/** What a tool asked for. */
const AskingView = Schema.Struct({
  name: Schema.String,
  origin: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String)
})

export const console = HttpApiGroup.make("console").add(
  HttpApiEndpoint.post("signIn", "/console/sign-in", {
    /** Null: the first account, made at the first sign-in if there is none. */
    payload: Schema.Struct({ account: Schema.NullOr(AccountName) }),
    success: Schema.Struct({ url: Schema.String, expiresAt: Schema.String }),
    error: AdminRefused
  }),
  HttpApiEndpoint.post("pairing", "/console/pairings/find", {
    payload: Schema.Struct({ userCode: Schema.String }),
    success: AskingView,
    error: AdminRefused
  }),
  HttpApiEndpoint.post("decidePairing", "/console/pairings/decide", {
    /** `account` null: denied. `dailyLimit`: what the tool may spend in a day; left out: as much as the account. */
    payload: Schema.Struct({
      userCode: Schema.String,
      account: Schema.NullOr(AccountName),
      dailyLimit: Schema.optionalKey(GrantedTokens)
    }),
    success: AskingView,
    error: AdminRefused
  })
)

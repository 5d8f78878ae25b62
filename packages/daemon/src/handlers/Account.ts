/** `GET /account`: the account of the token, its free credits and its wallet's balance. */
import { balanceText, formatTokens, NativeBalance } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { CurrentCaller } from "../api/TokenAuth.ts"
import { TreemarkApi } from "../api/TreemarkApi.ts"
import { refusing } from "../edge/Problems.ts"

const account = Effect.fn("handlers.account")(function* () {
  const caller = yield* CurrentCaller
  const { id, name, wallet, credits } = yield* (yield* Accounts).find(caller.accountId)
  const balance = balanceText(yield* (yield* NativeBalance).onMainnet(wallet))
  return { id, name, wallet, credits: formatTokens(credits), balance }
}, refusing)

export const layer = HttpApiBuilder.group(TreemarkApi, "account", (handlers) => handlers.handleRaw("account", account))

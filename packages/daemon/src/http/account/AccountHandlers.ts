/** `GET /account`: the account of the token, its free credits and its wallet's balance; `GET /account/statement`: its movements. */
import { balanceText, formatTokens, NativeBalance, statementText } from "@treemark/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../../accounts/Accounts.ts"
import { OwnLists } from "../../accounts/OwnLists.ts"
import { Statements } from "../../accounts/Statements.ts"
import { StorageQuota, TokenStorageQuota } from "../../content/StorageQuota.ts"
import { refusingAs } from "../edge/Problems.ts"
import { CurrentCaller } from "../TokenAuth.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { ACCOUNT_PROBLEMS, STATEMENT_PROBLEMS, type StatementResponse } from "./AccountApi.ts"

const bounded = (used: number, limit: number) => ({ used, limit: limit === 0 ? null : limit })

const account = Effect.fn("handlers.account")(function* () {
  const caller = yield* CurrentCaller
  const { id, name, wallet, credits } = yield* (yield* Accounts).find(caller.accountId)
  const balance = balanceText(yield* (yield* NativeBalance).onMainnet(wallet))
  const stored = yield* (yield* OwnLists).stored(caller.accountId, caller.token?.id)
  const storage = {
    ...bounded(stored.account, yield* StorageQuota),
    token: bounded(stored.token, yield* TokenStorageQuota)
  }
  return { id, name, wallet, credits: formatTokens(credits), balance, storage }
}, refusingAs(ACCOUNT_PROBLEMS))

const statement = Effect.fn("handlers.statement")(function* ({
  query
}: {
  readonly query: { readonly from?: string; readonly to?: string }
}) {
  const { accountId } = yield* CurrentCaller
  const found = yield* (yield* Statements).of(accountId, query)
  // Its text is what is kept as a file, to the byte; its members are the schema's, by their types.
  const text = statementText(found satisfies typeof StatementResponse.Type)
  return HttpServerResponse.text(text, { contentType: "application/json" })
}, refusingAs(STATEMENT_PROBLEMS))

export const layer = HttpApiBuilder.group(TreemarkApi, "account", (handlers) =>
  handlers.handle("account", account).handle("statement", statement)
)

/**
 * What `treemarkd add` asks for. That a file is committed once is held by the idempotency of paid calls: the key is made from the
 * identity, so the second run of a folder finds what the first one did.
 */
import { amount, formatTokens, Prices, UNITS_PER_TOKEN } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { Additions, additionKey } from "../books/Additions.ts"
import { NamedAssets } from "../commits/NamedAssets.ts"
import { AdminApi } from "./AdminApi.ts"
import { refused } from "./AdminRefused.ts"
import { type CommitServices, commitForAccount } from "./CommitForAccount.ts"

/** What a commit's gas comes to as a rule (interface.md); what is charged is the gas really used. */
const GAS_ABOUT = amount((UNITS_PER_TOKEN * 4n) / 1000n)

export const additionsHandlers = HttpApiBuilder.group(AdminApi, "additions", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const additions = yield* Additions
    const named = yield* NamedAssets
    const services = yield* Effect.context<CommitServices>()
    return handlers.handleAll({
      plan: Effect.fnUntraced(function* ({ params, payload }) {
        const account = yield* accounts.find(params.account)
        return {
          account: { id: account.id, name: account.name },
          done: yield* additions.done(account.id, payload.identities),
          price: formatTokens((yield* Prices).commit),
          gasAbout: formatTokens(GAS_ABOUT),
          credits: formatTokens(account.credits)
        }
      }, refused),
      named: ({ query }) => Effect.map(named.find(query), (found) => ({ found })).pipe(refused),
      commit: ({ params, payload }) =>
        commitForAccount({
          account: params.account,
          request: payload.request,
          key: additionKey(payload.identity),
          fingerprint: payload.identity
        }).pipe(Effect.provide(services), refused)
    })
  })
)

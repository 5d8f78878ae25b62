/**
 * What `treemarkd add` asks for. That a file is committed once is held by the idempotency of paid calls: the key is made from the
 * identity, so the second run of a folder finds what the first one did.
 */
import { type AccountId, type Amount, amount, formatTokens, Prices, UNITS_PER_TOKEN } from "@treemark/core"
import { Effect, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AccessTokens } from "../accounts/AccessTokens.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { Additions, additionKey } from "../books/Additions.ts"
import { NamedAssets } from "../commits/NamedAssets.ts"
import { AdminApi } from "./AdminApi.ts"
import { refused } from "./AdminRefused.ts"
import { type CommitServices, commitForAccount } from "./CommitForAccount.ts"

/** What a commit's gas comes to as a rule (interface.md); what is charged is the gas really used. */
const GAS_ABOUT = amount((UNITS_PER_TOKEN * 4n) / 1000n)

/** Of the token that counts what additions with a limit spend: made when first needed, and shown to nobody. */
const COUNTING = "treemarkd add --limit"

export const additionsHandlers = HttpApiBuilder.group(AdminApi, "additions", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const additions = yield* Additions
    const named = yield* NamedAssets
    const tokens = yield* AccessTokens
    const oneAtATime = yield* Semaphore.make(1)
    const services = yield* Effect.context<CommitServices>()

    const counting = Effect.fnUntraced(function* (accountId: AccountId, dailyLimit: Amount) {
      const known = (yield* tokens.list(accountId)).find(
        ({ label, revokedAt }) => label === COUNTING && revokedAt === null
      )
      const { id } = known ?? (yield* tokens.issue(accountId, { label: COUNTING, expiresAt: null, dailyLimit })).info
      return { id, dailyLimit }
    }, oneAtATime.withPermits(1))

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
      commit: Effect.fnUntraced(function* ({ params, payload: { dailyLimit, identity, request } }) {
        const spender =
          dailyLimit === undefined
            ? {}
            : { spender: yield* counting((yield* accounts.find(params.account)).id, dailyLimit) }
        const key = additionKey(identity)
        const order = { account: params.account, request, key, fingerprint: identity, ...spender }
        return yield* Effect.provide(commitForAccount(order), services)
      }, refused)
    })
  })
)

/**
 * What the console's page asks for beside the API's own answers: its wallet's balance on every network (free, as for `treemarkd balance`), and
 * the tools that hold tokens of its account. A token is never shown here, and neither is the seed: no session can ask for them.
 */
import { balanceText, NativeBalance } from "@treemark/core"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { AccessTokens, type TokenInfo } from "../../accounts/AccessTokens.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { pageCaller } from "./SessionHandlers.ts"

const balances = Effect.gen(function* () {
  const { caller } = yield* pageCaller
  const native = yield* NativeBalance
  const networks = yield* Effect.forEach(
    native.networks,
    (network) =>
      native.on(network, caller.wallet).pipe(
        Effect.map((exact): string | null => balanceText(exact)),
        // One network that does not answer is no reason to show none.
        Effect.catch(() => Effect.succeed(null)),
        Effect.map((balance) => ({ name: network.name, chainId: network.chainId, balance }))
      ),
    { concurrency: 8 }
  )
  return HttpServerResponse.jsonUnsafe({ networks })
}).pipe(refusing)

const iso = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

const toolOf = ({
  createdAt,
  dailyLimit,
  expiresAt,
  id,
  label,
  lastUsedAt,
  origin,
  revokedAt,
  scopes,
  spentToday
}: TokenInfo) => ({
  id,
  name: label,
  origin,
  scopes,
  dailyLimit,
  spentToday,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
  lastUsedAt: iso(lastUsedAt),
  revokedAt: iso(revokedAt)
})

const tools = Effect.gen(function* () {
  const { caller } = yield* pageCaller
  const known = yield* (yield* AccessTokens).list(caller.accountId)
  return HttpServerResponse.jsonUnsafe({ tools: known.map(toolOf) })
}).pipe(refusing)

const revoke = Effect.gen(function* () {
  const { caller } = yield* pageCaller
  const { id } = yield* HttpRouter.params
  const tokens = yield* AccessTokens
  const own = (yield* tokens.list(caller.accountId)).find((known) => known.id === id)
  if (own === undefined) {
    const detail = "This account has no such token. It may have been revoked from elsewhere; look at the list again."
    return yield* new Refused({ code: "not_found", detail })
  }
  const revoked = yield* tokens.revoke(own.id).pipe(Effect.catchTag("TokenNotFound", Effect.die))
  return HttpServerResponse.jsonUnsafe(toolOf(revoked))
}).pipe(refusing)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("GET", "/console/balances", balances)
    yield* router.add("GET", "/console/tools", tools)
    yield* router.add("POST", "/console/tools/:id/revoke", revoke)
  })
)

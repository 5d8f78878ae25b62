/** Deciding about a tool that waits to be paired: which one it is, then yes or no, in the console's page alone. */
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { GrantedTokens } from "../../accounts/GrantedTokens.ts"
import { Pairing } from "../../accounts/Pairing.ts"
import { refusing } from "../edge/Problems.ts"
import { consoleBody } from "./ConsoleBody.ts"
import { pageCaller } from "./SessionHandlers.ts"

const find = Effect.gen(function* () {
  yield* pageCaller
  const { userCode } = yield* consoleBody(Schema.Struct({ userCode: Schema.String }))
  return HttpServerResponse.jsonUnsafe(yield* (yield* Pairing).find(userCode))
}).pipe(refusing)

const Decision = Schema.Struct({
  userCode: Schema.String,
  approve: Schema.Boolean,
  /** What the tool may spend in a day; left out: as much as the account. */
  dailyLimit: Schema.optionalKey(GrantedTokens)
})

const decide = Effect.gen(function* () {
  const { caller } = yield* pageCaller
  const { approve, dailyLimit, userCode } = yield* consoleBody(Decision)
  const decided = yield* (yield* Pairing).decide(userCode, approve ? caller.accountId : undefined, dailyLimit)
  return HttpServerResponse.jsonUnsafe(decided)
}).pipe(refusing)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("POST", "/console/pairings/find", find)
    yield* router.add("POST", "/console/pairings/decide", decide)
  })
)

/** `POST /rpc/{mainnet|testnet}`: JSON-RPC of the embedded chains, for any wallet or library that reads EVM chains. */
import { type NetworkRole, parseStrictJson } from "@treemark/core"
import { Effect, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { KnownCaller } from "../edge/Classes.ts"
import { refusing } from "../edge/Problems.ts"
import { readBody, requireJsonType } from "../edge/StrictBody.ts"
import { EmbeddedRpc } from "./EmbeddedRpcPort.ts"

/** A signed transaction as hex can be larger than the body of an operation. */
const LARGEST_RPC_BODY = 1_048_576

const PARSE_ERROR = -32_700

const rpc = (role: NetworkRole, embedded: EmbeddedRpc["Service"]) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const bytes = yield* readBody(request, LARGEST_RPC_BODY)
    yield* requireJsonType(request.headers)
    const body = parseStrictJson(bytes)
    if (Result.isFailure(body)) {
      const error = { code: PARSE_ERROR, message: `Parse error: ${body.failure.message}` }
      return HttpServerResponse.jsonUnsafe({ jsonrpc: "2.0", id: null, error })
    }
    const known = yield* KnownCaller
    const caller = known?.caller.accountId ?? Option.getOrElse(request.remoteAddress, () => "?")
    const answer = yield* embedded.handle(role, body.success, caller)
    return answer === undefined
      ? HttpServerResponse.empty()
      : HttpServerResponse.text(answer, { contentType: "application/json" })
  }).pipe(refusing)

/** Routes only where there are embedded chains. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const embedded = yield* Effect.serviceOption(EmbeddedRpc)
    if (Option.isNone(embedded)) return
    yield* router.add("POST", "/rpc/mainnet", rpc("mainnet", embedded.value))
    yield* router.add("POST", "/rpc/testnet", rpc("testnet", embedded.value))
  })
)

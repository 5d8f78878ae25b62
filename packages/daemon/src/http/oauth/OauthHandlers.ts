/**
 * The device authorization grant (RFC 8628) for tools that want a token: forms in, JSON out, errors as the RFC names them (RFC 6749, section 5.2),
 * which are no problems of RFC 9457. A web page or an extension is known by its Origin, which its browser vouches for.
 */
import type { StorageUnavailable } from "@treemark/core"
import { Effect, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PAIRING_LIFE, PAUSE, Pairing, type PairingsFull } from "../../accounts/Pairing.ts"
import { scopesIn } from "../../accounts/Scopes.ts"
import type { Refused } from "../ApiErrors.ts"
import { refuse } from "../edge/Problems.ts"
import { readBody } from "../edge/StrictBody.ts"

const LARGEST = 4_096
const LONGEST_NAME = 60
const GRANT = "urn:ietf:params:oauth:grant-type:device_code"

/** An error of OAuth: `code` for the tool, `description` for whoever writes it. */
class OauthError extends Schema.TaggedError<OauthError>()("OauthError", {
  code: Schema.String,
  description: Schema.String
}) {}

const invalid = (description: string) => new OauthError({ code: "invalid_request", description })

/** The fields of the form; each may be there once. */
const form = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const type = request.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") {
    return yield* invalid("The body is a form: its Content-Type has to be application/x-www-form-urlencoded.")
  }
  const fields = new URLSearchParams(new TextDecoder().decode(yield* readBody(request, LARGEST)))
  const twice = [...fields.keys()].find((name) => fields.getAll(name).length > 1)
  if (twice !== undefined) return yield* invalid(`The field ${JSON.stringify(twice)} is there more than once.`)
  return { fields, origin: request.headers.origin ?? null, host: request.headers.host ?? "" }
})

const needed = (fields: URLSearchParams, name: string) => {
  const value = fields.get(name)?.trim() ?? ""
  return value === "" ? Effect.fail(invalid(`The field ${name} is missing.`)) : Effect.succeed(value)
}

const json = (value: unknown, status = 200) => HttpServerResponse.jsonUnsafe(value, { status })

const answering = <R>(
  self: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    OauthError | PairingsFull | Refused | StorageUnavailable,
    R
  >
) =>
  self.pipe(
    Effect.catchTags({
      OauthError: ({ code, description }) => Effect.succeed(json({ error: code, error_description: description }, 400)),
      PairingsFull: ({ message }) =>
        Effect.succeed(json({ error: "temporarily_unavailable", error_description: message }, 503)),
      Refused: refuse,
      StorageUnavailable: refuse
    })
  )

const authorize = Effect.gen(function* () {
  const { fields, host, origin } = yield* form
  const name = yield* needed(fields, "client_id")
  if ([...name].length > LONGEST_NAME) {
    return yield* invalid(`client_id is the tool's name as people know it, of at most ${LONGEST_NAME} characters.`)
  }
  const scopes = scopesIn(fields.get("scope") ?? "read")
  if (scopes === undefined || scopes.length === 0) {
    const description = "scope is one or more of: read register commit, with spaces between."
    return yield* new OauthError({ code: "invalid_scope", description })
  }
  const { deviceCode, userCode } = yield* (yield* Pairing).begin({ name, origin, scopes })
  const page = `http://${host}/#/tools`
  return json({
    device_code: Redacted.value(deviceCode),
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}/${userCode}`,
    expires_in: PAIRING_LIFE / 1000,
    interval: PAUSE / 1000
  })
}).pipe(answering)

const MEANINGS = {
  authorization_pending: "Nobody has decided yet. Ask again after the interval.",
  slow_down: "Asked too soon. From now on wait 5 seconds longer between two questions.",
  access_denied: "Somebody decided that this tool gets no token.",
  expired_token: "The code was not approved in time, or wrong codes were typed too often. Begin again.",
  invalid_grant: "There is no such device_code, or its token was fetched already. Begin again."
}

const token = Effect.gen(function* () {
  const { fields } = yield* form
  const grant = yield* needed(fields, "grant_type")
  if (grant !== GRANT) {
    return yield* new OauthError({ code: "unsupported_grant_type", description: `The grant_type here is ${GRANT}.` })
  }
  yield* needed(fields, "client_id")
  const polled = yield* (yield* Pairing).poll(Redacted.make(yield* needed(fields, "device_code")))
  if (typeof polled === "string") return yield* new OauthError({ code: polled, description: MEANINGS[polled] })
  return json({ access_token: Redacted.value(polled.token), token_type: "token", scope: polled.scopes.join(" ") })
}).pipe(answering)

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    yield* router.add("POST", "/oauth/device_authorization", authorize)
    yield* router.add("POST", "/oauth/token", token)
  })
)

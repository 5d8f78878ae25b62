/**
 * `GET /ipfs/{cid}` and `GET /ipfs/{cid}/{path}`: what the gateway answers, with its refusals as problems. The second has a wildcard, which
 * definitions do not have, so it is a route of its own.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { gatewayResponse } from "../../content/Gateway.ts"
import { Refused } from "../ApiErrors.ts"
import { refusingAs } from "../edge/Problems.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { GATEWAY_PROBLEMS } from "./GatewayApi.ts"

/** `GET /ipfs/{cid}`, of the definitions. */
export const layer = HttpApiBuilder.group(TreemarkApi, "gateway", (handlers) =>
  handlers.handle("ipfs", ({ request, params }) => refusingAs(GATEWAY_PROBLEMS)(gatewayResponse(request, params.cid)))
)

/** `GET /ipfs/{cid}/{path}`. The router gives a wildcard what stands above it, too: `/ipfs` itself, where nothing is. */
export const pathLayer = HttpRouter.add(
  "GET",
  "/ipfs/*",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { "*": path = "" } = yield* HttpRouter.params
    if (path === "")
      return yield* new Refused({ code: "not_found", detail: "Name a CID: /ipfs/ and the CID after it." })
    const [cid = "", ...names] = path.split("/")
    return yield* gatewayResponse(
      request,
      cid,
      names.filter((name) => name !== "")
    )
  }).pipe(refusingAs(GATEWAY_PROBLEMS))
)

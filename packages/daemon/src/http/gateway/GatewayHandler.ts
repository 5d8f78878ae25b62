/** `GET /ipfs/{cid}`: what the gateway answers, with its refusals as problems. */
import { HttpApiBuilder } from "effect/http-api"
import { gatewayResponse } from "../../content/Gateway.ts"
import { refusing } from "../edge/Problems.ts"
import { TreemarkApi } from "../TreemarkApi.ts"

export const layer = HttpApiBuilder.group(TreemarkApi, "gateway", (handlers) =>
  handlers.handleRaw("ipfs", ({ request, params }) => refusing(gatewayResponse(request, params.cid)))
)

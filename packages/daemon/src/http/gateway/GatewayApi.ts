/** The trustless gateway over the content store (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problemsOf } from "../ProblemSchemas.ts"

export const GATEWAY_PROBLEMS = problemsOf([
  "invalid_fields",
  "not_found",
  "not_cached",
  "not_implemented",
  "range_not_satisfiable",
  "storage_unavailable"
])

export const GatewayGroup = HttpApiGroup.make("gateway", { topLevel: true }).add(
  HttpApiEndpoint.get("ipfs", "/ipfs/:cid", {
    params: { cid: Schema.String },
    success: HttpApiSchema.StreamUint8Array({ contentType: "*/*" }),
    error: GATEWAY_PROBLEMS.schemas
  })
    .annotate(OpenApi.Summary, "Content by its CID")
    .annotate(
      OpenApi.Description,
      "Registered files and asset trees: the plain file, with `format=raw` the block, with `format=car` the graph, with `format=dag-json` a tree."
    )
)

/** The trustless gateway over the content store (https://specs.ipfs.tech/http-gateways/trustless-gateway/). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problems } from "../ProblemSchemas.ts"

export const GatewayGroup = HttpApiGroup.make("gateway", { topLevel: true }).add(
  HttpApiEndpoint.get("ipfs", "/ipfs/:cid", {
    params: { cid: Schema.String },
    success: HttpApiSchema.StreamUint8Array({ contentType: "*/*" }),
    error: problems([
      "invalid_fields",
      "not_found",
      "not_cached",
      "not_implemented",
      "range_not_satisfiable",
      "storage_unavailable"
    ])
  })
    .annotate(OpenApi.Summary, "Content by its CID")
    .annotate(
      OpenApi.Description,
      "Registered files and asset trees: the plain file, with `format=raw` the block, with `format=car` the graph, with `format=dag-json` a tree."
    )
)

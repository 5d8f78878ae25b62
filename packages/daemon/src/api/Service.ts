/** Whether the daemon lives, whether it can serve, and which version it is. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "./ProblemSchemas.ts"

const Check = Schema.Struct({ name: Schema.String, ok: Schema.Boolean, detail: Schema.String })

export const ServiceGroup = HttpApiGroup.make("service", { topLevel: true }).add(
  HttpApiEndpoint.get("health", "/health", {
    success: Schema.Struct({ status: Schema.Literal("ok") }),
    error: problems([])
  }).annotate(OpenApi.Summary, "Whether the process answers"),
  HttpApiEndpoint.get("ready", "/ready", {
    success: Schema.Struct({ status: Schema.Literal("ready"), checks: Schema.Array(Check) }),
    error: problems(["not_ready"])
  }).annotate(OpenApi.Summary, "Whether all three operations can be served"),
  HttpApiEndpoint.get("version", "/version", {
    success: Schema.Struct({ name: Schema.String, version: Schema.String }),
    error: problems([])
  }).annotate(OpenApi.Summary, "Name and version")
)

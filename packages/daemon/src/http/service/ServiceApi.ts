/** Whether the daemon lives, whether it can serve, which version it is, and where commits go. */
import { TREE_FORMATS, WalletAddress } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problemsOf } from "../ProblemSchemas.ts"

const Network = Schema.Struct({
  testnet: Schema.Boolean.annotate({ description: "As in a commit request" }),
  name: Schema.String,
  chainId: Schema.Int.annotate({ description: "chainID of an act that is signed for this network" }),
  contract: Schema.toEncoded(WalletAddress).annotate({ description: "The commit contract, as such an act names it" }),
  treeFormat: Schema.Literals(Object.keys(TREE_FORMATS) as ReadonlyArray<keyof typeof TREE_FORMATS>).annotate({
    description: "How asset trees become bytes there"
  })
})

const Check = Schema.Struct({ name: Schema.String, ok: Schema.Boolean, detail: Schema.String })

const NO_PROBLEMS = problemsOf([])
export const READY_PROBLEMS = problemsOf(["not_ready"])

export const ServiceGroup = HttpApiGroup.make("service", { topLevel: true }).add(
  HttpApiEndpoint.get("health", "/health", {
    success: Schema.Struct({ status: Schema.Literal("ok") }),
    error: NO_PROBLEMS.schemas
  })
    .annotate(OpenApi.Summary, "Whether the process answers")
    .annotate(
      OpenApi.Description,
      "200 for as long as the process lives, whatever else is wrong: for whoever restarts it."
    ),
  HttpApiEndpoint.get("ready", "/ready", {
    success: Schema.Struct({ status: Schema.Literal("ready"), checks: Schema.Array(Check) }),
    error: READY_PROBLEMS.schemas
  })
    .annotate(OpenApi.Summary, "Whether all three operations can be served")
    .annotate(
      OpenApi.Description,
      "200 with each check that was made, or 503 that says what is wrong and what to do: for whoever sends it calls."
    ),
  HttpApiEndpoint.get("version", "/version", {
    success: Schema.Struct({ name: Schema.String, version: Schema.String }),
    error: NO_PROBLEMS.schemas
  })
    .annotate(OpenApi.Summary, "Name and version")
    .annotate(OpenApi.Description, "How a tool that looks for a daemon knows that it has found one."),
  HttpApiEndpoint.get("networks", "/networks", {
    success: Schema.Struct({ networks: Schema.Array(Network) }),
    error: NO_PROBLEMS.schemas
  })
    .annotate(OpenApi.Summary, "Where commits go")
    .annotate(
      OpenApi.Description,
      "Chain and contract of the mainnet and the testnet: what an author needs who signs an act elsewhere (actSignature)."
    )
)

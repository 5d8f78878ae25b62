/** Registration of assets, and what the ledger knows of them (decisions.md, section 9). */

import { NetworkRole } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RegisteredAsset } from "../../content/Assets.ts"
import { problemsOf, TOKEN_PROBLEMS } from "../ProblemSchemas.ts"
import { TokenAuth } from "../TokenAuth.ts"
import { PAGE_QUERY } from "./PageQuery.ts"

/** One commit of an asset: `commit` is the commit record; a record that is no JSON object stands as text in `commitData`. */
export const AssetCommit = Schema.Struct({
  txHash: Schema.String,
  blockNumber: Schema.Int,
  recorder: Schema.String,
  commit: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  commitData: Schema.optionalKey(Schema.String)
})

const asked = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** Of a page only. */
const place = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A commit that the account made, as the ledger has it. */
const made = {
  commitId: Schema.String,
  txHash: Schema.String,
  assetTreeCid: Schema.String,
  network: NetworkRole,
  blockNumber: Schema.Int,
  /** When it was seen to be made, ISO 8601. */
  at: Schema.String
}

/** An asset of the account. `name`: what its file was called, null when nobody said; `commits`: how many the account made of it. */
export const ListedAsset = Schema.Struct({
  ...RegisteredAsset.fields,
  name: Schema.NullOr(Schema.String),
  registeredAt: Schema.String,
  commits: Schema.Int,
  lastCommit: Schema.NullOr(Schema.Struct(made))
})

export const ListedCommit = Schema.Struct({ ...made, assetCid: Schema.String, name: Schema.NullOr(Schema.String) })

/** `cid`: the same as `assetCid`, under the name that published clients read. */
export const RegisteredHere = Schema.Struct({ ...RegisteredAsset.fields, cid: Schema.NonEmptyString }).annotate({
  identifier: "RegisteredAsset"
})

export const REGISTER_PROBLEMS = problemsOf([
  ...TOKEN_PROBLEMS,
  "invalid_fields",
  "registration_conflict",
  "payload_too_large",
  "storage_quota_reached",
  "unsupported_media_type"
])
export const LIST_ASSETS_PROBLEMS = problemsOf([...TOKEN_PROBLEMS, "invalid_fields"])
export const ASSET_COMMITS_PROBLEMS = problemsOf(["invalid_fields", "ledger_unavailable"])

export const AssetsGroup = HttpApiGroup.make("assets", { topLevel: true }).add(
  HttpApiEndpoint.post("registerAsset", "/assets", {
    payload: HttpApiSchema.StreamUint8Array({ contentType: "*/*" }),
    success: RegisteredHere.pipe(HttpApiSchema.status(201)),
    error: REGISTER_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "Register an asset")
    .annotate(
      OpenApi.Description,
      "The body is the file, of any size; Content-Type is its MIME type (left out or application/octet-stream: found from the bytes), and the file name of a Content-Disposition is kept beside the asset. Or multipart/form-data with the file as its only part, `asset_file` or `file`. The same file again gives the same answer."
    ),
  HttpApiEndpoint.get("listAssets", "/assets", {
    query: {
      ...PAGE_QUERY,
      q: Schema.optionalKey(
        Schema.String.annotate({ description: "Only assets whose name or CID holds this text, in any letter case" })
      )
    },
    success: Schema.Struct({ assets: Schema.Array(ListedAsset), next: Schema.NullOr(Schema.String) }),
    error: LIST_ASSETS_PROBLEMS.schemas
  })
    .middleware(TokenAuth)
    .annotate(OpenApi.Summary, "The account's assets")
    .annotate(
      OpenApi.Description,
      "What the caller's account registered or committed, newest first. `next` is the cursor of the next page, null on the last."
    ),
  HttpApiEndpoint.get("assetCommits", "/assets/:assetCid/commits", {
    params: { assetCid: Schema.String },
    query: {
      testnet: asked("true or false (the default)"),
      limit: asked("How many commits to give, 1 to 1000: the oldest, or with `before` the newest of those before it"),
      after: asked("Only commits after this place, BLOCK:INDEX, such as the `next` of another answer"),
      before: asked("Only commits before this place, BLOCK:INDEX, such as the `previous` of another answer")
    },
    success: Schema.Struct({ commits: Schema.Array(AssetCommit), next: place, previous: place }),
    error: ASSET_COMMITS_PROBLEMS.schemas
  })
    .annotate(OpenApi.Summary, "Commits of an asset")
    .annotate(
      OpenApi.Description,
      "Every commit of the asset on the mainnet, or with `testnet=true` on the test network, by any recorder, oldest first. With `limit`, `after` or `before` a page of them; then `next` and `previous` say where the neighbouring pages begin, null where there is none."
    )
)

/** The part of the administration API about the books: statements, quotes, the audit and backups. Definitions only. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { QuoteResponse } from "../http/commit/CommitApi.ts"
import { AuditReport } from "../keeping/AuditReport.ts"
import { Manifest } from "../keeping/Manifest.ts"
import { AccountName } from "./AccountName.ts"
import { AdminRefused } from "./AdminRefused.ts"

const account = { account: AccountName }
const Sample = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 2 ** 31 }))
const refused = { error: AdminRefused }

export const books = HttpApiGroup.make("books").add(
  HttpApiEndpoint.get("statement", "/accounts/:account/statement", {
    params: account,
    query: {
      from: Schema.optionalKey(Schema.String),
      to: Schema.optionalKey(Schema.String),
      format: Schema.Literals(["json", "csv"])
    },
    /** The file's text. */
    success: Schema.Struct({ statement: Schema.String }),
    ...refused
  }),
  HttpApiEndpoint.post("quote", "/accounts/:account/quotes", {
    params: account,
    payload: Schema.Struct({ request: Schema.Json }),
    success: QuoteResponse,
    ...refused
  }),
  HttpApiEndpoint.get("audit", "/audit", {
    /** How many files to read, drawn at random; all by default. */
    query: { sample: Schema.optionalKey(Sample) },
    success: AuditReport,
    ...refused
  }),
  HttpApiEndpoint.post("backup", "/backup", {
    /** `folder` is absolute. */
    payload: Schema.Struct({ folder: Schema.String, withKey: Schema.Boolean }),
    success: Manifest,
    ...refused
  })
)

/** The part of the administration API about the history of assets: what the ledger has, what of it holds, its proofs. Definitions only. */
import { NetworkRole, STATUS_LETTERS } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AdminRefused } from "./AdminRefused.ts"

const asset = { assetCid: Schema.String }
const refused = { error: AdminRefused }
const Count = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 2 ** 50 }))

/** A place on the ledger, `BLOCK:INDEX`. */
const Place = Schema.String.check(Schema.isPattern(/^\d{1,15}:\d{1,9}$/u))

const Recorders = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}(?:,0x[0-9a-fA-F]{40}){0,99}$/u))

export const NetworkView = Schema.Struct({
  role: NetworkRole,
  name: Schema.String,
  chainId: Schema.Int,
  contract: Schema.String
})

const place = {
  txHash: Schema.String,
  blockNumber: Schema.Int,
  blockHash: Schema.String,
  logIndex: Schema.Int,
  recorder: Schema.String
}

/** One commit of a history. What its record says is null where the record does not say it as text. */
export const LogEntry = Schema.Struct({
  ...place,
  /** The block's time, ISO 8601. */
  time: Schema.String,
  status: Schema.Literals(STATUS_LETTERS),
  /** Whose word it is what was done: the author's own, or the recorder's; null where the tree is not shown to be its author's. */
  word: Schema.NullOr(Schema.Literals(["author", "recorder"])),
  /** Codes of verification that lead to the status. */
  codes: Schema.Array(Schema.String),
  /** Why the tree was not checked. */
  reason: Schema.NullOr(Schema.String),
  author: Schema.NullOr(Schema.String),
  signer: Schema.NullOr(Schema.String),
  action: Schema.NullOr(Schema.String),
  abstract: Schema.NullOr(Schema.String),
  assetTreeCid: Schema.NullOr(Schema.String),
  /** The text on the ledger. */
  commitData: Schema.String
})
export type LogEntry = typeof LogEntry.Type

/** One of the two commits that are compared. `index` counts from 1, null when only the newest commits were read. */
const DiffSide = Schema.Struct({
  ...place,
  index: Schema.NullOr(Schema.Int),
  assetTreeCid: Schema.NullOr(Schema.String),
  /** The record, parsed; as text where it is no JSON object. */
  record: Schema.Json,
  /** The tree, parsed; null for the reason given. */
  tree: Schema.NullOr(Schema.Json),
  treeMissing: Schema.NullOr(Schema.String)
})
export type DiffSide = typeof DiffSide.Type

export const history = HttpApiGroup.make("history").add(
  HttpApiEndpoint.get("log", "/assets/:assetCid/log", {
    params: asset,
    query: {
      network: NetworkRole,
      limit: Count,
      after: Schema.optionalKey(Place),
      before: Schema.optionalKey(Place),
      from: Schema.Literals(["oldest", "newest"]),
      /** Wallets whose word for what was done is taken, beside our own committers; comma-separated. */
      recorders: Schema.optionalKey(Recorders)
    },
    success: Schema.Struct({ network: NetworkView, commits: Schema.Array(LogEntry) }),
    ...refused
  }),
  HttpApiEndpoint.get("proofOfCommit", "/assets/:assetCid/commits/:place/proof", {
    params: { ...asset, place: Place },
    query: { network: NetworkRole },
    /** `proof`: the file's text; null for the reason given. */
    success: Schema.Struct({ proof: Schema.NullOr(Schema.String), reason: Schema.NullOr(Schema.String) }),
    ...refused
  }),
  HttpApiEndpoint.get("diff", "/assets/:assetCid/diff", {
    params: asset,
    query: { network: NetworkRole, from: Schema.String, to: Schema.String },
    success: Schema.Struct({ network: NetworkView, from: DiffSide, to: DiffSide }),
    ...refused
  })
)

/**
 * The part of the administration API behind `treemarkd add`: what is committed already, and commits that are made once for each identity.
 * An identity is the sha256 of the file's own and of what was said about it (cli/add/Identity.ts). Definitions only.
 */
import { CommitReceipt } from "@treemark/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { GrantedTokens } from "../accounts/GrantedTokens.ts"
import { AccountName } from "./AccountName.ts"
import { AdminRefused } from "./AdminRefused.ts"

/** How many identities one question may name. */
export const MOST_IDENTITIES = 500

const Identity = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))
const account = { account: AccountName }
const refused = { error: AdminRefused }

const Done = Schema.Struct({ identity: Identity, receipt: CommitReceipt })

export const additions = HttpApiGroup.make("additions").add(
  HttpApiEndpoint.post("plan", "/accounts/:account/additions/plan", {
    params: account,
    payload: Schema.Struct({ identities: Schema.Array(Identity).check(Schema.isMaxLength(MOST_IDENTITIES)) }),
    success: Schema.Struct({
      account: Schema.Struct({ id: Schema.String, name: Schema.String }),
      /** Those that are committed. */
      done: Schema.Array(Done),
      /** Of one commit, and what gas costs beside it as a rule: exact decimal numbers of native tokens. */
      price: Schema.String,
      gasAbout: Schema.String,
      credits: Schema.String
    }),
    ...refused
  }),
  /** The asset of a file by its sha256, of a transaction, or the one with that CID; null: there is none here. */
  HttpApiEndpoint.get("named", "/named", {
    query: {
      sha256: Schema.optionalKey(Identity),
      txHash: Schema.optionalKey(Schema.String),
      assetCid: Schema.optionalKey(Schema.String)
    },
    success: Schema.Struct({
      found: Schema.NullOr(
        Schema.Struct({
          assetCid: Schema.String,
          /** Of its newest commit that was made here. */
          assetTreeCid: Schema.NullOr(Schema.String)
        })
      )
    }),
    ...refused
  }),
  HttpApiEndpoint.post("commit", "/accounts/:account/additions", {
    params: account,
    payload: Schema.Struct({
      identity: Identity,
      request: Schema.Json,
      /** What all additions of the account that have a limit may spend in a day of UTC. */
      dailyLimit: Schema.optionalKey(GrantedTokens)
    }),
    success: CommitReceipt,
    ...refused
  })
)

/**
 * The administration API: what the `treemarkd` commands ask of the daemon, over a unix socket of mode 0600 in the data folder, or
 * in process when no daemon runs. Definitions only; the same for both, so a command cannot behave differently.
 */
import { CommitReceipt, NetworkRole, WalletAddress } from "@treemark/core"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { TokenInfo } from "../accounts/AccessTokens.ts"
import { GrantedTokens } from "../accounts/GrantedTokens.ts"
import { RegisteredAsset } from "../content/Assets.ts"
import { AccountName, ServiceName } from "./AccountName.ts"
import { additions } from "./AdditionsApi.ts"
import { AdminRefused } from "./AdminRefused.ts"
import { books } from "./BooksApi.ts"
import { console } from "./ConsoleApi.ts"
import { history } from "./HistoryApi.ts"
import { watches } from "./WatchApi.ts"

export { AccountName, ServiceName } from "./AccountName.ts"
export { AdminRefused, codeOf } from "./AdminRefused.ts"

export const AccountView = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  serviceName: Schema.String,
  wallet: Schema.String,
  /** Exact decimal number of native tokens. */
  credits: Schema.String,
  disabled: Schema.Boolean,
  /** Closed for good. */
  closed: Schema.Boolean
})

export const StatusView = Schema.Struct({
  version: Schema.String,
  pid: Schema.Int,
  profile: Schema.String,
  home: Schema.String,
  addresses: Schema.Record(Schema.String, Schema.String),
  startedAt: Schema.String
})

const NetworkBalance = Schema.Struct({ name: Schema.String, chainId: Schema.Int, balance: Schema.String })

const account = { account: AccountName }
const refused = { error: AdminRefused }

const daemon = HttpApiGroup.make("daemon").add(
  HttpApiEndpoint.get("status", "/status", { success: StatusView }),
  HttpApiEndpoint.post("stop", "/stop", { success: HttpApiSchema.NoContent })
)

const accounts = HttpApiGroup.make("accounts").add(
  HttpApiEndpoint.get("list", "/accounts", { success: Schema.Array(AccountView), ...refused }),
  HttpApiEndpoint.post("create", "/accounts", {
    payload: Schema.Struct({
      name: AccountName,
      serviceName: ServiceName,
      credits: GrantedTokens,
      /** Null: 100 on the local chains, none elsewhere. */
      tokens: Schema.NullOr(GrantedTokens)
    }),
    success: Schema.Struct({ account: AccountView, token: Schema.String }),
    ...refused
  }),
  HttpApiEndpoint.get("show", "/accounts/:account", { params: account, success: AccountView, ...refused }),
  HttpApiEndpoint.post("credit", "/accounts/:account/credits", {
    params: account,
    payload: Schema.Struct({ credits: GrantedTokens }),
    success: AccountView,
    ...refused
  }),
  HttpApiEndpoint.post("setDisabled", "/accounts/:account/disabled", {
    params: account,
    payload: Schema.Struct({ disabled: Schema.Boolean }),
    success: AccountView,
    ...refused
  }),
  HttpApiEndpoint.post("close", "/accounts/:account/close", {
    params: account,
    /** `leaveDebt`: close it although its wallet cannot pay what it owes. */
    payload: Schema.Struct({ leaveDebt: Schema.Boolean }),
    /** Amounts are exact decimal numbers of native tokens. */
    success: Schema.Struct({
      account: AccountView,
      settled: Schema.String,
      owed: Schema.String,
      tokensRevoked: Schema.Int
    }),
    ...refused
  }),
  HttpApiEndpoint.get("tokens", "/accounts/:account/tokens", {
    params: account,
    success: Schema.Array(TokenInfo),
    ...refused
  }),
  HttpApiEndpoint.post("issueToken", "/accounts/:account/tokens", {
    params: account,
    payload: Schema.Struct({
      label: Schema.String,
      expiresAt: Schema.NullOr(Schema.Int),
      /** What it may spend in a day; left out: as much as the account. */
      dailyLimit: Schema.optionalKey(GrantedTokens)
    }),
    success: Schema.Struct({ token: Schema.String, info: TokenInfo }),
    ...refused
  }),
  HttpApiEndpoint.post("revokeToken", "/tokens/:id/revoke", {
    params: { id: Schema.String },
    success: TokenInfo,
    ...refused
  })
)

const wallet = HttpApiGroup.make("wallet").add(
  HttpApiEndpoint.get("show", "/wallet", {
    success: Schema.Struct({
      /** The service's own wallet, the first committer. */
      committer: Schema.String,
      balances: Schema.Array(NetworkBalance),
      /** Every wallet that sends commits, the first one too. */
      committers: Schema.Array(Schema.Struct({ address: Schema.String, balances: Schema.Array(NetworkBalance) }))
    }),
    ...refused
  }),
  HttpApiEndpoint.post("backup", "/wallet/backup", { success: Schema.Struct({ words: Schema.String }), ...refused })
)

const assets = HttpApiGroup.make("assets").add(
  HttpApiEndpoint.get("list", "/assets", { success: Schema.Array(RegisteredAsset), ...refused }),
  HttpApiEndpoint.post("registerElsewhere", "/assets/elsewhere", {
    payload: Schema.Struct({
      assetCid: Schema.String,
      assetSha256: Schema.String,
      encodingFormat: Schema.String,
      size: Schema.NullOr(Schema.Int)
    }),
    success: RegisteredAsset,
    ...refused
  })
)

const operations = HttpApiGroup.make("operations").add(
  HttpApiEndpoint.post("balance", "/balance", {
    payload: Schema.Struct({ wallet: WalletAddress, allNetworks: Schema.Boolean }),
    success: Schema.Struct({
      wallet: Schema.String,
      balance: Schema.String,
      networks: Schema.Array(NetworkBalance)
    }),
    ...refused
  }),
  HttpApiEndpoint.post("commit", "/accounts/:account/commits", {
    params: account,
    payload: Schema.Struct({ request: Schema.Json, idempotencyKey: Schema.NullOr(Schema.String) }),
    success: CommitReceipt,
    ...refused
  }),
  HttpApiEndpoint.get("proof", "/proofs/:assetTreeCid", {
    params: { assetTreeCid: Schema.String },
    success: Schema.Struct({ proof: Schema.String }),
    ...refused
  }),
  HttpApiEndpoint.get("checkpoint", "/checkpoints/:network", {
    params: { network: NetworkRole },
    /** `checkpoint`: the file's text. */
    success: Schema.Struct({ chainId: Schema.Int, blocks: Schema.Int, checkpoint: Schema.String }),
    ...refused
  }),
  HttpApiEndpoint.post("signCheckpoint", "/checkpoints", {
    payload: Schema.Struct({
      checkpoint: Schema.String,
      account: Schema.NullOr(AccountName),
      cosign: Schema.Boolean
    }),
    success: Schema.Struct({
      chainId: Schema.Int,
      blocks: Schema.Int,
      signer: Schema.String,
      /** Everybody who has signed it, the signer among them. */
      signers: Schema.Array(Schema.String),
      checkpoint: Schema.String
    }),
    ...refused
  })
)

export class AdminApi extends HttpApi.make("treemark-admin").add(
  daemon,
  accounts,
  wallet,
  assets,
  operations,
  books,
  history,
  additions,
  console,
  watches
) {}

/** Where `asset register FILE` streams the file's bytes; a plain route, since a body of any size is never held in memory. */
export const REGISTER_PATH = "/assets/bytes"

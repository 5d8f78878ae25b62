/** What the administration commands do: each handler decodes, calls the use case and encodes. No charge is made here but for `commit`. */
import {
  amount,
  balancesOn,
  checkpointText,
  formatTokens,
  NativeBalance,
  UNITS_PER_TOKEN,
  walletAddress
} from "@treemark/core"
import { Context, Deferred, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AccessTokens } from "../accounts/AccessTokens.ts"
import { AccountClosing } from "../accounts/AccountClosing.ts"
import { type Account, Accounts } from "../accounts/Accounts.ts"
import { exportCheckpoint } from "../commits/Checkpoint.ts"
import type { FinishedCommits } from "../commits/FinishedCommits.ts"
import { proofOfTree } from "../commits/ProofOfTree.ts"
import { Assets, RegisteredAsset } from "../content/Assets.ts"
import { LocalChains } from "../devchain/LocalChains.ts"
import type { Networks } from "../evm/Networks.ts"
import { fingerprintOf } from "../http/edge/IdempotencyKey.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import type { HdWallets } from "../wallets/HdWallets.ts"
import { Seed } from "../wallets/Seed.ts"
import { additionsHandlers } from "./AdditionsHandlers.ts"
import { AdminApi, REGISTER_PATH, type StatusView } from "./AdminApi.ts"
import { AdminRefused, refuse, refused } from "./AdminRefused.ts"
import { booksHandlers } from "./BooksHandlers.ts"
import { signCheckpoint } from "./CheckpointSigning.ts"
import { type CommitServices, commitForAccount } from "./CommitForAccount.ts"
import { consoleHandlers } from "./ConsoleHandlers.ts"
import { historyHandlers } from "./HistoryHandlers.ts"
import { watchHandlers } from "./WatchHandlers.ts"

/** What a running daemon says of itself, and how it is told to stop. */
export class DaemonControl extends Context.Service<
  DaemonControl,
  {
    readonly status: Effect.Effect<typeof StatusView.Type>
    readonly stopRequested: Deferred.Deferred<void>
  }
>()("@treemark/daemon/admin/DaemonControl") {}

const accountView = (account: Account) => ({
  id: account.id,
  name: account.name,
  serviceName: account.serviceName,
  wallet: account.wallet,
  credits: formatTokens(account.credits),
  disabled: account.disabled,
  closed: account.closed
})

const daemon = HttpApiBuilder.group(AdminApi, "daemon", (handlers) =>
  Effect.gen(function* () {
    const control = yield* DaemonControl
    return handlers.handleAll({
      status: () => control.status,
      stop: () => Effect.asVoid(Deferred.succeed(control.stopRequested, undefined))
    })
  })
)

/** What a new wallet gets on the local chains when nothing else is asked for. */
const LOCAL_TOKENS = amount(100n * UNITS_PER_TOKEN)

const accounts = HttpApiBuilder.group(AdminApi, "accounts", (handlers) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const tokens = yield* AccessTokens
    const closing = yield* AccountClosing
    const { chains } = yield* LocalChains
    const defaultTokens = chains.mainnet === undefined ? amount(0n) : LOCAL_TOKENS
    return handlers.handleAll({
      list: () =>
        accounts.list.pipe(
          Effect.map((all) => all.map(accountView)),
          refused
        ),
      create: ({ payload }) =>
        accounts.create({ ...payload, tokens: payload.tokens ?? defaultTokens }).pipe(
          Effect.map(({ account, token }) => ({ account: accountView(account), token: Redacted.value(token) })),
          refused
        ),
      show: ({ params }) => accounts.find(params.account).pipe(Effect.map(accountView), refused),
      credit: ({ params, payload }) =>
        accounts.addCredits(params.account, payload.credits).pipe(Effect.map(accountView), refused),
      setDisabled: ({ params, payload }) =>
        accounts.setDisabled(params.account, payload.disabled).pipe(Effect.map(accountView), refused),
      close: ({ params, payload }) =>
        closing.close(params.account, payload).pipe(
          Effect.map(({ account, owed, settled, tokensRevoked }) => ({
            account: accountView(account),
            settled: formatTokens(settled),
            owed: formatTokens(owed),
            tokensRevoked
          })),
          refused
        ),
      tokens: ({ params }) =>
        accounts.find(params.account).pipe(
          Effect.flatMap((account) => tokens.list(account.id)),
          refused
        ),
      issueToken: ({ params, payload }) =>
        accounts.find(params.account).pipe(
          Effect.flatMap((account) => tokens.issue(account.id, payload)),
          Effect.map(({ token, info }) => ({ token: Redacted.value(token), info })),
          refused
        ),
      revokeToken: ({ params }) => tokens.revoke(params.id).pipe(refused)
    })
  })
)

const wallet = HttpApiBuilder.group(AdminApi, "wallet", (handlers) =>
  Effect.gen(function* () {
    const { all } = yield* makeCommitters
    const seed = yield* Seed
    const balances = yield* NativeBalance
    return handlers.handleAll({
      show: () =>
        Effect.forEach(
          all,
          ({ address }) =>
            Effect.map(balancesOn(balances.networks, walletAddress(address)), ({ networks }) => ({
              address,
              balances: networks
            })),
          { concurrency: 4 }
        ).pipe(
          Effect.provideService(NativeBalance, balances),
          Effect.map((committers) => ({
            committer: committers[0]?.address ?? "",
            balances: committers[0]?.balances ?? [],
            committers
          })),
          refused
        ),
      backup: () => Effect.map(seed.backup, (words) => ({ words: Redacted.value(words) }))
    })
  })
)

const assets = HttpApiBuilder.group(AdminApi, "assets", (handlers) =>
  Effect.gen(function* () {
    const assets = yield* Assets
    return handlers.handleAll({
      list: () => assets.list.pipe(refused),
      registerElsewhere: ({ payload }) => assets.registerElsewhere({ ...payload, accountId: undefined }).pipe(refused)
    })
  })
)

const operations = HttpApiBuilder.group(AdminApi, "operations", (handlers) =>
  Effect.gen(function* () {
    const balances = yield* NativeBalance
    const services = yield* Effect.context<CommitServices | FinishedCommits | HdWallets | Networks>()
    return handlers.handleAll({
      balance: ({ payload: { allNetworks = true, wallet } }) =>
        balancesOn(allNetworks ? balances.networks : balances.networks.slice(0, 1), walletAddress(wallet)).pipe(
          Effect.provideService(NativeBalance, balances),
          refused
        ),
      commit: ({ params, payload }) =>
        commitForAccount({
          account: params.account,
          request: payload.request,
          key: payload.idempotencyKey ?? undefined,
          fingerprint: fingerprintOf(new TextEncoder().encode(JSON.stringify(payload.request)))
        }).pipe(Effect.provide(services), refused),
      proof: ({ params }) =>
        Effect.map(proofOfTree(params.assetTreeCid), (proof) => ({ proof })).pipe(Effect.provide(services), refused),
      checkpoint: ({ params }) =>
        Effect.map(exportCheckpoint(params.network), (checkpoint) => ({
          chainId: checkpoint.chainId,
          blocks: checkpoint.hashes.size,
          checkpoint: checkpointText(checkpoint)
        })).pipe(Effect.provide(services), refused),
      signCheckpoint: ({ payload }) => signCheckpoint(payload).pipe(Effect.provide(services), refused)
    })
  })
)

/** `asset register FILE` streams the bytes here. */
const registerRoute = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const assets = yield* Assets
    const accounts = yield* Accounts
    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const asked = new URL(request.url, "http://treemark").searchParams
      const name = asked.get("account")
      const asset = yield* assets.register({
        bytes: request.stream,
        fileName: asked.get("fileName") ?? undefined,
        contentType: request.headers["content-type"],
        accountId: name === null ? undefined : (yield* accounts.find(name)).id
      })
      return yield* HttpServerResponse.schemaJson(RegisteredAsset)(asset, { status: 201 })
    }).pipe(
      Effect.catch((error) => HttpServerResponse.schemaJson(AdminRefused)(refuse(error), { status: 422 })),
      Effect.orDie
    )
    yield* router.add("POST", REGISTER_PATH, answer)
  })
)

/** The administration API with its handlers; what they need is left open. */
export const adminRoutes = Layer.mergeAll(
  HttpApiBuilder.layer(AdminApi).pipe(
    Layer.provide([
      daemon,
      accounts,
      wallet,
      assets,
      operations,
      booksHandlers,
      historyHandlers,
      additionsHandlers,
      consoleHandlers,
      watchHandlers
    ])
  ),
  registerRoute
)

/**
 * What listeners serve: the whole application, or one operation alone at `/`. What the use cases need is left open. On the
 * `local` profile `EmbeddedRpc` and `ExplorerData` are provided as well; without them their routes do not exist.
 */
import type { Operation } from "@treemark/core"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Account from "./account/AccountHandlers.ts"
import * as Assets from "./assets/AssetsHandlers.ts"
import * as BalanceAllNetworks from "./balance-all-networks/BalanceAllNetworksHandler.ts"
import * as BalanceMainnet from "./balance-mainnet/BalanceMainnetHandler.ts"
import * as Commit from "./commit/CommitHandler.ts"
import * as Commits from "./commits/CommitsHandler.ts"
import * as Console from "./console/ConsoleRoutes.ts"
import { Admission } from "./edge/Admission.ts"
import { edge } from "./edge/Edge.ts"
import { RateLimit } from "./edge/RateLimit.ts"
import { RouteIndex } from "./edge/RouteIndex.ts"
import * as StrictBody from "./edge/StrictBody.ts"
import * as TokenCheck from "./edge/TokenCheck.ts"
import * as EmbeddedRpc from "./embedded-rpc/EmbeddedRpcHandler.ts"
import * as Explorer from "./explorer/ExplorerHandler.ts"
import * as Gateway from "./gateway/GatewayHandler.ts"
import * as Oauth from "./oauth/OauthHandlers.ts"
import * as Documentation from "./service/Documentation.ts"
import * as Service from "./service/ServiceHandlers.ts"
import { OPERATION_APIS, OPERATION_PATHS, TreemarkApi } from "./TreemarkApi.ts"
import * as Verify from "./verify/VerifyHandler.ts"

const middlewares = Layer.mergeAll(StrictBody.layer, TokenCheck.layer)

const apiRoutes = HttpApiBuilder.layer(TreemarkApi).pipe(
  Layer.provide([
    BalanceMainnet.layer,
    BalanceAllNetworks.layer,
    Commit.layer,
    Commits.layer,
    Assets.layer,
    Account.layer,
    Gateway.layer,
    Service.layer
  ]),
  Layer.provide(middlewares)
)

/** The main listener's application. */
export const mainApp = Layer.mergeAll(
  apiRoutes,
  Gateway.pathLayer,
  EmbeddedRpc.layer,
  Explorer.layer,
  Documentation.layer,
  Verify.layer,
  Console.layer,
  Oauth.layer,
  edge()
).pipe(Layer.provide(RouteIndex.layer), Layer.provide(Layer.merge(RateLimit.layer, Admission.layer)))

const operationRoutes = {
  "balance-mainnet": HttpApiBuilder.layer(OPERATION_APIS["balance-mainnet"]).pipe(Layer.provide(BalanceMainnet.layer)),
  "balance-all-networks": HttpApiBuilder.layer(OPERATION_APIS["balance-all-networks"]).pipe(
    Layer.provide(BalanceAllNetworks.layer)
  ),
  commit: HttpApiBuilder.layer(OPERATION_APIS.commit).pipe(Layer.provide(Commit.layer))
}

/** The application of a listener of its own: the operation at `/`, and nothing else. */
export const operationApp = <Name extends Operation>(operation: Name) =>
  Layer.mergeAll(operationRoutes[operation], edge({ root: OPERATION_PATHS[operation] })).pipe(
    Layer.provide(middlewares),
    Layer.provide(RouteIndex.layer),
    Layer.provide(Layer.merge(RateLimit.layer, Admission.layer))
  )

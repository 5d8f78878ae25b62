/**
 * What listeners serve: the whole application, or one operation alone at `/`. What the use cases need is left open. On the
 * `local` profile `EmbeddedRpc` and `ExplorerData` are provided as well; without them their routes do not exist.
 */
import type { Operation } from "@treemark/core"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OPERATION_APIS, OPERATION_PATHS, TreemarkApi } from "../api/TreemarkApi.ts"
import { edge } from "../edge/Edge.ts"
import { RateLimit } from "../edge/RateLimit.ts"
import { RouteIndex } from "../edge/RouteIndex.ts"
import * as StrictBody from "../edge/StrictBody.ts"
import * as TokenCheck from "../edge/TokenCheck.ts"
import * as Account from "./Account.ts"
import * as Assets from "./Assets.ts"
import * as BalanceAllNetworks from "./BalanceAllNetworks.ts"
import * as BalanceMainnet from "./BalanceMainnet.ts"
import * as Commit from "./Commit.ts"
import * as Commits from "./Commits.ts"
import * as Documentation from "./Documentation.ts"
import * as EmbeddedRpc from "./EmbeddedRpc.ts"
import * as Explorer from "./Explorer.ts"
import * as Gateway from "./Gateway.ts"
import * as Service from "./Service.ts"
import * as Verify from "./Verify.ts"

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
  EmbeddedRpc.layer,
  Explorer.layer,
  Documentation.layer,
  Verify.layer,
  edge()
).pipe(Layer.provide(RouteIndex.layer), Layer.provide(RateLimit.layer))

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
    Layer.provide(RateLimit.layer)
  )

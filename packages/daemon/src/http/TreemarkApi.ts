/** The whole public API as a value: routes, the OpenAPI document and clients are made from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import packageJson from "../../package.json" with { type: "json" }
import { AccountGroup } from "./account/AccountApi.ts"
import { AssetsGroup } from "./assets/AssetsApi.ts"
import { BalanceAllNetworks } from "./balance-all-networks/BalanceAllNetworksApi.ts"
import { BalanceMainnet } from "./balance-mainnet/BalanceMainnetApi.ts"
import { Commit } from "./commit/CommitApi.ts"
import { CommitsGroup } from "./commits/CommitsApi.ts"
import { GatewayGroup } from "./gateway/GatewayApi.ts"
import { finishedDocument } from "./service/OpenApiDocument.ts"
import { ServiceGroup } from "./service/ServiceApi.ts"

const API = "treemark"

export const TreemarkApi = HttpApi.make(API)
  .add(BalanceMainnet, BalanceAllNetworks, Commit, CommitsGroup, AssetsGroup, AccountGroup, GatewayGroup, ServiceGroup)
  .annotate(OpenApi.Title, "Treemark")
  .annotate(OpenApi.Version, packageJson.version)
  .annotate(
    OpenApi.Description,
    "Wallet balances, and commits of registered assets with signed asset trees on an EVM ledger. Every path also answers with a trailing slash. What answers GET answers HEAD with the same headers, and OPTIONS with 204 and who may call. Every answer of status 400 and above is application/problem+json (RFC 9457)."
  )
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Transform, finishedDocument)

/** Each operation alone, for a listener of its own. */
export const OPERATION_APIS = {
  "balance-mainnet": HttpApi.make(API).add(BalanceMainnet),
  "balance-all-networks": HttpApi.make(API).add(BalanceAllNetworks),
  commit: HttpApi.make(API).add(Commit)
}

/** Where each operation answers on the main listener. */
export const OPERATION_PATHS = {
  "balance-mainnet": "/balance/mainnet",
  "balance-all-networks": "/balance/all-networks",
  commit: "/commit"
} as const

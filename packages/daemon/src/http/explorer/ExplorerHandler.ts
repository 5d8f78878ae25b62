/**
 * `GET /explorer/{mainnet|testnet}/tx/{hash}`: the page that the `explorer` member of a commit's answer opens, where the chains have no explorer of
 * their own; `/explorer/asset/{assetCid}`: an asset's history for anybody, on every profile; `/explorer`: where to look either up.
 */
import { Ledger, type LedgerPlace, type NetworkRole, parseCid } from "@treemark/core"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Refused } from "../ApiErrors.ts"
import { unknownPage, wantsPage } from "../console/UnknownPage.ts"
import { refusing } from "../edge/Problems.ts"
import { ExplorerData } from "./ExplorerData.ts"
import { explorerPage } from "./ExplorerPage.ts"
import { historyPage } from "./HistoryPage.ts"
import { startPage } from "./StartPage.ts"

const unknown = new Refused({
  code: "not_found",
  detail:
    "This chain knows no such transaction. Check the hash (0x and 64 hexadecimal digits), and whether it was sent to the mainnet or the testnet."
})

/** A person gets a page, a program the problem. */
const notFound = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
  wantsPage(request) ? Effect.succeed(unknownPage) : Effect.fail(unknown)
)

const page = (role: NetworkRole, data: ExplorerData["Service"]) =>
  Effect.gen(function* () {
    const { hash = "" } = yield* HttpRouter.params
    const found = yield* data.transaction(role, hash)
    return Option.isNone(found) ? yield* notFound : explorerPage(role, found.value)
  }).pipe(refusing)

/** A hash without its network: wherever it is. */
const anywhere = (data: ExplorerData["Service"]) =>
  Effect.gen(function* () {
    const { hash = "" } = yield* HttpRouter.params
    for (const role of ["mainnet", "testnet"] as const) {
      const found = yield* data.transaction(role, hash)
      if (Option.isSome(found)) return explorerPage(role, found.value)
    }
    return yield* notFound
  }).pipe(refusing)

const COMMITS_SHOWN = 50

const queryOf = (url: string): string => url.split("?", 2)[1] ?? ""

const placeOf = (text: string): LedgerPlace | undefined => {
  const [, block, index] = /^(\d{1,15}):(\d{1,9})$/u.exec(text) ?? []
  return block === undefined ? undefined : { blockNumber: Number(block), logIndex: Number(index) }
}

const history = Effect.gen(function* () {
  const { assetCid = "" } = yield* HttpRouter.params
  const query = new URLSearchParams(queryOf((yield* HttpServerRequest.HttpServerRequest).url))
  if (parseCid(assetCid) === undefined) {
    const detail = "This is not a CID. An asset's history is at /explorer/asset/ and the asset's CID."
    return yield* new Refused({ code: "not_found", detail })
  }
  const role = query.get("testnet") === "true" ? "testnet" : "mainnet"
  const ledger = yield* Ledger
  const before = placeOf(query.get("before") ?? "")
  const found = yield* ledger.history(role, assetCid, { limit: COMMITS_SHOWN + 1, before, from: "newest" })
  const shown = found.slice(-COMMITS_SHOWN)
  const [oldest] = shown
  return historyPage({
    assetCid,
    network: { role, ...ledger.networkOf(role) },
    commits: shown.toReversed(),
    older:
      oldest === undefined || found.length === shown.length ? undefined : `${oldest.blockNumber}:${oldest.logIndex}`,
    explorerUrl: (txHash) => ledger.explorerUrl(role, txHash)
  })
}).pipe(refusing)

const start = (known: boolean) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => startPage(queryOf(url), known))

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const data = yield* Effect.serviceOption(ExplorerData)
    yield* router.add("GET", "/explorer", start(Option.isSome(data)))
    yield* router.add("GET", "/explorer/asset/:assetCid", history)
    if (Option.isNone(data)) return
    yield* router.add("GET", "/explorer/tx/:hash", anywhere(data.value))
    yield* router.add("GET", "/explorer/mainnet/tx/:hash", page("mainnet", data.value))
    yield* router.add("GET", "/explorer/testnet/tx/:hash", page("testnet", data.value))
  })
)

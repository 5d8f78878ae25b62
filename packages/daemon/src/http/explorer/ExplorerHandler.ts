/** `GET /explorer/{mainnet|testnet}/tx/{hash}`: the page that the `explorer` member of a commit's answer opens. */
import type { NetworkRole } from "@treemark/core"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { ExplorerData } from "./ExplorerData.ts"
import { EXPLORER_CSP, explorerPage } from "./ExplorerPage.ts"

const unknown = new Refused({
  code: "not_found",
  detail:
    "This chain knows no such transaction. Check the hash (0x and 64 hexadecimal digits), and whether it was sent to the mainnet or the testnet."
})

const page = (role: NetworkRole, data: ExplorerData["Service"]) =>
  Effect.gen(function* () {
    const { hash = "" } = yield* HttpRouter.params
    const found = yield* data.transaction(role, hash)
    if (Option.isNone(found)) return yield* unknown
    return HttpServerResponse.text(explorerPage(role, found.value), {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": EXPLORER_CSP }
    })
  }).pipe(refusing)

/** Routes only where the chains have no explorer of their own. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const data = yield* Effect.serviceOption(ExplorerData)
    if (Option.isNone(data)) return
    yield* router.add("GET", "/explorer/mainnet/tx/:hash", page("mainnet", data.value))
    yield* router.add("GET", "/explorer/testnet/tx/:hash", page("testnet", data.value))
  })
)

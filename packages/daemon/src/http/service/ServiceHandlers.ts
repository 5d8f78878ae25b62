/** `/health`, `/ready`, `/version`, `/networks`. */
import { Ledger, NetworkRole, TreeFormat } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import packageJson from "../../../package.json" with { type: "json" }
import { problemResponse } from "../edge/Problems.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { Readiness } from "./Readiness.ts"
import { READY_PROBLEMS } from "./ServiceApi.ts"

/** What fails is logged once, in a short line, and not at each probe that finds it so. */
const makeReady = Effect.gen(function* () {
  const { check } = yield* Readiness
  let failing = ""
  return Effect.fn("handlers.ready")(function* () {
    const checks = yield* check
    const failed = checks.filter(({ ok }) => !ok)
    const names = failed.map(({ name }) => name).join(", ")
    if (names !== failing) {
      failing = names
      yield* names === ""
        ? Effect.logInfo("Ready again.")
        : Effect.logWarning(`Not ready: ${names}. GET /ready says why.`)
    }
    if (failed.length === 0) return { status: "ready" as const, checks }
    const detail = failed.map(({ name, detail }) => `${name}: ${detail}`).join(" ")
    return yield* problemResponse({ code: "not_ready", detail, headers: { "retry-after": "1" } }, READY_PROBLEMS.encode)
  })
})

const networks = Effect.fn("handlers.networks")(function* () {
  const ledger = yield* Ledger
  const formats = yield* TreeFormat
  return {
    networks: NetworkRole.literals.map((role) => ({
      testnet: role === "testnet",
      ...ledger.networkOf(role),
      treeFormat: formats.on(role).name
    }))
  }
})

export const layer = HttpApiBuilder.group(TreemarkApi, "service", (handlers) =>
  Effect.map(makeReady, (ready) =>
    handlers
      .handle("health", () => Effect.succeed({ status: "ok" as const }))
      .handle("ready", ready)
      .handle("version", () => Effect.succeed({ name: "treemark", version: packageJson.version }))
      .handle("networks", networks)
  )
)

/** `/health`, `/ready`, `/version`, `/networks`. */
import { Ledger, NetworkRole, TreeFormat } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import packageJson from "../../../package.json" with { type: "json" }
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"
import { TreemarkApi } from "../TreemarkApi.ts"
import { Readiness } from "./Readiness.ts"

const ready = Effect.fn("handlers.ready")(function* () {
  const checks = yield* (yield* Readiness).check
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.length === 0) return { status: "ready" as const, checks }
  return yield* new Refused({
    code: "not_ready",
    detail: failed.map(({ name, detail }) => `${name}: ${detail}`).join(" "),
    headers: { "retry-after": "1" }
  })
}, refusing)

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
  handlers
    .handle("health", () => Effect.succeed({ status: "ok" as const }))
    .handleRaw("ready", ready)
    .handle("version", () => Effect.succeed({ name: "treemark", version: packageJson.version }))
    .handle("networks", networks)
)

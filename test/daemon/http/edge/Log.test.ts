/** What the log says of requests. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, References } from "effect"
import { WALLET } from "../../../layers/DaemonServices.ts"
import { call, start } from "../../../layers/HttpFixture.ts"

describe("the log", () => {
  it.live("holds method, path and status of a request, and nothing of its query", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start({ references: Context.make(References.MinimumLogLevel, "All") })
      const body = JSON.stringify({ wallet: WALLET })
      yield* call(port, "/balance/mainnet?token=tmk_secret", { body })
      yield* call(port, "/balance/mainnet/nothing;token=tmk_secret?token=tmk_secret#tmk_secret")
      const said = world.log.join("\n")
      assert.include(said, "POST /balance/mainnet 200")
      assert.include(said, "GET /balance/mainnet/nothing 404")
      assert.notInclude(said, "tmk_secret")
    }).pipe(Effect.scoped)
  )
})

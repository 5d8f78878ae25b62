/** What the three operations stand on, looked at each time `/ready` is asked: the data store and both ledgers. */
import type { NetworkRole } from "@treemark/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Readiness, type ReadinessCheck } from "./api/Readiness.ts"
import { Networks } from "./ledger/Networks.ts"
import { ask } from "./ledger/RpcFailure.ts"

export const layer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const looked = (name: string, look: Effect.Effect<string, { readonly message: string }>) =>
      look.pipe(
        Effect.map((detail): ReadinessCheck => ({ name, ok: true, detail })),
        Effect.catch((error) => Effect.succeed({ name, ok: false, detail: error.message }))
      )
    const store = looked("store", Effect.as(sql`SELECT 1`, "The data store answers."))
    const ledger = (role: NetworkRole) => {
      const network = networks.role(role)
      return looked(
        role,
        Effect.map(
          ask(network, () => network.client.getBlockNumber()),
          (block) => `${network.name} answers and is at block ${block}.`
        )
      )
    }
    return Readiness.of({
      check: Effect.all([store, ledger("mainnet"), ledger("testnet")], { concurrency: "unbounded" })
    })
  })
)

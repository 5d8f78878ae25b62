/** What the three operations stand on, looked at each time `/ready` is asked: data and content store, both ledgers, and their committers. */
import { formatTokens, type NetworkRole, type WalletAddress } from "@treemark/core"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Hex } from "viem"
import { makeContentProbe } from "./ContentProbe.ts"
import { Networks } from "./evm/Networks.ts"
import { ask } from "./evm/RpcFailure.ts"
import { Readiness, type ReadinessCheck } from "./http/service/Readiness.ts"
import { makeCommitters } from "./wallets/Committers.ts"

export const layer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const committers = yield* makeCommitters
    const probe = yield* makeContentProbe
    const looked = (name: string, look: Effect.Effect<string, { readonly message: string }>) =>
      look.pipe(
        Effect.map((detail): ReadinessCheck => ({ name, ok: true, detail })),
        Effect.catch((error) => Effect.succeed({ name, ok: false, detail: error.message }))
      )
    const store = looked("store", Effect.as(sql`SELECT 1`, "The data store answers."))
    /** A chain that is not ours to fund takes commits only of a wallet that holds something. */
    const committer = (role: NetworkRole, address: WalletAddress) => {
      const network = networks.role(role)
      return looked(
        `${role} committer ${address}`,
        ask(network, () => network.client.getBalance({ address: address as Hex })).pipe(
          Effect.flatMap((balance) => {
            const text = `The wallet ${address} holds ${formatTokens(balance)} on ${network.name}`
            return balance > 0n
              ? Effect.succeed(`${text}.`)
              : Effect.fail({ message: `${text}: send it native tokens, without which it cannot commit.` })
          })
        )
      )
    }
    const roles = ["mainnet", "testnet"] as const
    const wallets = roles.flatMap((role) =>
      networks.role(role).embedded ? [] : committers.all.map(({ address }) => committer(role, address))
    )
    const content = looked("content", Effect.as(probe, "The content store takes bytes and gives them back."))
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
      check: Effect.all([store, content, ...roles.map(ledger), ...wallets], { concurrency: 16 })
    })
  })
)

/**
 * What the three operations stand on, looked at when `/ready` is asked: that data and content store take what is written, room on their
 * disks, both ledgers, and that their committers may sign and can pay gas.
 */
import { formatTokens, type NetworkRole, type WalletAddress } from "@treemark/core"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Hex } from "viem"
import { makeContentProbe } from "./ContentProbe.ts"
import { diskSpace } from "./DiskSpace.ts"
import { feesNow } from "./evm/Fees.ts"
import { type LedgerNetwork, Networks } from "./evm/Networks.ts"
import { Outbox } from "./evm/Outbox.ts"
import { ask } from "./evm/RpcFailure.ts"
import { Readiness, type ReadinessCheck } from "./http/service/Readiness.ts"
import { MIGRATION_TABLE } from "./store/Migrations.ts"
import { makeCommitters } from "./wallets/Committers.ts"

/** For how long an answer holds: whoever asks often is answered from it. */
const KEPT = Duration.seconds(1)

/** Gas of a commit, of a small record on the cheapest contract: a wallet that cannot pay this much cannot commit at all. */
const COMMIT_GAS = 40_000n

interface Reason {
  readonly message: string
}

const looked = (name: string, look: Effect.Effect<string, Reason>) =>
  look.pipe(
    Effect.map((detail): ReadinessCheck => ({ name, ok: true, detail })),
    Effect.catch((error) => Effect.succeed({ name, ok: false, detail: error.message }))
  )

export const layer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const outbox = yield* Outbox
    const committers = yield* makeCommitters
    const probe = yield* makeContentProbe
    const disk = yield* diskSpace

    const first = (name: string) =>
      sql`UPDATE ${sql(MIGRATION_TABLE)} SET name = ${sql.literal(name)} WHERE migration_id = 1`
    /**
     * A row that every store has is changed and changed back in one transaction: a store that can only be read answers every question but
     * this one. (SQLite writes nothing for a row that stays what it is.)
     */
    const store = sql.withTransaction(Effect.andThen(first("name || ' '"), first("rtrim(name)"))).pipe(
      Effect.mapError(({ message }) => ({
        message: `The data store takes nothing that is written: ${message}. Look whether its disk is full or read-only, or its database down.`
      })),
      Effect.as("The data store takes what is written.")
    )
    const content = Effect.as(probe, "The content store takes bytes and gives them back.")

    const ledger = (network: LedgerNetwork) =>
      Effect.map(
        ask(network, () => network.client.getBlockNumber()),
        (block) => `${network.name} answers and is at block ${block}.`
      )

    const committer = Effect.fnUntraced(function* (network: LedgerNetwork, address: WalletAddress) {
      const stopped = outbox.stopped(network.chainId, address)
      if (stopped !== undefined) {
        return yield* Effect.fail({
          message: `The wallet ${address} signs nothing more on ${network.name}: ${stopped} Find and stop the other program, then restart this daemon (docs/operations.md).`
        })
      }
      const [balance, { maxFeePerGas }] = yield* Effect.all(
        [ask(network, () => network.client.getBalance({ address: address as Hex })), feesNow(network)],
        { concurrency: "unbounded" }
      )
      const [holds, needed] = [formatTokens(balance), formatTokens(COMMIT_GAS * maxFeePerGas)]
      const text = `The wallet ${address} holds ${holds} on ${network.name}`
      if (balance >= COMMIT_GAS * maxFeePerGas) return `${text}.`
      return yield* Effect.fail({
        message: `${text}, and the gas of one commit may cost ${needed}: send it native tokens, without which it cannot commit.`
      })
    })

    const roles = ["mainnet", "testnet"] as const
    const ofRole = (role: NetworkRole) => {
      const network = networks.role(role)
      return [
        looked(role, ledger(network)),
        ...committers.all.map(({ address }) => looked(`${role} committer ${address}`, committer(network, address)))
      ]
    }
    const all = [looked("store", store), looked("content", content), looked("disk", disk), ...roles.flatMap(ofRole)]
    return Readiness.of({ check: yield* Effect.cachedWithTTL(Effect.all(all, { concurrency: 16 }), KEPT) })
  })
)

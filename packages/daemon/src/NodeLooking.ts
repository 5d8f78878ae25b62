/** Fills the console's view of the daemon: the process, the chains' heads, what is under way, the disks, the log's last lines. */
import { DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DaemonControl } from "./admin/AdminHandlers.ts"
import { commitTable } from "./commits/CommitTable.ts"
import { diskFigures } from "./DiskSpace.ts"
import { type LedgerNetwork, Networks } from "./evm/Networks.ts"
import { ask } from "./evm/RpcFailure.ts"
import { type NodeFacts, NodeLook } from "./http/console/NodeFacts.ts"
import { PublicUrl } from "./Services.ts"
import { IntColumn } from "./store/Columns.ts"
import { recentLines } from "./telemetry/RecentLines.ts"

/** For how long what was found holds: whoever looks often does not make work. */
const KEPT = Duration.seconds(1)

/** A node that takes longer is shown as one that does not answer. */
const PATIENCE = Duration.seconds(2)

const decodeJobs = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["commit", "transfer"]),
      state: Schema.String,
      many: IntColumn,
      since: IntColumn
    })
  )
)

const isoOf = (milliseconds: number): string => DateTime.formatIso(DateTime.makeUnsafe(milliseconds))

const networkOf = (network: LedgerNetwork): Effect.Effect<NodeFacts["networks"][number]> => {
  const { chainId, contract, name, role } = network
  return ask(network, () => network.client.getBlock({ blockTag: "latest" })).pipe(
    Effect.timeout(PATIENCE),
    Effect.map(({ number, timestamp }) => ({ number: Number(number), at: isoOf(Number(timestamp) * 1_000) })),
    Effect.orElseSucceed(() => null),
    Effect.map((head) => ({ role, name, chainId, contract, head }))
  )
}

export const layer = Layer.effect(
  NodeLook,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const { status } = yield* DaemonControl
    const disks = yield* diskFigures
    const publicUrl = yield* PublicUrl

    const jobs = sql`
        ${commitTable(sql).underWay}
        UNION ALL SELECT 'transfer', state, COUNT(*), MIN(created_at) FROM transfer_job
          WHERE state IN ('queued', 'signed', 'sent') GROUP BY state`.pipe(
      Effect.flatMap(decodeJobs),
      Effect.map((rows) =>
        rows.map(({ kind, many, since, state }) => ({ kind, state, count: many, since: isoOf(since) }))
      ),
      // A store that cannot be asked is told by /ready, in a sentence.
      Effect.catchCause((cause) => Effect.as(Effect.logDebug("The jobs under way could not be read.", cause), []))
    )

    const look = Effect.gen(function* () {
      const { home, pid, profile, startedAt, version } = yield* status
      const roles = [networks.role("mainnet"), networks.role("testnet")]
      const [heads, open, rooms] = yield* Effect.all(
        [Effect.forEach(roles, networkOf, { concurrency: 2 }), jobs, disks] as const,
        { concurrency: "unbounded" }
      )
      const { rss: memory } = process.memoryUsage()
      return {
        ...{ version, pid, profile, home, publicUrl, startedAt, memory },
        networks: heads,
        jobs: open,
        disks: rooms,
        log: recentLines()
      } satisfies NodeFacts
    })
    return { look: yield* Effect.cachedWithTTL(look, KEPT) }
  })
)

/**
 * Looks after commits that count as made until so many blocks stand on theirs as the network asks for: one whose block has fallen out
 * of the chain is under way again, and nothing is charged a second time. Costs a question a second, and one per watched block when the
 * newest block is another one than before; nothing while no commit is watched, nor on chains whose blocks are final.
 */
import { Duration, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { standingOf } from "../evm/Confirmations.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { ask } from "../evm/RpcFailure.ts"
import { makeCarryCommit } from "./CarryCommit.ts"
import { makeCommitRows } from "./CommitRows.ts"

const LOOK = Duration.seconds(1)

export const makeReorgWatch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { fellOut } = yield* makeCarryCommit
  const { letGo, watched } = yield* makeCommitRows
  /** The newest block at the last look: while it is the same, so are all below it. */
  const seen = new Map<string, string>()

  /** Answers the commits that have to be sent again, in the order of their nonces. `guard` is part of each change. */
  const look = Effect.fn("ReorgWatch.look")(function* <E>(
    network: LedgerNetwork,
    committer: string,
    guard: Effect.Effect<void, E>
  ) {
    const lane = `${network.chainId}:${committer}`
    const rows = yield* watched({ chainId: network.chainId, address: committer })
    if (rows.length === 0) return []
    const { hash, number: head } = yield* ask(network, () => network.client.getBlock({ blockTag: "latest" }))
    if (hash === seen.get(lane)) return []
    const blocks = Map.groupBy(rows, (row) => `${row.block_number} ${row.block_hash}`)
    const fallen: Array<string> = []
    for (const group of blocks.values()) {
      const [first] = group
      if (first === undefined) continue
      const block = { blockNumber: BigInt(first.block_number ?? 0), blockHash: first.block_hash ?? "" }
      const standing = yield* standingOf(network, block, head)
      if (standing.kind === "here" && standing.depth > network.watchBlocks) yield* letGo(group.map(({ id }) => id))
      if (standing.kind !== "elsewhere") continue
      yield* Effect.logWarning(
        `Block ${block.blockNumber} (${block.blockHash}) of ${network.name} fell out of the chain; ${group.length} commits in it are sent again`
      )
      for (const { id } of group) {
        yield* sql.withTransaction(Effect.andThen(guard, fellOut(id, block)))
        fallen.push(id)
      }
    }
    seen.set(lane, hash)
    return fallen
  })

  /** Looks again and again; `onFallen` is told what has to be sent again. Never ends by itself but for a failing `guard`. */
  const watch = <E>(
    network: LedgerNetwork,
    committer: string,
    guard: Effect.Effect<void, E | SqlError.SqlError>,
    onFallen: (commitIds: ReadonlyArray<string>) => Effect.Effect<void>
  ): Effect.Effect<void> =>
    network.watchBlocks === 0
      ? Effect.never
      : look(network, committer, guard).pipe(
          Effect.flatMap((fallen) => (fallen.length === 0 ? Effect.void : onFallen(fallen))),
          Effect.catch((error) => Effect.logDebug("Recorded commits could not be looked after; trying again", error)),
          Effect.andThen(Effect.sleep(LOOK)),
          Effect.forever
        )

  return { look, watch }
})

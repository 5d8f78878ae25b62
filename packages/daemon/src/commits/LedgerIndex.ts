/**
 * The histories of assets out of the index of the ledger's commits, as fresh as the ledger itself: each answer first has the index brought
 * up to the newest block, so that a page costs a page however long the history is. An index that cannot be used costs only time: then the
 * ledger is searched, as it was before there was one.
 */
import type { HistoryRange, LedgerCommit, NetworkRole } from "@treemark/core"
import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { pad, stringToHex } from "viem"
import { assetTopicOf, type CommitLog } from "../evm/CommitLogs.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import type { RpcFailure } from "../evm/RpcFailure.ts"
import { historyOf } from "./History.ts"
import { catchUp } from "./LedgerIndexFill.ts"
import { type Indexed, makeIndexRows } from "./LedgerIndexRows.ts"

export class LedgerIndex extends Context.Service<
  LedgerIndex,
  {
    /** The commits of `assetCid` within `range` (all by default), by any recorder, oldest first. */
    readonly history: (
      role: NetworkRole,
      assetCid: string,
      range?: HistoryRange
    ) => Effect.Effect<ReadonlyArray<LedgerCommit>, RpcFailure>
    /** Brings the index of a role's contract up to its newest block; who asks meanwhile shares the next time. */
    readonly catchUp: (role: NetworkRole) => Effect.Effect<Indexed, RpcFailure | SqlError.SqlError>
  }
>()("@treemark/daemon/commits/LedgerIndex") {
  static readonly layer: Layer.Layer<LedgerIndex, never, Networks | SqlClient.SqlClient> = Layer.effect(
    LedgerIndex,
    Effect.suspend(() => make)
  )

  /** Keeps the index at the newest block while it lives, so that nobody waits for what came since somebody last asked. */
  static readonly layerFollowing: Layer.Layer<never, never, Networks | SqlClient.SqlClient> = Layer.effectDiscard(
    Effect.gen(function* () {
      const index = yield* LedgerIndex
      const networks = yield* Networks
      for (const role of ["mainnet", "testnet"] as const) {
        yield* Effect.forkScoped(follow(index, networks.role(role)))
      }
    })
  ).pipe(Layer.provide(LedgerIndex.layer))
}

/** After a block others come soon, and all of them cost one look; a node elsewhere tells of none and is not asked all the time. */
const SETTLE = Duration.seconds(1)
const ELSEWHERE = Duration.seconds(15)

const follow = (index: LedgerIndex["Service"], network: LedgerNetwork): Effect.Effect<never> =>
  index.catchUp(network.role).pipe(
    Effect.catch((error) =>
      Effect.logDebug(`The commits of ${network.name} could not be indexed; trying again: ${error.message}`)
    ),
    Effect.andThen(
      network.embedded ? Effect.andThen(network.nextBlock, Effect.sleep(SETTLE)) : Effect.sleep(ELSEWHERE)
    ),
    Effect.forever
  )

const make = Effect.gen(function* () {
  const networks = yield* Networks
  const sql = yield* SqlClient.SqlClient
  const rows = yield* makeIndexRows
  const upToDate = {
    mainnet: yield* sharedRounds(catchUp(rows, networks.role("mainnet"))),
    testnet: yield* sharedRounds(catchUp(rows, networks.role("testnet")))
  }

  /** Adds what there was of the asset before the index begins, once. */
  const complete = Effect.fnUntraced(function* (
    network: LedgerNetwork,
    index: Indexed,
    assetCid: string,
    assetTopic: string
  ) {
    const before = { blockNumber: index.low, logIndex: 0 }
    const commits = yield* historyOf(network, assetCid, { before })
    yield* rows
      .complete(index, assetTopic, commits.map(logOf(assetTopic)))
      .pipe(Effect.catchTag("MovedOn", () => Effect.void))
    return commits.length
  })

  const read = Effect.fn("LedgerIndex.history")(function* (
    network: LedgerNetwork,
    assetCid: string,
    range: HistoryRange
  ) {
    const assetTopic = assetTopicOf(assetCid)
    const index = yield* upToDate[network.role]
    const found = yield* rows.commitsOf(index, assetTopic, range)
    if (index.low <= Number(network.fromBlock) || isWithin(index, range, found)) return found
    if (yield* rows.isWhole(index, assetTopic)) return found
    yield* complete(network, index, assetCid, assetTopic)
    return (yield* rows.isWhole(index, assetTopic)) ? yield* rows.commitsOf(index, assetTopic, range) : undefined
  })

  return LedgerIndex.of({
    catchUp: (role) => upToDate[role],
    history: (role, assetCid, range = {}) => {
      const network = networks.role(role)
      return read(network, assetCid, range).pipe(
        Effect.catchTag("SqlError", (error) =>
          Effect.as(
            Effect.logWarning(
              `The index of the ledger's commits cannot be used, so the ledger is searched: ${error.message}`
            ),
            undefined
          )
        ),
        Effect.flatMap((found) => (found === undefined ? historyOf(network, assetCid, range) : Effect.succeed(found))),
        Effect.provideService(SqlClient.SqlClient, sql)
      )
    }
  })
})

/** Whether the answer lies in the indexed blocks alone. */
const isWithin = (
  { low }: Indexed,
  { after, from, limit }: HistoryRange,
  found: ReadonlyArray<LedgerCommit> | undefined
) =>
  (after !== undefined && after.blockNumber >= low) ||
  (from === "newest" && limit !== undefined && (found?.length ?? 0) >= limit && (found?.[0]?.blockNumber ?? 0) >= low)

const logOf =
  (assetTopic: string) =>
  ({ blockHash, blockNumber, commitData, logIndex, recorder, txHash }: LedgerCommit): CommitLog => ({
    blockNumber,
    blockHash,
    logIndex,
    txHash,
    assetTopic,
    recorderTopic: pad(recorder as `0x${string}`),
    text: Buffer.from(stringToHex(commitData).slice(2), "hex")
  })

/**
 * `work` for many at once: it runs for one after the other, and all who came while it ran share the run that begins then. Nobody gets what
 * was seen before they asked.
 */
const sharedRounds = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.map(Effect.scope, (scope) => {
    let running = false
    let next: Deferred.Deferred<A, E> | undefined
    const run = (round: Deferred.Deferred<A, E>): Effect.Effect<void> =>
      work.pipe(
        Effect.onExit((exit) => Effect.sync(() => Deferred.doneUnsafe(round, exit))),
        Effect.exit,
        Effect.flatMap(() => {
          const following = next
          next = undefined
          running = following !== undefined
          return following === undefined ? Effect.void : run(following)
        })
      )
    return Effect.uninterruptibleMask((restore) => {
      if (running) {
        next ??= Deferred.makeUnsafe<A, E>()
        return restore(Deferred.await(next))
      }
      running = true
      const round = Deferred.makeUnsafe<A, E>()
      return Effect.andThen(Effect.forkIn(restore(run(round)), scope), restore(Deferred.await(round)))
    })
  })

/**
 * The daemon's turn as the one that signs for a wallet: it waits until the lease is free, then signs and sends what is queued, goes on
 * with what its predecessor had signed, until it loses the lease or stops.
 */
import { type LedgerEntry, LedgerUnavailable, StorageUnavailable } from "@treemark/core"
import { Duration, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { awaitFees, type Terms } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { Outbox } from "../evm/Outbox.ts"
import { makeSignal, type Signal } from "../evm/Signal.ts"
import { type Lane, type Lease, type LeaseElsewhere, LeaseLost, Leases } from "../store/Leases.ts"
import type { Committers } from "../wallets/Committers.ts"
import { networksOnce } from "./CommitJobs.ts"
import { makeCommitQueue, termsOf } from "./CommitQueue.ts"
import type { CommitRow } from "./CommitRow.ts"
import { makeCommitSteps } from "./CommitSteps.ts"
import { makeReorgWatch } from "./ReorgWatch.ts"
import { makeRunning, type Progress } from "./Running.ts"

/** How often the queue is looked at, and how often another daemon's lease. */
const LOOK = Duration.millis(100)
const ELECTION = Duration.seconds(1)

/** With more lanes than this each is looked at less often; what this daemon itself was asked for is seen at once all the same. */
const LANES_AT_PACE = 8

interface Served {
  readonly lane: Lane
  readonly network: LedgerNetwork
}

/** Every committer on every chain, and those of an earlier configuration that left work behind. */
const lanesOf = Effect.fnUntraced(function* (
  networks: ReadonlyArray<LedgerNetwork>,
  committers: Committers,
  busy: (chainId: number) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
) {
  const lanes: Array<Served> = []
  for (const network of networks) {
    const { chainId } = network
    const left = yield* Effect.mapError(
      busy(chainId),
      (cause) => new StorageUnavailable({ doing: "reading which wallets have work", cause })
    )
    const known = left.filter((address) => committers.indexOf(address) !== undefined)
    for (const address of new Set([...committers.all.map((one) => one.address), ...known])) {
      lanes.push({ lane: { chainId, address }, network })
    }
  }
  return lanes
})

type JobError = LedgerUnavailable | StorageUnavailable | LeaseElsewhere | LeaseLost

/** Starts to sign for the committer on every chain of the profile; `onEnded` is told when a commit may have ended. */
export const makeCommitSigner = Effect.fnUntraced(function* (onEnded: Effect.Effect<void>) {
  const networks = yield* Networks
  const leases = yield* Leases
  const outbox = yield* Outbox
  const queue = yield* makeCommitQueue
  const steps = yield* makeCommitSteps
  const running = yield* makeRunning<LedgerEntry, JobError>()
  const reorgs = yield* makeReorgWatch
  const lanes = yield* lanesOf(networksOnce(networks), steps.committers, queue.busy)
  const look = Duration.times(LOOK, Math.ceil(lanes.length / LANES_AT_PACE))

  /** While gas costs more than the operator allows it waits, for as long as somebody waits for it, with no nonce taken. */
  const sign = (row: CommitRow, network: LedgerNetwork, progress: Progress) => {
    const terms = termsOf(row)
    const isWanted = Effect.orElseSucceed(queue.isWanted(row.id), () => true)
    return Effect.andThen(awaitFees(network, terms, isWanted), signNow(row, network, terms, progress))
  }

  const signNow = (row: CommitRow, network: LedgerNetwork, terms: Terms, progress: Progress) =>
    steps
      .signAndSend(
        row.network,
        {
          commitId: row.id,
          assetCid: row.asset_cid,
          commitData: row.commit_json,
          terms,
          insert: (signed) => queue.claim(network.name, signed)
        },
        progress
      )
      .pipe(
        Effect.tapError((error) =>
          error instanceof LedgerUnavailable ? outbox.persist(queue.withdraw(row.id, error.reason)) : Effect.void
        )
      )

  /** The row may have changed since it was listed: what happens next is decided by a fresh look. */
  const work = (id: string, progress: Progress) =>
    Effect.flatMap(steps.find(id), (row): Effect.Effect<LedgerEntry, JobError> => {
      if (row === undefined) return Effect.die(new Error(`The commit ${id} vanished from the queue.`))
      return row.state === "queued" ? sign(row, networks.role(row.network), progress) : steps.goOn(row, progress)
    })

  const serve = Effect.fnUntraced(function* (lease: Lease, signal: Signal, network: LedgerNetwork) {
    yield* Effect.logInfo(
      `This daemon signs for the wallet ${lease.address} on chain ${lease.chainId} (epoch ${lease.epoch}).`
    )
    yield* Effect.forkChild(reorgs.watch(network, lease.address, leases.guard(lease), () => signal.give))
    yield* Effect.forEach(yield* queue.unsettled(lease), ({ id }) => steps.settle(id), { discard: true })
    for (;;) {
      yield* leases.confirm(lease)
      for (const { id } of yield* queue.open(lease)) {
        yield* running.detach(id, { run: (progress) => logged(id, work(id, progress)), settle: () => onEnded })
      }
      yield* signal.wait(look)
    }
  })

  const signals = new Map<string, Signal>()
  for (const { lane, network } of lanes) {
    const signal = yield* makeSignal
    signals.set(keyOf(lane), signal)
    yield* leases
      .use(lane, (lease) => serve(lease, signal, network))
      .pipe(
        Effect.catchTag("LeaseElsewhere", () => Effect.void),
        Effect.catch((error) =>
          Effect.logWarning(
            error instanceof LeaseLost
              ? `Signing stops here: ${error.message}`
              : "The queue of commits could not be read",
            error
          )
        ),
        Effect.andThen(Effect.sleep(ELECTION)),
        Effect.forever,
        Effect.forkScoped
      )
  }

  return {
    /** Something was queued for this lane: look now. */
    look: (lane: Lane): Effect.Effect<void> => signals.get(keyOf(lane))?.give ?? Effect.void
  }
})

const keyOf = ({ address, chainId }: Lane): string => `${chainId}:${address}`

/** A mistake of the program would otherwise be tried again and again in silence. */
const logged = <A, E>(id: string, work: Effect.Effect<A, E>) =>
  Effect.tapDefect(work, (defect) => Effect.logError(`The commit ${id} cannot be worked on`, defect))

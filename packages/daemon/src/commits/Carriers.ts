/**
 * The daemon's turn as the one that carries the commits of a wallet: it waits until the lease is free, then signs and sends what waits and
 * goes on with what was signed, by itself or by its predecessor, until it loses the lease or stops. Each commit is carried once here, by
 * whoever comes first: its call or this.
 */
import type { CommitWork } from "@treemark/core"
import { Context, Duration, Effect } from "effect"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { Outbox } from "../evm/Outbox.ts"
import { makeSignal, type Signal } from "../evm/Signal.ts"
import { type Lane, type Lease, LeaseLost, Leases } from "../store/Leases.ts"
import { ReplicaId } from "../store/Replica.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { isOpen, workOf } from "./CommitRow.ts"
import { makeCommitRows } from "./CommitRows.ts"
import { makeCommitTransitions } from "./CommitTransitions.ts"
import { makeReorgWatch } from "./ReorgWatch.ts"

/** How often the commits of a wallet are looked at where daemons share a database, and where one is alone; and another daemon's lease. */
export const CarrierPace = Context.Reference("@treemark/daemon/commits/CarrierPace", {
  defaultValue: () => ({ shared: Duration.millis(100), alone: Duration.seconds(1), election: Duration.seconds(1) })
})

/** With more lanes than this each is looked at less often; what this daemon itself was asked for is seen at once all the same. */
const LANES_AT_PACE = 8

const keyOf = ({ address, chainId }: Lane): string => `${chainId}:${address}`

/** Starts to carry; `carry` never fails, and ends when the commit has ended or is another daemon's. */
export const makeCarriers = Effect.fnUntraced(function* (carry: (work: CommitWork) => Effect.Effect<unknown>) {
  const networks = yield* Networks
  const leases = yield* Leases
  const outbox = yield* Outbox
  const pace = yield* CarrierPace
  const committers = yield* makeCommitters
  const rows = yield* makeCommitRows
  const { settle } = yield* makeCommitTransitions
  const reorgs = yield* makeReorgWatch
  const scope = yield* Effect.scope
  /** Commits that are carried here, and those that their call is just beginning. */
  const carried = new Map<string, "begun" | "carried">()
  const chains = networksOnce(networks)

  /** Every committer on every chain, and those of an earlier configuration that left work behind. */
  const lanes: Array<{ readonly lane: Lane; readonly network: LedgerNetwork }> = []
  for (const network of chains) {
    const { chainId } = network
    const known = (yield* rows.busy(chainId)).filter((address) => committers.indexOf(address) !== undefined)
    for (const address of new Set([...committers.all.map((one) => one.address), ...known])) {
      lanes.push({ lane: { chainId, address }, network })
    }
  }
  const isAlone = (yield* ReplicaId) === null
  const look = Duration.times(isAlone ? pace.alone : pace.shared, Math.ceil(lanes.length / LANES_AT_PACE))

  const start = (work: CommitWork, carrying: Effect.Effect<unknown>) =>
    Effect.suspend(() => {
      const { commitId } = work
      if (carried.get(commitId) === "carried") return Effect.void
      carried.set(commitId, "carried")
      const end = Effect.sync(() => void carried.delete(commitId))
      return Effect.asVoid(Effect.forkIn(Effect.ensuring(carrying, end), scope, { startImmediately: true }))
    })

  const serve = Effect.fnUntraced(function* (lease: Lease, signal: Signal, network: LedgerNetwork) {
    if (!isAlone) {
      yield* Effect.logInfo(
        `This daemon signs for the wallet ${lease.address} on chain ${lease.chainId} (epoch ${lease.epoch}).`
      )
    }
    yield* Effect.forkChild(Effect.ignore(outbox.start(network, lease)))
    yield* Effect.forkChild(reorgs.watch(network, lease.address, leases.guard(lease), () => signal.give))
    for (const { id } of yield* rows.unsettled(lease)) yield* outbox.persist(settle(id))
    for (;;) {
      yield* leases.confirm(lease)
      for (const id of yield* rows.open(lease)) {
        const row = carried.has(id) ? undefined : yield* rows.find(id)
        if (row !== undefined && isOpen(row)) yield* start(workOf(row), carry(workOf(row)))
      }
      yield* signal.wait(look)
    }
  })

  for (const { chain_id, id } of yield* rows.foreign(chains.map(({ chainId }) => chainId))) {
    yield* Effect.logWarning(
      `Commit ${id} was sent to chain ${chain_id}, which the profile "${networks.profile}" does not have; it waits until a profile that has it is started.`
    )
  }
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
              : "The commits under way could not be read",
            error
          )
        ),
        Effect.andThen(Effect.sleep(pace.election)),
        Effect.forever,
        Effect.forkScoped
      )
  }

  return {
    isCarried: (commitId: string) => carried.has(commitId),
    /** A call begins this commit, and will {@link take} it: nobody else here does. Undone where it could not be begun. */
    reserve: (commitId: string) => {
      if (!carried.has(commitId)) carried.set(commitId, "begun")
    },
    release: (commitId: string) => {
      if (carried.get(commitId) === "begun") carried.delete(commitId)
    },
    /** Carries it here, if this daemon has its wallet; else whoever has it finds it. */
    take: (lane: Lane, work: CommitWork, carrying: Effect.Effect<unknown>) =>
      Effect.suspend(() => {
        if (
          leases.held(lane) !== undefined ||
          (carried.get(work.commitId) === "begun" && work.transaction !== undefined)
        ) {
          return start(work, carrying)
        }
        if (carried.get(work.commitId) === "begun") carried.delete(work.commitId)
        return signals.get(keyOf(lane))?.give ?? Effect.void
      })
  }
})

/** The chains of the profile; both roles may be on one. */
const networksOnce = ({ role }: Networks["Service"]): ReadonlyArray<LedgerNetwork> => {
  const [mainnet, testnet] = [role("mainnet"), role("testnet")]
  return mainnet.chainId === testnet.chainId ? [mainnet] : [mainnet, testnet]
}

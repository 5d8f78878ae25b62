/**
 * `CommitJobs` for daemons that share a database: every commit goes through the queue, and whichever daemon signs for the wallet takes
 * it from there: `queued` → `signed` → `sent` → `mined`, or `refused`, `reverted`, `displaced`. The daemon that was asked waits for
 * the row to end; should it die, the commit goes on all the same and settles its own hold.
 */
import { CommitPending, type NetworkRole, StorageUnavailable } from "@treemark/core"
import { Duration, Effect, Layer, Option } from "effect"
import { type Terms, waitingReason } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { CommitJobs, type CommitJobsOptions, withdrawn } from "./CommitJobs.ts"
import { makeCommitOutcomes } from "./CommitOutcomes.ts"
import { type Handover, makeCommitQueue } from "./CommitQueue.ts"
import type { CommitOrder } from "./CommitRow.ts"
import { makeCommitSigner } from "./CommitSigner.ts"
import { makeCommitSteps } from "./CommitSteps.ts"
import { CommitTerms } from "./CommitTerms.ts"

/** Between tries to hand a commit over while the database does not answer. */
const PAUSE = Duration.millis(250)

const make = Effect.fnUntraced(function* (options: CommitJobsOptions) {
  const networks = yield* Networks
  const terms = yield* CommitTerms
  const steps = yield* makeCommitSteps
  const queue = yield* makeCommitQueue
  const outcomes = yield* makeCommitOutcomes
  const signer = yield* makeCommitSigner(outcomes.look)
  const deadline = options.deadline ?? Duration.seconds(30)

  /** A try whose answer was lost may have added the row; the next try finds it. */
  const handOver = Effect.fnUntraced(function* (handover: Omit<Handover, "patience">, left: () => number) {
    for (;;) {
      const error = yield* queue.enqueue({ ...handover, patience: left() }).pipe(
        Effect.as(undefined),
        Effect.catchTag("SqlError", (failed) => Effect.succeed(failed))
      )
      if (error === undefined) return
      if (left() <= Duration.toMillis(PAUSE)) {
        return yield* new StorageUnavailable({ doing: "a commit was handed to the daemon that signs", cause: error })
      }
      yield* Effect.sleep(PAUSE)
    }
  })

  /** At the deadline: what was not signed is taken back, what was is pending. */
  const giveUp = Effect.fnUntraced(
    function* (network: LedgerNetwork, { commitId }: CommitOrder, wanted: Terms) {
      const late = withdrawn(network.name, deadline, yield* waitingReason(network, wanted))
      if (yield* queue.withdraw(commitId, late.reason)) return yield* late
      const row = yield* steps.find(commitId)
      if (row === undefined) return yield* late
      if (row.state !== "signed" && row.state !== "sent") return yield* steps.outcome(row)
      return yield* new CommitPending({ commitId, txHash: row.tx_hash ?? "" })
    },
    Effect.catchTag("SqlError", (cause) =>
      Effect.fail(
        new StorageUnavailable({
          doing: "a commit was waited for, which may be made all the same: its Idempotency-Key tells",
          cause
        })
      )
    )
  )

  const record = Effect.fn("CommitJobs.record")(function* (role: NetworkRole, order: CommitOrder) {
    const network = networks.role(role)
    const until = performance.now() + Duration.toMillis(deadline)
    const left = () => Math.max(0, until - performance.now())
    const lane = { chainId: network.chainId, address: steps.committers.of(order.assetCid).address }
    const quoted = yield* terms.of(role, order)
    yield* handOver({ role, network: network.name, order, lane, terms: quoted }, left)
    yield* signer.look(lane)
    const ended = yield* Effect.timeoutOption(outcomes.of(order.commitId), left())
    return yield* Option.match(ended, {
      onNone: () => giveUp(network, order, quoted),
      onSome: steps.outcome
    })
  })

  return CommitJobs.of({ record })
})

/** Hands commits over and, whenever this daemon has the lease, signs them. */
export const layer = (options: CommitJobsOptions = {}) => Layer.effect(CommitJobs, make(options))

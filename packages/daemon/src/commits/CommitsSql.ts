/**
 * Layer of core's `Commits`, the same on SQLite and PostgreSQL: a commit is begun in one transaction and concluded in one, and in between it
 * is a row that whoever has its wallet's lease carries: this call, this daemon after a restart, another daemon.
 */
import {
  type CommitMade,
  CommitPending,
  type CommitPlan,
  CommitReceipt,
  Commits,
  type CommitWork,
  carryCommit,
  Ledger,
  LedgerUnavailable,
  refuseRepeated,
  type StorageUnavailable
} from "@treemark/core"
import { Cause, Duration, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { makeKeys } from "../books/Keys.ts"
import { Receipts } from "../books/Receipts.ts"
import type { WalletReading } from "../books/WalletDebt.ts"
import { awaitFees, waitingReason } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { Outbox } from "../evm/Outbox.ts"
import { storing } from "../store/StorageFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { makeBeginCommit } from "./BeginCommit.ts"
import { makeCarriers } from "./Carriers.ts"
import { makeCarryCommit } from "./CarryCommit.ts"
import { type CommitRow, isOpen, outcomeColumns, termsOf, workOf } from "./CommitRow.ts"
import { makeCommitRows } from "./CommitRows.ts"
import { CommitTerms } from "./CommitTerms.ts"
import { makeCommitTransitions } from "./CommitTransitions.ts"
import { makeCommitWaits } from "./CommitWaits.ts"

export interface CommitsOptions {
  /** How long a call waits for the ledger; 30 s by default. */
  readonly deadline?: Duration.Duration
}

type EndError = LedgerUnavailable | StorageUnavailable

const make = Effect.fnUntraced(function* (options: CommitsOptions) {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const ledger = yield* Ledger
  const terms = yield* CommitTerms
  const outbox = yield* Outbox
  const receipts = yield* Receipts
  const keys = yield* makeKeys
  const committers = yield* makeCommitters
  const rows = yield* makeCommitRows
  const { lock, tellLocked } = yield* makeCommitTransitions
  const { begin: beginOnce, keepElsewhere, readWallet } = yield* makeBeginCommit
  const { withdraw } = yield* makeCarryCommit
  const deadline = options.deadline ?? Duration.seconds(30)

  const answerOf = (work: CommitWork, txHash: string) =>
    new CommitReceipt({
      txHash,
      assetCid: work.assetCid,
      assetTreeCid: work.assetTreeCid,
      explorer: networks.role(work.network).explorerUrl(txHash)
    })
  const failed = (network: LedgerNetwork, reason: string) => new LedgerUnavailable({ network: network.name, reason })

  /** What a row that has ended says. */
  const endOf = Effect.fnUntraced(function* (row: CommitRow): Effect.fn.Return<CommitMade, EndError> {
    if (row.state !== "mined") return yield* failed(networks.role(row.network), row.error ?? "it was not recorded.")
    const receipt = yield* receipts.ofHold(row.hold_id ?? "")
    return { answer: answerOf(workOf(row), row.tx_hash ?? ""), receipt: Option.getOrUndefined(receipt) }
  })

  const conclude: Commits["Service"]["conclude"] = Effect.fn("Commits.conclude")(function* (work, outcome) {
    const { gasPaid, logIndex, place, reason, txHash, watched } = outcome
    const answer = answerOf(work, txHash)
    const end = Effect.gen(function* () {
      const row = yield* lock(work.commitId)
      const what = logIndex === undefined ? ("reverted" as const) : ("mined" as const)
      const detail = reason ?? againDetail(row, gasPaid)
      const written = { columns: outcomeColumns(row, outcome), history: { what, txHash, ...place, detail } }
      const event =
        logIndex === undefined
          ? ({ _tag: "failed" } as const)
          : ({ _tag: "confirmed", place, gasPaid, watched } as const)
      const { hasChanged, receipt, state } = yield* tellLocked(row, event, written)
      if (hasChanged && state._tag === "mined") yield* keys.keep(work.commitId, answer, receipt)
      return { receipt, isNew: hasChanged }
    }).pipe(sql.withTransaction)
    const { isNew, receipt } = yield* outbox.persist(end)
    if (logIndex === undefined) return yield* failed(networks.role(work.network), reason ?? "")
    if (isNew && receipt !== undefined) return { answer, receipt }
    const row = yield* rows.find(work.commitId)
    return row === undefined ? { answer, receipt } : yield* endOf(row)
  })

  const self: Commits["Service"] = Commits.of({
    conclude,
    begin: (plan) => begin(plan),
    attend: (work, carrying) => attend(work, carrying),
    again: (commitId) => again(commitId)
  })

  /** Tells who waits how it ended: not when the store failed or the wallet was lost, for then it is carried on, here or elsewhere. */
  const telling = (work: CommitWork, carrying: Effect.Effect<CommitMade, EndError>) =>
    Effect.onExit(carrying, (exit) => {
      if (Exit.isSuccess(exit)) return waits.tell(work.commitId, exit)
      if (Cause.hasDies(exit.cause)) {
        const log = Effect.logError(`The commit ${work.commitId} cannot be worked on`, exit.cause)
        return Effect.andThen(log, waits.tell(work.commitId, exit))
      }
      const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      return error?._tag === "LedgerUnavailable" ? waits.tell(work.commitId, exit) : Effect.void
    }).pipe(Effect.exit)

  const carry = (work: CommitWork) =>
    carryCommit(work).pipe(Effect.provideService(Ledger, ledger), Effect.provideService(Commits, self))

  const waits: Effect.Success<ReturnType<typeof makeCommitWaits<CommitMade, EndError>>> = yield* makeCommitWaits(
    endOf,
    (commitId) => !carriers.isCarried(commitId)
  )
  const carriers = yield* makeCarriers((work) => telling(work, carry(work)))

  const laneOf = ({ assetCid, network, transaction }: CommitWork) => ({
    chainId: networks.role(network).chainId,
    address: transaction?.from ?? committers.of(assetCid).address
  })

  /** A seat at its wallet, where fees are as allowed; with none the commit is queued. */
  const seatFor = Effect.fnUntraced(function* (plan: CommitPlan) {
    const network = networks.role(plan.network)
    const quoted = yield* terms.of(plan.network, plan)
    const { walletIndex } = committers.of(plan.assetCid)
    let isAllowed = true
    yield* awaitFees(
      network,
      quoted,
      Effect.sync(() => (isAllowed = false))
    )
    return { quoted, seat: isAllowed ? yield* outbox.seatNow(network, walletIndex) : undefined }
  })

  /** A COMMIT whose answer was lost may have been made all the same: then the row is there. */
  const unlessStored = (plan: CommitPlan) => (error: StorageUnavailable) =>
    Effect.flatMap(rows.find(plan.call.id), (row) =>
      row === undefined || row.state === "refused" ? Effect.fail(error) : Effect.succeed(workOf(row))
    )

  const beginWith = Effect.fnUntraced(function* (plan: CommitPlan) {
    let reading: WalletReading | undefined
    for (;;) {
      const { quoted, seat } = yield* seatFor(plan)
      const leave = seat?.leave ?? Effect.void
      const patience = Duration.toMillis(deadline)
      const begun = yield* beginOnce({ plan, terms: quoted, seat, reading, patience }).pipe(
        Effect.onError(() => leave),
        Effect.catchTag("LeaseLost", () => Effect.succeed(undefined)),
        storing("a commit was begun")
      )
      if (begun === undefined) continue
      if (begun._tag === "begun") {
        if (seat !== undefined && begun.signed !== undefined) outbox.sit(seat, begun.signed)
        return begun.work
      }
      yield* leave
      if (begun._tag === "act-taken") return yield* refuseRepeated
      if (begun._tag === "refused") return yield* begun.why
      reading = yield* readWallet(plan.caller).pipe(storing("a commit was begun"))
    }
  })

  const begin: Commits["Service"]["begin"] = Effect.fn("Commits.begin")(function* (plan) {
    const { id } = plan.call
    yield* keepElsewhere(plan)
    carriers.reserve(id)
    return yield* beginWith(plan).pipe(
      Effect.catchTag("StorageUnavailable", unlessStored(plan)),
      Effect.onError(() => Effect.sync(() => carriers.release(id)))
    )
  })

  /** At the deadline: what was not signed is taken back, what was is pending. */
  const giveUp = Effect.fnUntraced(function* (work: CommitWork) {
    const network = networks.role(work.network)
    const row = yield* rows.find(work.commitId)
    if (row?.state === "queued") {
      const why = yield* waitingReason(network, termsOf(row))
      const late = failed(
        network,
        `the commit could not be sent within ${Duration.format(deadline)} and was withdrawn${why === undefined ? "." : `: ${why}`}`
      )
      const { hasChanged } = yield* withdraw(work.commitId, late.reason).pipe(storing(WAITED))
      if (hasChanged) return yield* late
    }
    const now = yield* rows.find(work.commitId)
    if (now !== undefined && !isOpen(now)) return yield* endOf(now)
    return yield* new CommitPending({ commitId: work.commitId, txHash: now?.tx_hash ?? work.transaction?.hash ?? "" })
  })

  const attend: Commits["Service"]["attend"] = Effect.fn("Commits.attend")(function* <R>(
    work: CommitWork,
    carrying: Effect.Effect<CommitMade, EndError, R>
  ) {
    const context = yield* Effect.context<R>()
    const begun = carriers.take(laneOf(work), work, telling(work, Effect.provideContext(carrying, context)))
    return yield* Effect.timeoutOrElse(waits.of(work.commitId, begun), {
      duration: deadline,
      orElse: () => giveUp(work)
    })
  })

  const again: Commits["Service"]["again"] = Effect.fn("Commits.again")(function* (commitId) {
    const row = yield* rows.find(commitId)
    if (row === undefined || row.state === "refused") return Option.none()
    const work = workOf(row)
    return Option.some(yield* isOpen(row) ? attend(work, carry(work)) : endOf(row))
  })

  return self
})

/** Carries every unfinished commit on at once, in the background. */
export const layer = (options: CommitsOptions = {}) => Layer.effect(Commits, make(options))

const WAITED = "a commit was waited for, which may be made all the same: its Idempotency-Key tells"

/** Of a commit that is recorded a second time, after a reorganisation. */
const againDetail = ({ gas_price, gas_used }: CommitRow, paid: bigint): string | null => {
  const charged = gas_used === null || gas_price === null ? paid : BigInt(gas_used) * BigInt(gas_price)
  return charged === paid
    ? null
    : `Its gas cost ${paid} this time, and ${charged} were charged when it was first recorded (10^-18): the difference is the service's.`
}

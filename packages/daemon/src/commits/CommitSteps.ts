/**
 * The steps of a commit's job, whoever takes them: sign and send, go on with what was signed, wait for confirmations, write down what
 * became of it. They hold no state of their own; the row of `commit_job` does.
 */
import { type LedgerEntry, LedgerUnavailable, type NetworkRole, StorageUnavailable } from "@treemark/core"
import { Duration, Effect, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { TransactionReceipt } from "viem"
import { type CommitContent, commitInput } from "../evm/CommitContract.ts"
import { confirmed } from "../evm/Confirmations.ts"
import type { Terms } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { Outbox } from "../evm/Outbox.ts"
import type { TransactionLost, Wanted } from "../evm/OutboxTransaction.ts"
import { gasLimitOf } from "../evm/Variants.ts"
import type { LeaseElsewhere, LeaseLost } from "../store/Leases.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { makeCommitOutcome, outcomeOf } from "./CommitOutcome.ts"
import { type CommitRow, entryOfRow, gasPaidOf, signedOf } from "./CommitRow.ts"
import type { Progress } from "./Running.ts"

/** A commit to sign: its id, what goes on the ledger, and on which terms. */
export interface ToSign extends CommitContent {
  readonly commitId: string
  readonly terms: Terms
  /** Writes the row, as {@link Wanted} has it. */
  readonly insert: Wanted["insert"]
}

/** A job whose transaction has a receipt; `row` where it has one from before. */
interface Job {
  readonly id: string
  readonly committer: string
  readonly gasLimit: bigint
  readonly row?: CommitRow
}

type StepError = LedgerUnavailable | StorageUnavailable | LeaseElsewhere | LeaseLost

/** The steps, over the services of this process. */
export const makeCommitSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const outbox = yield* Outbox
  const committers = yield* makeCommitters
  const outcomes = yield* makeCommitOutcome

  const find = (commitId: string) =>
    Effect.map(sql<CommitRow>`SELECT * FROM commit_job WHERE id = ${commitId}`, (rows) => rows[0]).pipe(
      Effect.mapError((cause) => new StorageUnavailable({ doing: "looking up a commit", cause }))
    )

  /** The row of a job that is under way, as soon as the store answers: it is there, since jobs are never removed. */
  const rowOf = (commitId: string) =>
    find(commitId).pipe(
      Effect.retry(Schedule.spaced(STORE_PAUSE)),
      Effect.flatMap((row) =>
        row === undefined
          ? Effect.die(new Error(`The commit ${commitId} vanished from the store.`))
          : Effect.succeed(row)
      )
    )

  /** From a receipt to an entry, written down first; sent again when its block falls out of the chain before it is confirmed. */
  const conclude = Effect.fnUntraced(function* (
    network: LedgerNetwork,
    job: Job,
    assetCid: string,
    receipt: TransactionReceipt
  ): Effect.fn.Return<LedgerEntry, StepError> {
    if (network.confirmations > 1) {
      yield* outbox.persist(outcomes.inBlock(job.id, receipt))
      if (Option.isNone(yield* confirmed(network, receipt))) {
        yield* outbox.persist(outcomes.reorganised(job.id, receipt))
        return yield* sendAgain(yield* rowOf(job.id))
      }
    }
    const outcome = outcomeOf(network, job, assetCid, receipt)
    yield* outbox.persist(outcomes.conclude(job.id, outcome))
    if (outcome.entry !== undefined) return outcome.entry
    return yield* new LedgerUnavailable({ network: network.name, reason: outcome.error ?? "" })
  })

  const signAndSend = Effect.fnUntraced(function* (
    role: NetworkRole,
    { insert, terms, ...order }: ToSign,
    progress: Progress
  ) {
    const network = networks.role(role)
    const { address, walletIndex } = committers.of(order.assetCid)
    const receipt = yield* outbox
      .send({
        ...progress,
        table: "commit_job",
        id: order.commitId,
        network,
        walletIndex,
        to: network.contract,
        data: commitInput(order),
        value: 0n,
        terms,
        insert
      })
      .pipe(Effect.catchTag("TransactionLost", lost))
    const job = { id: order.commitId, committer: address, gasLimit: terms.gas }
    return yield* conclude(network, job, order.assetCid, receipt)
  })

  /** The entry of a job that has ended well; fails with what a job that ended otherwise says. */
  const outcome = (row: CommitRow): Effect.Effect<LedgerEntry, LedgerUnavailable> => {
    const network = networks.role(row.network)
    return row.state === "mined"
      ? Effect.succeed(entryOfRow(network, row))
      : Effect.fail(
          new LedgerUnavailable({ network: network.name, reason: row.error ?? "the commit was not recorded." })
        )
  }

  const sendAgain: (row: CommitRow) => Effect.Effect<LedgerEntry, StepError> = Effect.fnUntraced(function* (row) {
    if (row.state !== "signed" && row.state !== "sent") return yield* outcome(row)
    const network = networks.role(row.network)
    const committer = row.committer ?? ""
    const signed = signedOf(row, network, committers.indexOf(committer))
    const job = { id: row.id, committer, gasLimit: gasLimitOf(signed.raw), row }
    return yield* outbox.resume(signed).pipe(
      Effect.catchTag("TransactionLost", lost),
      Effect.flatMap((receipt) => conclude(network, job, row.asset_cid, receipt)),
      Effect.tapError((error) =>
        error._tag === "LedgerUnavailable" && gasPaidOf(row) !== undefined
          ? Effect.logError(
              `The commit ${row.id} was recorded and charged, and is not on the ledger: ${error.reason} ${LOST}`
            )
          : Effect.void
      )
    )
  })

  /** Goes on with a commit whose block fell out of the chain. */
  const again = (commitId: string, progress: Progress) => Effect.flatMap(rowOf(commitId), (row) => goOn(row, progress))

  const goOn = Effect.fn("CommitJobs.goOn")(function* (row: CommitRow, progress: Progress) {
    progress.begin()
    progress.onSigned(row.tx_hash ?? "")
    return yield* sendAgain(row)
  })

  /** Closes the hold of a commit that ended without it; tried until the store takes it. */
  const settle = (commitId: string) => outbox.persist(outcomes.settle(commitId))

  return { committers, find, signAndSend, outcome, goOn, again, settle }
})

const STORE_PAUSE = Duration.seconds(1)

const LOST = `What to do stands in docs/operations.md under "A charged commit is lost".`

const lost = ({ network, reason }: TransactionLost) => Effect.fail(new LedgerUnavailable({ network, reason }))

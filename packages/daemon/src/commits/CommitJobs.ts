/**
 * A commit as a durable job: one row of `commit_job` per commit id. `signed` (bytes stored) → `sent` (unless mined at once) →
 * `mined`, and back to `sent` should its block fall out of the chain; or `refused` (never taken), `reverted`, `displaced`. Whoever asks
 * with the same id gets the same entry. The end of a job and that of its hold are one transaction (CommitTransitions), whoever waits for
 * it. Daemons that share a database make commits with `SharedCommitJobs`.
 */
import {
  CommitPending,
  type LedgerEntry,
  LedgerUnavailable,
  type NetworkRole,
  StorageUnavailable
} from "@treemark/core"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { awaitFees, type Terms, waitingReason } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { type Signed, unlessElsewhere } from "../evm/OutboxTransaction.ts"
import { type CommitOrder, type CommitRow, newColumns, signedColumns } from "./CommitRow.ts"
import { makeCommitSteps } from "./CommitSteps.ts"
import { CommitTerms } from "./CommitTerms.ts"
import { makeReorgWatch } from "./ReorgWatch.ts"
import { makeRunning, type Progress } from "./Running.ts"

export type { CommitOrder } from "./CommitRow.ts"

export interface CommitJobsOptions {
  /** How long `record` waits for the ledger; 30 s by default. */
  readonly deadline?: Duration.Duration
}

export class CommitJobs extends Context.Service<
  CommitJobs,
  {
    /** As core's `Ledger.record`. */
    readonly record: (
      role: NetworkRole,
      order: CommitOrder
    ) => Effect.Effect<LedgerEntry, LedgerUnavailable | CommitPending | StorageUnavailable>
  }
>()("@treemark/daemon/commits/CommitJobs") {
  /** Goes on with every unfinished job at once, in the background. */
  static readonly layer = (options: CommitJobsOptions = {}) => Layer.effect(CommitJobs, make(options))
}

type JobError = LedgerUnavailable | StorageUnavailable

const make = Effect.fnUntraced(function* (options: CommitJobsOptions) {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const terms = yield* CommitTerms
  const steps = yield* makeCommitSteps
  const reorgs = yield* makeReorgWatch
  const deadline = options.deadline ?? Duration.seconds(30)
  const running = yield* makeRunning<LedgerEntry, JobError>()
  const settle = () => Effect.void

  /**
   * A refused commit was never taken by a node, so the same id may be tried anew; its row is written over (`isAgain`). What was held for
   * it may have been given back meanwhile, by an earlier call that failed while the store was away: then there is no money behind it.
   */
  const insert = Effect.fnUntraced(function* (
    role: NetworkRole,
    order: CommitOrder,
    isAgain: boolean,
    signed: Signed,
    at: number
  ) {
    const held = yield* sql`SELECT id FROM hold WHERE id = ${order.holdId} AND state = 'held'`
    if (held.length === 0) {
      return yield* new LedgerUnavailable({
        network: signed.network.name,
        reason:
          "the money held for the commit had been given back, after an earlier call for it failed. Nothing was sent."
      })
    }
    const lane = { chainId: signed.network.chainId, address: signed.address }
    const row = { ...newColumns(role, order, lane, at), ...signedColumns(signed) }
    if (isAgain) yield* sql`DELETE FROM commit_job WHERE id = ${order.commitId} AND state = 'refused'`
    yield* sql`INSERT INTO commit_job ${sql.insert(row)}`
  })

  /** Waits first, with nothing signed and no nonce taken, while gas costs more than the operator allows. */
  const sign = Effect.fnUntraced(function* (
    role: NetworkRole,
    order: CommitOrder,
    isAgain: boolean,
    progress: Progress,
    onTerms: (terms: Terms) => void
  ) {
    const quoted = yield* terms.of(role, order)
    onTerms(quoted)
    yield* awaitFees(networks.role(role), quoted, Effect.sync(progress.isWanted))
    const toSign = {
      ...order,
      terms: quoted,
      insert: (signed: Signed, at: number) => insert(role, order, isAgain, signed, at)
    }
    return yield* unlessElsewhere(networks.role(role).name)(steps.signAndSend(role, toSign, progress))
  })

  const goOn = (row: CommitRow, progress: Progress) =>
    unlessElsewhere(networks.role(row.network).name)(steps.goOn(row, progress))

  const again = (network: LedgerNetwork) => (commitIds: ReadonlyArray<string>) =>
    Effect.forEach(
      commitIds,
      (id) =>
        running.detach(id, {
          run: (progress) => unlessElsewhere(network.name)(steps.again(id, progress)),
          settle
        }),
      { discard: true }
    )

  const record = Effect.fn("CommitJobs.record")(function* (role: NetworkRole, order: CommitOrder) {
    const network = networks.role(role)
    let quoted: Terms | undefined
    const onTerms = (found: Terms) => {
      quoted = found
    }
    const run = (progress: Progress) =>
      Effect.flatMap(steps.find(order.commitId), (row) =>
        row === undefined || row.state === "refused"
          ? sign(role, order, row !== undefined, progress, onTerms)
          : goOn(row, progress)
      )
    const late: Effect.Effect<never, CommitPending | LedgerUnavailable> = Effect.suspend(() =>
      quoted === undefined ? Effect.succeed(undefined) : waitingReason(network, quoted)
    ).pipe(Effect.flatMap((reason) => withdrawn(network.name, deadline, reason)))
    return yield* running.attend(order.commitId, deadline, { run, settle }).pipe(
      Effect.catchTag("Late", ({ txHash }) =>
        Option.match(txHash, {
          onSome: (hash): typeof late => Effect.fail(new CommitPending({ commitId: order.commitId, txHash: hash })),
          onNone: () => late
        })
      )
    )
  })

  // The states of the index commit_job_open, word for word, so that it is used.
  const unfinished =
    yield* sql<CommitRow>`SELECT * FROM commit_job WHERE state IN ('queued', 'signed', 'sent') AND state <> 'queued'
      UNION SELECT j.* FROM hold h JOIN commit_job j ON j.hold_id = h.id WHERE h.state = 'held' ORDER BY chain_id, nonce`.pipe(
      Effect.mapError((cause) => new StorageUnavailable({ doing: "reading the unfinished commits", cause }))
    )
  for (const row of unfinished) {
    if (networks.role(row.network).chainId === Number(row.chain_id)) {
      const isOpen = row.state === "signed" || row.state === "sent"
      if (isOpen) yield* running.detach(row.id, { run: (progress) => goOn(row, progress), settle })
      else yield* steps.settle(row.id)
    } else {
      yield* Effect.logWarning(
        `Commit ${row.id} was sent to chain ${row.chain_id}, which the profile "${networks.profile}" does not have; it waits until a profile that has it is started.`
      )
    }
  }
  for (const network of networksOnce(networks)) {
    yield* Effect.forkScoped(reorgs.watch(network, "any", Effect.void, again(network)))
  }
  return CommitJobs.of({ record })
})

/** The chains of the profile; both roles may be on one. */
export const networksOnce = ({ role }: Networks["Service"]): ReadonlyArray<LedgerNetwork> => {
  const [mainnet, testnet] = [role("mainnet"), role("testnet")]
  return mainnet.chainId === testnet.chainId ? [mainnet] : [mainnet, testnet]
}

/** Nothing was signed before the deadline, and nothing will be. */
export const withdrawn = (network: string, deadline: Duration.Duration, why?: string) =>
  new LedgerUnavailable({
    network,
    reason: `the commit could not be sent within ${Duration.format(deadline)} and was withdrawn${why === undefined ? "." : `: ${why}`}`
  })

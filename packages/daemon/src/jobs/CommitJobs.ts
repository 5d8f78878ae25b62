/**
 * A commit as a durable job: one row of `commit_job` per commit id. `signed` (bytes stored) → `sent` (unless mined at once) →
 * `mined`; or `refused` (never taken), `reverted`, `displaced`. Whoever asks with the same id gets the same entry. A job that
 * nobody waited for to the end, and every unfinished one after a restart, settles its hold by itself: captured when mined,
 * released otherwise.
 */
import {
  CommitPending,
  type LedgerEntry,
  LedgerUnavailable,
  type NetworkRole,
  parseCid,
  StorageUnavailable
} from "@treemark/core"
import { Context, Duration, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Hex, TransactionReceipt } from "viem"
import { bytesToHex } from "viem"
import { CommitTerms, commitInput } from "../ledger/CommitTerms.ts"
import { type LedgerNetwork, Networks } from "../ledger/Networks.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { type CommitRow, entryOfReceipt, entryOfRow, minedColumns } from "./CommitRow.ts"
import { CommitSettlement } from "./CommitSettlement.ts"
import { Outbox, type Signed, type TransactionLost } from "./Outbox.ts"
import { makeRunning, type Progress } from "./Running.ts"

/** What core's `Ledger.record` is given. */
export interface CommitOrder {
  readonly commitId: string
  readonly holdId: string
  readonly accountId: string
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly commitData: string
}

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
>()("@treemark/daemon/jobs/CommitJobs") {
  /** Goes on with every unfinished job at once, in the background. */
  static readonly layer = (options: CommitJobsOptions = {}) => Layer.effect(CommitJobs, make(options))
}

type JobError = LedgerUnavailable | StorageUnavailable

const make = Effect.fnUntraced(function* (options: CommitJobsOptions) {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const terms = yield* CommitTerms
  const outbox = yield* Outbox
  const settlement = yield* CommitSettlement
  const committer = (yield* HdWallets).address(SERVICE_WALLET)
  const deadline = options.deadline ?? Duration.seconds(30)
  const running = yield* makeRunning<LedgerEntry, JobError>()
  const settle = (holdId: string) => (exit: Exit.Exit<LedgerEntry, JobError>) =>
    settlement.settle(holdId, Exit.isSuccess(exit) ? Option.some(exit.value.gasPaid) : Option.none())

  const find = (commitId: string) =>
    Effect.map(sql<CommitRow>`SELECT * FROM commit_job WHERE id = ${commitId}`, (rows) => rows[0]).pipe(
      Effect.mapError((cause) => new StorageUnavailable({ doing: "looking up a commit", cause }))
    )

  /** From a receipt to an entry, written down first. */
  const conclude = Effect.fnUntraced(function* (network: LedgerNetwork, job: Finished, receipt: TransactionReceipt) {
    const entry = entryOfReceipt(network, committer, job.assetCid, receipt)
    const columns = minedColumns(receipt, entry)
    yield* outbox.persist(sql`UPDATE commit_job SET ${sql.update({ ...columns })} WHERE id = ${job.id}`)
    if (entry !== undefined) return entry
    return yield* new LedgerUnavailable({ network: network.name, reason: columns.error ?? "" })
  })

  const signAndSend = Effect.fn("CommitJobs.signAndSend")(function* (
    role: NetworkRole,
    order: CommitOrder,
    progress: Progress
  ) {
    const network = networks.role(role)
    const receipt = yield* outbox
      .send({
        ...progress,
        table: "commit_job",
        id: order.commitId,
        network,
        walletIndex: SERVICE_WALLET,
        to: network.contract,
        data: commitInput(order),
        value: 0n,
        terms: yield* terms.of(role, order),
        insert: (signed, at) => insert(role, order, signed, at)
      })
      .pipe(Effect.catchTag("TransactionLost", lost))
    return yield* conclude(network, { id: order.commitId, assetCid: order.assetCid }, receipt)
  })

  /** A refused commit was never taken by a node, so the same id may be tried anew; its row is written over. */
  const insert = (role: NetworkRole, order: CommitOrder, signed: Signed, at: number) => {
    const row = {
      id: order.commitId,
      account_id: order.accountId,
      network: role,
      chain_id: signed.network.chainId,
      asset_cid: order.assetCid,
      asset_tree_cid: order.assetTreeCid,
      tree_sha256: sha256Of(order.assetTreeCid),
      commit_json: order.commitData,
      state: "signed",
      hold_id: order.holdId,
      committer: signed.address,
      nonce: signed.nonce,
      raw_tx: signed.raw,
      tx_hash: signed.hash,
      error: null,
      created_at: at,
      updated_at: at
    }
    return Effect.andThen(
      sql`DELETE FROM commit_job WHERE id = ${order.commitId} AND state = 'refused'`,
      sql`INSERT INTO commit_job ${sql.insert(row)}`
    )
  }

  const goOn = Effect.fn("CommitJobs.goOn")(function* (row: CommitRow, progress: Progress) {
    const network = networks.role(row.network)
    progress.begin()
    progress.onSigned(row.tx_hash ?? "")
    if (row.state === "mined") return entryOfRow(network, row)
    if (row.state !== "signed" && row.state !== "sent") {
      return yield* new LedgerUnavailable({
        network: network.name,
        reason: row.error ?? "the commit was not recorded."
      })
    }
    const receipt = yield* outbox.resume(signedOf(row, network)).pipe(Effect.catchTag("TransactionLost", lost))
    return yield* conclude(network, { id: row.id, assetCid: row.asset_cid }, receipt)
  })

  const record = Effect.fn("CommitJobs.record")(function* (role: NetworkRole, order: CommitOrder) {
    const run = (progress: Progress) =>
      Effect.flatMap(find(order.commitId), (row) =>
        row === undefined || row.state === "refused" ? signAndSend(role, order, progress) : goOn(row, progress)
      )
    return yield* running.attend(order.commitId, deadline, { run, settle: settle(order.holdId) }).pipe(
      Effect.catchTag("Late", ({ txHash }) =>
        Effect.fail(
          Option.match(txHash, {
            onSome: (hash) => new CommitPending({ commitId: order.commitId, txHash: hash }),
            onNone: () =>
              new LedgerUnavailable({
                network: networks.role(role).name,
                reason: `the commit could not be sent within ${Duration.format(deadline)} and was withdrawn.`
              })
          })
        )
      )
    )
  })

  const unfinished =
    yield* sql<CommitRow>`SELECT commit_job.* FROM commit_job LEFT JOIN hold ON hold.id = commit_job.hold_id
    WHERE commit_job.state IN ('signed', 'sent') OR hold.state = 'held' ORDER BY commit_job.chain_id, commit_job.nonce`.pipe(
      Effect.mapError((cause) => new StorageUnavailable({ doing: "reading the unfinished commits", cause }))
    )
  for (const row of unfinished) {
    if (networks.role(row.network).chainId === Number(row.chain_id)) {
      yield* running.detach(row.id, { run: (progress) => goOn(row, progress), settle: settle(row.hold_id ?? "") })
    } else {
      yield* Effect.logWarning(
        `Commit ${row.id} was sent to chain ${row.chain_id}, which the profile "${networks.profile}" does not have; it waits until a profile that has it is started.`
      )
    }
  }
  return CommitJobs.of({ record })
})

interface Finished {
  readonly id: string
  readonly assetCid: string
}

const lost = ({ network, reason }: TransactionLost) => Effect.fail(new LedgerUnavailable({ network, reason }))

const signedOf = (row: CommitRow, network: LedgerNetwork): Signed => ({
  table: "commit_job",
  id: row.id,
  network,
  address: row.committer ?? "",
  nonce: Number(row.nonce),
  raw: (row.raw_tx ?? "") as Hex,
  hash: (row.tx_hash ?? "") as Hex
})

const sha256Of = (treeCid: string): string => {
  const parsed = parseCid(treeCid)
  if (parsed === undefined) throw new RangeError(`An asset tree's name is a CID; here it is "${treeCid}".`)
  return bytesToHex(parsed.digest).slice(2)
}

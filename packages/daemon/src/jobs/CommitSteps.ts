/**
 * The steps of a commit's job, whoever takes them: sign and send, go on with what was signed, write down what became of it. They hold
 * no state of their own; the row of `commit_job` does.
 */
import { type LedgerEntry, LedgerUnavailable, type NetworkRole, StorageUnavailable } from "@treemark/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TransactionReceipt } from "viem"
import { type CommitContent, commitInput } from "../ledger/CommitTerms.ts"
import type { Terms } from "../ledger/Fees.ts"
import { type LedgerNetwork, Networks } from "../ledger/Networks.ts"
import { HdWallets, SERVICE_WALLET } from "../wallets/HdWallets.ts"
import { type CommitRow, entryOfReceipt, entryOfRow, minedColumns, signedOf } from "./CommitRow.ts"
import { Outbox } from "./Outbox.ts"
import type { TransactionLost, Wanted } from "./OutboxTransaction.ts"
import type { Progress } from "./Running.ts"

/** A commit to sign: its id, what goes on the ledger, and on which terms. */
export interface ToSign extends CommitContent {
  readonly commitId: string
  readonly terms: Terms
  /** Writes the row, as {@link Wanted} has it. */
  readonly insert: Wanted["insert"]
}

/** The steps, over the services of this process. */
export const makeCommitSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const outbox = yield* Outbox
  const committer = (yield* HdWallets).address(SERVICE_WALLET)

  const find = (commitId: string) =>
    Effect.map(sql<CommitRow>`SELECT * FROM commit_job WHERE id = ${commitId}`, (rows) => rows[0]).pipe(
      Effect.mapError((cause) => new StorageUnavailable({ doing: "looking up a commit", cause }))
    )

  /** From a receipt to an entry, written down first. */
  const conclude = Effect.fnUntraced(function* (
    network: LedgerNetwork,
    job: { readonly id: string; readonly assetCid: string },
    receipt: TransactionReceipt
  ) {
    const entry = entryOfReceipt(network, committer, job.assetCid, receipt)
    const columns = minedColumns(receipt, entry)
    yield* outbox.persist(sql`UPDATE commit_job SET ${sql.update({ ...columns })} WHERE id = ${job.id}`)
    if (entry !== undefined) return entry
    return yield* new LedgerUnavailable({ network: network.name, reason: columns.error ?? "" })
  })

  const signAndSend = Effect.fn("CommitJobs.signAndSend")(function* (
    role: NetworkRole,
    { insert, terms, ...order }: ToSign,
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
        terms,
        insert
      })
      .pipe(Effect.catchTag("TransactionLost", lost))
    return yield* conclude(network, { id: order.commitId, assetCid: order.assetCid }, receipt)
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

  const goOn = Effect.fn("CommitJobs.goOn")(function* (row: CommitRow, progress: Progress) {
    const network = networks.role(row.network)
    progress.begin()
    progress.onSigned(row.tx_hash ?? "")
    if (row.state !== "signed" && row.state !== "sent") return yield* outcome(row)
    const receipt = yield* outbox.resume(signedOf(row, network)).pipe(Effect.catchTag("TransactionLost", lost))
    return yield* conclude(network, { id: row.id, assetCid: row.asset_cid }, receipt)
  })

  return { committer, find, signAndSend, outcome, goOn }
})

const lost = ({ network, reason }: TransactionLost) => Effect.fail(new LedgerUnavailable({ network, reason }))

/**
 * The transaction that begins a commit: its money is set aside, its key and its act are claimed, its tree is kept, its nonce is taken, and
 * what is signed with it is stored. Without a seat at the wallet it is queued, for whoever signs for it. Refusals are values: they are
 * found before anything is written, and harm nobody who shares the COMMIT.
 */
import {
  type CommitPlan,
  type CommitWork,
  ContentStore,
  type IdempotencyKeyInUse,
  type InsufficientFunds,
  type SpendingLimitReached
} from "@treemark/core"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeKeys } from "../books/Keys.ts"
import { makePlacing } from "../books/Placing.ts"
import type { WalletReading } from "../books/WalletDebt.ts"
import { TreesInStore } from "../content/TreeTable.ts"
import { commitInput } from "../evm/CommitContract.ts"
import type { Terms } from "../evm/Fees.ts"
import { Networks } from "../evm/Networks.ts"
import { Outbox, type Seat } from "../evm/Outbox.ts"
import type { Signed } from "../evm/OutboxTransaction.ts"
import { databaseNow } from "../store/Replica.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { claimAct } from "./ActsSql.ts"
import { addEvent } from "./CommitHistory.ts"
import { makeCommitJob } from "./CommitJob.ts"
import { newColumns, signedColumns, termsColumns } from "./CommitRow.ts"

/** How a commit is to be begun. */
export interface Beginning {
  readonly plan: CommitPlan
  readonly terms: Terms
  readonly seat: Seat | undefined
  /** What the caller's wallet holds, if that was asked for. */
  readonly reading: WalletReading | undefined
  /** For how long it is wanted while nothing is signed, in milliseconds. */
  readonly patience: number
}

export type Begun =
  | { readonly _tag: "begun"; readonly work: CommitWork; readonly signed: Signed | undefined }
  | { readonly _tag: "ask" }
  | { readonly _tag: "act-taken" }
  | { readonly _tag: "refused"; readonly why: InsufficientFunds | SpendingLimitReached | IdempotencyKeyInUse }

export const makeBeginCommit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const outbox = yield* Outbox
  const contents = yield* ContentStore
  const committers = yield* makeCommitters
  const placing = yield* makePlacing
  const keys = yield* makeKeys
  const jobOf = yield* makeCommitJob
  const inStore = Effect.provideService(SqlClient.SqlClient, sql)

  const begin = Effect.fn("BeginCommit")(function* ({ patience, plan, reading, seat, terms }: Beginning) {
    const { actSignature, call, caller, tree } = plan
    const network = networks.role(plan.network)
    const { address, walletIndex } = committers.of(plan.assetCid)
    const wanted = {
      caller,
      operation: "commit",
      reference: call.id,
      ...plan.terms,
      priceVersion: plan.priceListVersion,
      isNew: call.isNew
    } as const

    const source = yield* placing.find(wanted, reading)
    if (source._tag === "ask") return { _tag: "ask" } as Begun
    if (source._tag === "refused") return { _tag: "refused", why: source.why } as Begun
    const at = yield* Clock.currentTimeMillis
    const inUse = yield* keys.claim(call, at)
    if (inUse !== undefined) return { _tag: "refused", why: inUse } as Begun
    if (actSignature !== undefined && !(yield* claimAct(sql, network.chainId, actSignature, call.id))) {
      return { _tag: "act-taken" } as Begun
    }
    const hold = source._tag === "held" ? source.hold : yield* placing.write(wanted, source, at)
    if (yield* TreesInStore) yield* contents.put(tree.cid, tree.bytes)

    const signing = {
      job: jobOf(call.id),
      network,
      walletIndex,
      to: network.contract,
      data: commitInput(plan),
      value: 0n,
      terms
    }
    const signed = seat === undefined ? undefined : yield* outbox.sign(seat, signing)
    const columns = newColumns(plan, { chainId: network.chainId, address }, hold.id, at)
    const rest = signed === undefined ? { state: "queued", ...termsColumns(terms) } : signedColumns(signed)
    if (!call.isNew) yield* sql`DELETE FROM commit_job WHERE id = ${call.id} AND state = 'refused'`
    yield* sql`INSERT INTO commit_job ${sql.insert({ ...columns, ...rest })}`
    if (signed === undefined) {
      yield* sql`UPDATE commit_job SET wanted_until = ${databaseNow(sql)} + CAST(${Math.round(patience)} AS BIGINT)
        WHERE id = ${call.id}`
    }
    if (signed === undefined) yield* inStore(addEvent(call.id, at, { what: "queued" }))
    else if (!call.isNew) yield* inStore(addEvent(call.id, at, { what: "signed", txHash: signed.hash }))
    const { assetCid, commitData } = plan
    const work: CommitWork = {
      commitId: call.id,
      network: plan.network,
      assetCid,
      assetTreeCid: tree.cid,
      commitData,
      transaction: signed === undefined ? undefined : { ...signed, from: address }
    }
    return { _tag: "begun", work, signed } as Begun
  }, sql.withTransaction)

  /** Where trees are not rows of the store, they are kept before. */
  const keepElsewhere = Effect.fnUntraced(function* ({ tree }: CommitPlan) {
    if (!(yield* TreesInStore)) yield* contents.put(tree.cid, tree.bytes)
  })

  return { begin, keepElsewhere, readWallet: placing.readWallet }
})

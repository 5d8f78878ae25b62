/**
 * Core's `Ledger.carry` on an EVM chain: signs what waits, sends what is signed, and watches it until the ledger has it for good. A daemon
 * that loses the wallet stops without a word: its successor carries the commit, and the row tells how that ended.
 */
import { type CommitOutcome, type CommitWork, LedgerUnavailable, type StorageUnavailable } from "@treemark/core"
import { Duration, Effect, Option, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { Hex, TransactionReceipt } from "viem"
import { commitInput } from "../evm/CommitContract.ts"
import { confirmed } from "../evm/Confirmations.ts"
import { awaitFees } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { Outbox, type Seat } from "../evm/Outbox.ts"
import type { Signed } from "../evm/OutboxTransaction.ts"
import { gasLimitOf } from "../evm/Variants.ts"
import { storing } from "../store/StorageFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { makeCommitJob } from "./CommitJob.ts"
import { outcomeOf, signedColumns, termsOf, workOf } from "./CommitRow.ts"
import { makeCommitRows } from "./CommitRows.ts"
import { makeCommitTransitions } from "./CommitTransitions.ts"

const STORE_PAUSE = Duration.seconds(1)

const UNWANTED = "the commit was no longer wanted when its turn came."

export const makeCarryCommit = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const outbox = yield* Outbox
  const committers = yield* makeCommitters
  const rows = yield* makeCommitRows
  const { tell } = yield* makeCommitTransitions
  const jobOf = yield* makeCommitJob

  const failed = (network: LedgerNetwork, reason: string) => new LedgerUnavailable({ network: network.name, reason })

  const signedOf = ({ commitId, network, transaction }: CommitWork): Signed | undefined =>
    transaction && {
      job: jobOf(commitId),
      network: networks.role(network),
      address: transaction.from,
      nonce: transaction.nonce,
      raw: transaction.raw as Hex,
      hash: transaction.hash as Hex,
      walletIndex: committers.indexOf(transaction.from)
    }

  /** Takes back what nothing was signed for. */
  const withdraw = (commitId: string, reason: string) => {
    const history = { what: "refused", detail: reason } as const
    return sql.withTransaction(tell(commitId, { _tag: "withdraw" }, { columns: { error: reason }, history }))
  }

  /** One transaction, if the commit is still wanted. */
  const signUnder = Effect.fnUntraced(function* (
    seat: Seat,
    work: CommitWork,
    wanted: Parameters<typeof outbox.sign>[1]
  ) {
    if (!(yield* rows.isWanted(work.commitId))) return undefined
    const signed = yield* outbox.sign(seat, wanted)
    const history = { what: "signed", txHash: signed.hash } as const
    const { state } = yield* tell(work.commitId, { _tag: "sign" }, { columns: signedColumns(signed), history })
    return state._tag === "signed" ? signed : yield* failed(wanted.network, UNWANTED)
  }, sql.withTransaction)

  /** While gas costs more than the operator allows it waits, for as long as somebody waits for it, with no nonce taken. */
  const sign = Effect.fnUntraced(function* (work: CommitWork) {
    const network = networks.role(work.network)
    const row = yield* rows.find(work.commitId)
    if (row === undefined) return yield* Effect.die(new Error(`The commit ${work.commitId} vanished from the store.`))
    const terms = termsOf(row)
    yield* awaitFees(
      network,
      terms,
      Effect.orElseSucceed(rows.isWanted(work.commitId), () => true)
    )
    const { walletIndex } = committers.of(work.assetCid)
    return yield* outbox.withSeat(
      network,
      walletIndex,
      Effect.fnUntraced(function* (seat) {
        const to = network.contract
        const wanted = {
          job: jobOf(work.commitId),
          network,
          walletIndex,
          to,
          data: commitInput(work),
          value: 0n,
          terms
        }
        const signed = yield* signUnder(seat, work, wanted).pipe(storing("storing a signed transaction"))
        if (signed === undefined) return yield* failed(network, UNWANTED)
        return { signed, receipt: yield* outbox.follow(signed, seat) }
      })
    )
  })

  const unsigned = (work: CommitWork) =>
    Effect.tapError(sign(work), (error) =>
      error._tag === "LedgerUnavailable" ? outbox.persist(withdraw(work.commitId, error.reason)) : Effect.void
    )

  /** The row of a job that is under way, as soon as the store answers. */
  const again = (commitId: string) =>
    rows.find(commitId).pipe(
      Effect.retry(Schedule.spaced(STORE_PAUSE)),
      Effect.flatMap((row) =>
        row === undefined
          ? Effect.die(new Error(`The commit ${commitId} vanished from the store.`))
          : Effect.succeed(workOf(row))
      )
    )

  const inBlock = (commitId: string, { blockHash, blockNumber, transactionHash }: TransactionReceipt) => {
    const place = { blockNumber: Number(blockNumber), blockHash }
    const history = { what: "in_block", txHash: transactionHash, ...place } as const
    return sql.withTransaction(tell(commitId, { _tag: "included", place }, { history }))
  }

  /** Its block fell out of the chain: it is under way again, with the money that was taken for it, if any was. */
  const fellOut = (commitId: string, block: { readonly blockHash: string; readonly blockNumber: bigint }) => {
    const place = { blockNumber: Number(block.blockNumber), blockHash: block.blockHash }
    const detail = "The chain has another block at that height now; the same bytes are sent again."
    const history = { what: "reorganised", ...place, detail } as const
    return sql.withTransaction(tell(commitId, { _tag: "fell_out", place }, { history }))
  }

  type CarryError = LedgerUnavailable | StorageUnavailable

  const carry = Effect.fn("Ledger.carry")(
    function* (work: CommitWork) {
      const network = networks.role(work.network)
      const stored = signedOf(work)
      const { receipt, signed } =
        stored === undefined ? yield* unsigned(work) : { signed: stored, receipt: yield* outbox.follow(stored) }
      if (network.confirmations > 1) {
        yield* outbox.persist(inBlock(work.commitId, receipt))
        if (Option.isNone(yield* confirmed(network, receipt))) {
          yield* outbox.persist(fellOut(work.commitId, receipt))
          return yield* carryAgain(work.commitId)
        }
      }
      return outcomeOf(network, work.assetCid, gasLimitOf(signed.raw), receipt)
    },
    Effect.catchTags({
      TransactionLost: ({ network, reason }) => Effect.fail(new LedgerUnavailable({ network, reason })),
      LeaseElsewhere: () => Effect.interrupt,
      LeaseLost: () => Effect.interrupt
    })
  )

  const carryAgain = (commitId: string): Effect.Effect<CommitOutcome, CarryError> =>
    Effect.flatMap(again(commitId), carry)

  return { carry, fellOut, withdraw }
})

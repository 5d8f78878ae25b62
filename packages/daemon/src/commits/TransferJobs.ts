/**
 * The books' `Transfers`: native tokens moved from our own wallets, durable the way commits are. `reference` names the transfer for
 * ever, and the same reference never moves tokens twice. Amounts are 10^-18 (wei).
 */
import { amount, formatTokens, LedgerUnavailable, type NetworkRole, type StorageUnavailable } from "@treemark/core"
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Hex, TransactionReceipt } from "viem"
import { TransferPending, TransferRefused, Transfers } from "../books/Transfers.ts"
import { aboveCap, feesNow, termsFor, withMargin } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { Outbox, type Seat } from "../evm/Outbox.ts"
import { type Job, type Signed, type TransactionLost, unlessElsewhere } from "../evm/OutboxTransaction.ts"
import { ask, ledgerUnavailable } from "../evm/RpcFailure.ts"
import { storing } from "../store/StorageFailure.ts"
import { HdWallets } from "../wallets/HdWallets.ts"
import { makeRunning, type Progress } from "./Running.ts"

type TransferOrder = Parameters<Transfers["Service"]["send"]>[0]
type Transfer = Effect.Success<ReturnType<Transfers["Service"]["send"]>>
type JobError = LedgerUnavailable | StorageUnavailable | TransferRefused

export interface TransferJobsOptions {
  /** How long `send` waits for the ledger; 30 s by default. */
  readonly deadline?: Duration.Duration
}

interface TransferRow {
  readonly id: string
  readonly network: NetworkRole
  readonly chain_id: number | bigint
  readonly sender: string
  readonly state: string
  readonly nonce: number | bigint | null
  readonly raw_tx: string | null
  readonly tx_hash: string | null
  readonly gas_used: string | null
  readonly gas_price: string | null
  readonly error: string | null
}

/** Goes on with every unfinished transfer at once, in the background. */
export const layer = (options: TransferJobsOptions = {}) => Layer.effect(Transfers, make(options))

const make = Effect.fnUntraced(function* (options: TransferJobsOptions) {
  const sql = yield* SqlClient.SqlClient
  const networks = yield* Networks
  const outbox = yield* Outbox
  const wallets = yield* HdWallets
  const deadline = options.deadline ?? Duration.seconds(30)
  const running = yield* makeRunning<Transfer, JobError>()
  const settle = () => Effect.void

  /** Today's terms, if the wallet can pay the value and them. */
  const termsOf = Effect.fn("TransferJobs.termsOf")(
    function* (network: LedgerNetwork, { fromWalletIndex, reference, to, value }: TransferOrder) {
      const account = wallets.address(fromWalletIndex) as Hex
      const [fees, funds] = yield* Effect.all(
        [feesNow(network), ask(network, () => network.client.getBalance({ address: account }))],
        { concurrency: "unbounded" }
      )
      const above = aboveCap(network, fees)
      if (above !== undefined) return yield* above
      const short = (needed: string) => {
        const reason = `the wallet ${account} holds ${formatTokens(funds)}, and ${needed} are needed.`
        return new TransferRefused({ reference, reason })
      }
      if (funds <= value) return yield* short(`${formatTokens(value)} and the gas`)
      const gas = yield* ask(network, () => network.client.estimateGas({ account, to: to as Hex, value }))
      const terms = termsFor(withMargin(gas), fees)
      if (funds >= value + terms.ceiling) return terms
      return yield* short(`${formatTokens(value)} and up to ${formatTokens(terms.ceiling)} of gas`)
    },
    Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
  )

  const conclude = Effect.fnUntraced(function* (id: string, receipt: TransactionReceipt) {
    const hasMoved = receipt.status === "success"
    const error = hasMoved
      ? null
      : `transaction ${receipt.transactionHash} was reverted: the recipient refused the tokens.`
    const columns = {
      state: hasMoved ? "mined" : "reverted",
      block_number: Number(receipt.blockNumber),
      block_hash: receipt.blockHash,
      gas_used: receipt.gasUsed.toString(),
      gas_price: receipt.effectiveGasPrice.toString(),
      error
    }
    yield* outbox.persist(sql`UPDATE transfer_job SET ${sql.update(columns)} WHERE id = ${id}`)
    if (error !== null) return yield* new TransferRefused({ reference: id, reason: error })
    const gasPaid = amount(receipt.gasUsed * receipt.effectiveGasPrice)
    return { txHash: receipt.transactionHash, gasPaid } satisfies Transfer
  })

  const insert = (order: TransferOrder, signed: Signed, at: number) => {
    const row = {
      id: order.reference,
      network: order.role,
      chain_id: signed.network.chainId,
      sender: signed.address,
      recipient: order.to,
      value: order.value.toString(),
      state: "signed",
      nonce: signed.nonce,
      raw_tx: signed.raw,
      tx_hash: signed.hash,
      created_at: at,
      updated_at: at
    }
    return Effect.andThen(
      sql`DELETE FROM transfer_job WHERE id = ${order.reference} AND state = 'refused'`,
      sql`INSERT INTO transfer_job ${sql.insert(row)}`
    )
  }

  /** A transfer that has ended is not written over. It is never replaced: what it may cost is left in the wallet, and no more. */
  const jobOf = (id: string): Job => ({
    id,
    sent: () =>
      Effect.flatMap(
        Clock.currentTimeMillis,
        (updated_at) =>
          sql`UPDATE transfer_job SET ${sql.update({ state: "sent", updated_at })} WHERE id = ${id} AND state = 'signed'`
      ),
    lost: Effect.fnUntraced(function* (state, _, error) {
      const noMore = state === "refused" ? { nonce: null, raw_tx: null, tx_hash: null } : {}
      const columns = { ...noMore, error, state, updated_at: yield* Clock.currentTimeMillis }
      const ended = yield* sql`UPDATE transfer_job SET ${sql.update(columns)}
        WHERE id = ${id} AND state IN ('signed', 'sent') RETURNING id`
      return ended.length > 0
    })
  })

  const signAndSend = Effect.fn("TransferJobs.signAndSend")(function* (order: TransferOrder, progress: Progress) {
    const { fromWalletIndex: walletIndex, reference, role, to, value } = order
    const network = networks.role(role)
    const terms = yield* termsOf(network, order)
    const wanted = { job: jobOf(reference), network, walletIndex, to, data: "0x", value, terms } as const
    const begin = Effect.fnUntraced(function* (seat: Seat) {
      const signed = yield* outbox.sign(seat, wanted)
      yield* insert(order, signed, yield* Clock.currentTimeMillis)
      return signed
    }, sql.withTransaction)
    const receipt = yield* outbox
      .withSeat(
        network,
        walletIndex,
        Effect.fnUntraced(function* (seat) {
          if (!progress.begin()) {
            const reason = "there was no room to send it in time."
            return yield* new LedgerUnavailable({ network: network.name, reason })
          }
          const signed = yield* begin(seat).pipe(storing("storing a signed transaction"))
          progress.onSigned(signed.hash)
          return yield* outbox.follow(signed, seat)
        })
      )
      .pipe(Effect.catchTag("TransactionLost", lost(reference)), unlessElsewhere(network.name))
    return yield* conclude(reference, receipt)
  })

  const signedOf = (row: TransferRow, network: LedgerNetwork): Signed => ({
    job: jobOf(row.id),
    network,
    address: row.sender,
    nonce: Number(row.nonce),
    raw: (row.raw_tx ?? "") as Hex,
    hash: (row.tx_hash ?? "") as Hex,
    walletIndex: undefined
  })

  const goOn = Effect.fn("TransferJobs.goOn")(function* (row: TransferRow, progress: Progress) {
    const network = networks.role(row.network)
    progress.begin()
    progress.onSigned(row.tx_hash ?? "")
    if (row.state === "mined") return transferOf(row)
    if (row.state !== "signed" && row.state !== "sent") {
      return yield* new TransferRefused({ reference: row.id, reason: row.error ?? "it was not made." })
    }
    const receipt = yield* outbox
      .follow(signedOf(row, network))
      .pipe(Effect.catchTag("TransactionLost", lost(row.id)), unlessElsewhere(network.name))
    return yield* conclude(row.id, receipt)
  })

  const send = Effect.fn("TransferJobs.send")(function* (order: TransferOrder) {
    const { reference } = order
    const run = (progress: Progress) =>
      sql<TransferRow>`SELECT * FROM transfer_job WHERE id = ${reference}`.pipe(
        storing("looking up a transfer"),
        Effect.flatMap(([row]) =>
          row === undefined || row.state === "refused" ? signAndSend(order, progress) : goOn(row, progress)
        )
      )
    return yield* running.attend(reference, deadline, { run, settle }).pipe(
      Effect.catchTag("Late", ({ txHash }) =>
        Effect.fail(
          Option.match(txHash, {
            onSome: (hash) => new TransferPending({ reference, txHash: hash }),
            onNone: () =>
              new LedgerUnavailable({
                network: networks.role(order.role).name,
                reason: `the transfer could not be sent within ${Duration.format(deadline)} and was withdrawn.`
              })
          })
        )
      )
    )
  })

  const unfinished = yield* sql<TransferRow>`SELECT * FROM transfer_job WHERE state IN ('signed', 'sent')
    ORDER BY chain_id, sender, nonce`.pipe(storing("reading the unfinished transfers"))
  for (const row of unfinished) {
    if (networks.role(row.network).chainId === Number(row.chain_id)) {
      yield* running.detach(row.id, { run: (progress) => goOn(row, progress), settle })
    }
  }
  return Transfers.of({ send })
})

/** No node took it: the same reference may be tried again. Displaced: it will never be. */
const lost =
  (reference: string) =>
  ({ network, reason, state }: TransactionLost) =>
    Effect.fail(
      state === "displaced" ? new TransferRefused({ reference, reason }) : new LedgerUnavailable({ network, reason })
    )

const transferOf = (row: TransferRow): Transfer => ({
  txHash: row.tx_hash ?? "",
  gasPaid: amount(BigInt(row.gas_used ?? 0) * BigInt(row.gas_price ?? 0))
})

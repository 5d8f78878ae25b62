/**
 * The variants of a transaction that was replaced: same wallet, same nonce, same content, other fees. Each is stored before it is sent
 * and kept for ever; whichever is mined is the transaction. One that was never replaced has no rows here.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Hex, parseTransaction } from "viem"
import type { HdWalletsShape } from "../wallets/HdWallets.ts"
import type { Fees } from "./Fees.ts"
import type { Signed } from "./OutboxTransaction.ts"
import { signTransaction } from "./SignedTransaction.ts"

/** What a signed transaction offers per unit of gas. */
export const feesOf = (raw: Hex): Fees => {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(raw)
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** The units of gas a signed transaction may use. */
export const gasLimitOf = (raw: Hex): bigint => parseTransaction(raw).gas ?? 0n

/** The same transaction at other fees, signed by the wallet at `walletIndex`. */
export const atFees = (
  wallets: Pick<HdWalletsShape, "signDigest">,
  walletIndex: number,
  signed: Signed,
  fees: Fees
): Signed => {
  const { data = "0x", gas = 0n, to, value = 0n } = parseTransaction(signed.raw)
  const { network, nonce } = signed
  const terms = { ...fees, gas, ceiling: gas * fees.maxFeePerGas }
  return {
    ...signed,
    ...signTransaction(wallets, walletIndex, { chainId: network.chainId, nonce, to: to ?? "0x", data, value, terms })
  }
}

/** Stores the variants that are not stored yet; answers the most that each offers per unit of gas. */
export const storeVariants = Effect.fnUntraced(function* (variants: ReadonlyArray<Signed>, at: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(
    variants,
    Effect.fnUntraced(function* ({ hash, job, nonce, raw }, place) {
      const { maxFeePerGas, maxPriorityFeePerGas } = feesOf(raw)
      yield* sql`INSERT INTO transaction_variant ${sql.insert({
        tx_hash: hash,
        job_id: job.id,
        raw_tx: raw,
        nonce,
        max_fee: maxFeePerGas.toString(),
        max_tip: maxPriorityFeePerGas.toString(),
        created_at: at + place
      })} ON CONFLICT (tx_hash) DO NOTHING`
      return maxFeePerGas
    })
  )
})

/** The hashes of a job's stored variants, newest first. */
export const variantsOf = Effect.fnUntraced(function* (jobId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly tx_hash: Hex }>`SELECT tx_hash FROM transaction_variant
    WHERE job_id = ${jobId} ORDER BY created_at DESC`
  return rows.map(({ tx_hash }) => tx_hash)
})

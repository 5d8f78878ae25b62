/**
 * Contract: native-token transfers between wallets of this daemon, which the books need to settle what a wallet owes. Whoever adapts
 * it to a ledger treats `reference` as a commit's id is treated: signed bytes and nonce are stored before anything is sent, and the
 * same reference never gives a second transaction, before or after a restart.
 */
import type { Amount, LedgerUnavailable, StorageUnavailable, WalletAddress } from "@treemark/core"
import { Context, type Effect, Schema } from "effect"

/** The transfer was sent and its outcome is not known yet: asked again with the same reference, it is. */
export class TransferPending extends Schema.TaggedError<TransferPending>()("TransferPending", {
  reference: Schema.String,
  txHash: Schema.String
}) {
  override get message() {
    return `Transfer ${this.reference} was sent as transaction ${this.txHash}, and whether the ledger took it is not known yet. It is looked at again on its own; nothing needs to be done.`
  }
}

/** The transfer will never happen under this reference (reverted, dropped, or the wallet cannot pay it): nothing moved. */
export class TransferRefused extends Schema.TaggedError<TransferRefused>()("TransferRefused", {
  reference: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Transfer ${this.reference} did not happen: ${this.reason} Nothing moved; what was to be transferred is still owed.`
  }
}

export class Transfers extends Context.Service<
  Transfers,
  {
    /**
     * Sends `value` and waits until the ledger has it. The gas is paid by the sending wallet, on top of `value`.
     * `LedgerUnavailable` and `StorageUnavailable` mean: ask again with the same reference.
     */
    readonly send: (transfer: {
      readonly role: "mainnet"
      /** Index of the sending wallet in the seed. */
      readonly fromWalletIndex: number
      readonly to: WalletAddress
      readonly value: Amount
      readonly reference: string
    }) => Effect.Effect<
      { readonly txHash: string; readonly gasPaid: Amount },
      LedgerUnavailable | StorageUnavailable | TransferPending | TransferRefused
    >
  }
>()("@treemark/daemon/books/Transfers") {}

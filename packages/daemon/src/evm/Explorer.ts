/** What an explorer page shows of one transaction, read from the ledger. Amounts are wei (10^-18 of the native token). */
import {
  type Amount,
  amount,
  type LedgerUnavailable,
  type NetworkRole,
  type WalletAddress,
  walletAddress
} from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import { decodeFunctionData, type Hex, type Transaction, TransactionNotFoundError } from "viem"
import { commitAbi } from "./CommitContract.ts"
import { Networks } from "./Networks.ts"
import { ask, ledgerUnavailable } from "./RpcFailure.ts"
import { receiptOf } from "./Sending.ts"

export interface ExplorerTransaction {
  readonly hash: string
  /** Name of the network. */
  readonly network: string
  readonly chainId: number
  readonly status: "pending" | "success" | "reverted"
  readonly from: WalletAddress
  /** Null when the transaction creates a contract. */
  readonly to: WalletAddress | null
  readonly value: Amount
  /** Null while pending. `timestamp` is Unix time in seconds; `gasPrice` is what was paid per unit of gas, `fee` altogether. */
  readonly mined: {
    readonly blockNumber: number
    readonly blockHash: string
    readonly timestamp: number
    readonly gasUsed: bigint
    readonly gasPrice: Amount
    readonly fee: Amount
  } | null
  /** Null when the transaction is no commit. */
  readonly commit: {
    readonly assetCid: string
    readonly commitData: string
    readonly recorder: WalletAddress
  } | null
}

const HASH = /^0x[0-9a-f]{64}$/iu

export class Explorer extends Context.Service<
  Explorer,
  {
    /** The transaction, none when the ledger does not know it or `hash` is not 32 bytes of hex. */
    readonly transaction: (
      role: NetworkRole,
      hash: string
    ) => Effect.Effect<Option.Option<ExplorerTransaction>, LedgerUnavailable>
  }
>()("@treemark/daemon/evm/Explorer") {
  static readonly layer = Layer.effect(
    Explorer,
    Effect.gen(function* () {
      const networks = yield* Networks

      const transaction = Effect.fn("Explorer.transaction")(
        function* (role: NetworkRole, text: string) {
          if (!HASH.test(text)) return Option.none()
          const network = networks.role(role)
          const hash = text.toLowerCase() as Hex
          const sent = yield* ask(network, () =>
            network.client.getTransaction({ hash }).catch((error: unknown) => {
              if (error instanceof TransactionNotFoundError) return undefined
              throw error
            })
          )
          if (sent === undefined) return Option.none()
          const receipt = Option.getOrUndefined(yield* receiptOf(network, hash))
          const block =
            receipt === undefined
              ? undefined
              : yield* ask(network, () => network.client.getBlock({ blockHash: receipt.blockHash }))
          const mined =
            receipt === undefined || block === undefined
              ? null
              : {
                  blockNumber: Number(receipt.blockNumber),
                  blockHash: receipt.blockHash,
                  timestamp: Number(block.timestamp),
                  gasUsed: receipt.gasUsed,
                  gasPrice: amount(receipt.effectiveGasPrice),
                  fee: amount(receipt.gasUsed * receipt.effectiveGasPrice)
                }
          const found: ExplorerTransaction = {
            hash,
            network: network.name,
            chainId: network.chainId,
            status: receipt?.status ?? "pending",
            from: walletAddress(sent.from),
            to: sent.to === null ? null : walletAddress(sent.to),
            value: amount(sent.value),
            mined,
            commit: sent.to !== null && walletAddress(sent.to) === network.contract ? commitOf(sent) : null
          }
          return Option.some(found)
        },
        Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
      )
      return Explorer.of({ transaction })
    })
  )
}

const commitOf = ({ from, input }: Transaction): ExplorerTransaction["commit"] => {
  try {
    const { args } = decodeFunctionData({ abi: commitAbi, data: input })
    const [assetCid, commitData] = args
    return { assetCid, commitData, recorder: walletAddress(from) }
  } catch {
    return null
  }
}

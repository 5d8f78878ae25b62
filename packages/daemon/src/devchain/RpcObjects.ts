/**
 * Blocks, transactions, receipts and logs in the shapes of the Ethereum JSON-RPC. A block carries every header field of
 * cancun, so that anybody can rebuild the header's RLP and its hash. https://ethereum.github.io/execution-apis/
 */
import { type BlockHeader, createBlockHeaderFromRLP } from "@ethereumjs/block"
import type { Common } from "@ethereumjs/common"
import { createTxFromRLP, type TypedTransaction } from "@ethereumjs/tx"
import type { BlockRow, TxRow } from "./ChainTables.ts"
import { data, quantity } from "./Hex.ts"
import { type ReceiptLog, receiptOf, typeOf } from "./Receipts.ts"
import { effectiveGasPrice, envelopeOf, feesOf } from "./TxRules.ts"

/** The header of a stored block. */
export const headerOf = (row: BlockRow, common: Common): BlockHeader => createBlockHeaderFromRLP(row.header, { common })

/** A block; `transactions` are hashes or full objects, as the caller chose. */
export const blockObject = (row: BlockRow, header: BlockHeader, transactions: ReadonlyArray<unknown>) => ({
  number: quantity(row.number),
  hash: data(row.hash),
  parentHash: data(header.parentHash),
  sha3Uncles: data(header.uncleHash),
  miner: header.coinbase.toString(),
  stateRoot: data(header.stateRoot),
  transactionsRoot: data(header.transactionsTrie),
  receiptsRoot: data(header.receiptTrie),
  logsBloom: data(header.logsBloom),
  difficulty: quantity(header.difficulty),
  totalDifficulty: "0x0",
  gasLimit: quantity(header.gasLimit),
  gasUsed: quantity(header.gasUsed),
  timestamp: quantity(header.timestamp),
  extraData: data(header.extraData),
  mixHash: data(header.mixHash),
  nonce: data(header.nonce),
  baseFeePerGas: quantity(header.baseFeePerGas ?? 0n),
  withdrawalsRoot: data(header.withdrawalsRoot ?? new Uint8Array()),
  blobGasUsed: quantity(header.blobGasUsed ?? 0n),
  excessBlobGas: quantity(header.excessBlobGas ?? 0n),
  parentBeaconBlockRoot: data(header.parentBeaconBlockRoot ?? new Uint8Array()),
  size: quantity(row.size),
  uncles: [],
  withdrawals: [],
  transactions
})

/** A signed transaction; `place` is where it was mined, absent while it waits. */
export const transactionObject = (
  tx: TypedTransaction,
  sender: string,
  place?: { readonly blockHash: Uint8Array; readonly block: number; readonly idx: number }
) => {
  const json = tx.toJSON()
  return {
    blockHash: place === undefined ? null : data(place.blockHash),
    blockNumber: place === undefined ? null : quantity(place.block),
    transactionIndex: place === undefined ? null : quantity(place.idx),
    hash: data(tx.hash()),
    type: quantity(tx.type),
    chainId: quantity(tx.common.chainId()),
    from: sender,
    to: tx.to?.toString() ?? null,
    nonce: quantity(tx.nonce),
    gas: quantity(tx.gasLimit),
    gasPrice: quantity(effectiveGasPrice(feesOf(tx))),
    value: quantity(tx.value),
    input: data(tx.data),
    v: json.v,
    r: json.r,
    s: json.s,
    ...(tx.type === 0 ? {} : { yParity: json.v, accessList: json.accessList ?? [] }),
    ...(json.maxFeePerGas === undefined
      ? {}
      : { maxFeePerGas: json.maxFeePerGas, maxPriorityFeePerGas: json.maxPriorityFeePerGas })
  }
}

/** A stored transaction. */
export const minedTransaction = (row: TxRow, blockHash: Uint8Array, common: Common) =>
  transactionObject(createTxFromRLP(row.raw, { common }), data(row.sender), {
    blockHash,
    block: row.block,
    idx: row.idx
  })

interface Where {
  readonly blockHash: Uint8Array
  readonly timestamp: bigint
}

/** A log, the `index`-th of a transaction. */
export const logObject = (log: ReceiptLog, tx: TxRow, index: number, { blockHash, timestamp }: Where) => ({
  address: data(log.address),
  topics: log.topics.map(data),
  data: data(log.data),
  blockNumber: quantity(tx.block),
  blockHash: data(blockHash),
  blockTimestamp: quantity(timestamp),
  transactionHash: data(tx.hash),
  transactionIndex: quantity(tx.idx),
  logIndex: quantity(tx.first_log + index),
  removed: false
})

/** A receipt, from the consensus receipt (EIP-2718) and what the row adds to it. */
export const receiptObject = (row: TxRow, where: Where) => {
  const type = typeOf(row.raw)
  const { bloom, cumulativeGas, logs, succeeded } = receiptOf(row.receipt)
  const envelope = envelopeOf(row.raw)
  return {
    transactionHash: data(row.hash),
    transactionIndex: quantity(row.idx),
    blockHash: data(where.blockHash),
    blockNumber: quantity(row.block),
    from: data(row.sender),
    to: envelope.to.length === 0 ? null : data(envelope.to),
    contractAddress: row.contract === null ? null : data(row.contract),
    status: succeeded ? "0x1" : "0x0",
    type: quantity(type),
    gasUsed: quantity(row.gas_used),
    cumulativeGasUsed: quantity(BigInt(data(cumulativeGas))),
    effectiveGasPrice: quantity(effectiveGasPrice(envelope)),
    logsBloom: data(bloom),
    logs: logs.map((log, index) => logObject(log, row, index, where))
  }
}

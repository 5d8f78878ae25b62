/**
 * Makes one block: runs waiting transactions on the machine, computes the roots and the header, and answers the rows to
 * store. Nothing is written here; the state's new nodes wait in the write buffer. Coinbase is the zero address, so
 * tips are burnt like the base fee; mixHash and parentBeaconBlockRoot are zero, there being no beacon chain.
 */
import { type BlockHeader, createBlock, genTransactionsTrieRoot } from "@ethereumjs/block"
import type { Common } from "@ethereumjs/common"
import { MerklePatriciaTrie } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import type { TypedTransaction } from "@ethereumjs/tx"
import { Bloom, encodeReceipt, type RunTxResult, runTx, type VM } from "@ethereumjs/vm"
import { BASE_FEE_PER_GAS, BLOCK_GAS_LIMIT, MAX_TRANSACTIONS_PER_BLOCK } from "./ChainConfig.ts"
import type { SealedRows, TxRow } from "./ChainTables.ts"
import { bytes } from "./Hex.ts"
import type { Candidate } from "./TxRules.ts"

/** A block that has been run and waits to be stored. */
export interface Draft {
  readonly header: BlockHeader
  readonly rows: Omit<SealedRows, "nodes">
  readonly included: ReadonlyArray<Candidate>
}

interface Ran {
  readonly candidate: Candidate
  readonly result: RunTxResult
  readonly receipt: Uint8Array
}

/** What every header says before its transactions run. */
export const headerBefore = (parent: BlockHeader, timestamp: bigint) => ({
  parentHash: parent.hash(),
  number: parent.number + 1n,
  timestamp,
  gasLimit: BLOCK_GAS_LIMIT,
  baseFeePerGas: BASE_FEE_PER_GAS
})

/** True for a failure of the chain file, which says nothing about the transaction that ran. */
const isDiskFailure = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR"

/**
 * Runs `queues` (one per sender, each in nonce order) until the block is full. A transaction the machine refuses is
 * reported to `onRefused` and left out, with its successors.
 */
const runAll = async (
  vm: VM,
  block: ReturnType<typeof createBlock>,
  queues: ReadonlyArray<ReadonlyArray<Candidate & { readonly arrival: number }>>,
  onRefused: (candidate: Candidate, reason: unknown) => void
): Promise<ReadonlyArray<Ran>> => {
  const ran: Array<Ran> = []
  let gasUsed = 0n
  const open = queues.map((queue) => [...queue])
  while (ran.length < MAX_TRANSACTIONS_PER_BLOCK) {
    const next = open
      .filter((queue) => queue.length > 0)
      .reduce<(typeof open)[number] | undefined>(
        (first, queue) => (first === undefined || queue[0]!.arrival < first[0]!.arrival ? queue : first),
        undefined
      )
    const candidate = next?.shift()
    if (next === undefined || candidate === undefined) break
    if (candidate.tx.gasLimit > BLOCK_GAS_LIMIT - gasUsed) {
      next.length = 0
      continue
    }
    try {
      const result = await runTx(vm, { tx: candidate.tx, block, blockGasUsed: gasUsed })
      gasUsed += result.totalGasSpent
      ran.push({ candidate, result, receipt: encodeReceipt(result.receipt, candidate.tx.type) })
    } catch (error) {
      if (isDiskFailure(error)) throw error
      onRefused(candidate, error)
      next.length = 0
    }
  }
  return ran
}

const receiptsRoot = async (common: Common, ran: ReadonlyArray<Ran>): Promise<Uint8Array> => {
  const trie = new MerklePatriciaTrie({ common })
  for (const [index, { receipt }] of ran.entries()) await trie.put(RLP.encode(index), receipt)
  return trie.root()
}

const rowsOf = (number: number, ran: ReadonlyArray<Ran>): ReadonlyArray<TxRow> => {
  let logs = 0
  return ran.map(({ candidate, receipt, result }, idx) => {
    const first_log = logs
    logs += result.receipt.logs.length
    return {
      hash: bytes(candidate.hash),
      block: number,
      idx,
      raw: candidate.raw,
      sender: bytes(candidate.sender),
      contract: result.createdAddress?.bytes ?? null,
      gas_used: Number(result.totalGasSpent),
      receipt,
      first_log
    }
  })
}

/** Runs a block on `vm` (at the parent's state); `undefined` when no transaction could be included. */
export const draftBlock = async (
  vm: VM,
  parent: BlockHeader,
  timestamp: bigint,
  queues: ReadonlyArray<ReadonlyArray<Candidate & { readonly arrival: number }>>,
  onRefused: (candidate: Candidate, reason: unknown) => void
): Promise<Draft | undefined> => {
  const { common } = vm
  const before = headerBefore(parent, timestamp)
  await vm.evm.journal.checkpoint()
  const ran = await runAll(vm, createBlock({ header: before, withdrawals: [] }, { common }), queues, onRefused)
  await vm.evm.journal.commit()
  if (ran.length === 0) return undefined

  const bloom = new Bloom(undefined, common)
  for (const { result } of ran) bloom.or(result.bloom)
  const transactions: Array<TypedTransaction> = ran.map(({ candidate }) => candidate.tx)
  const header = {
    ...before,
    stateRoot: await vm.stateManager.getStateRoot(),
    transactionsTrie: await genTransactionsTrieRoot(transactions, new MerklePatriciaTrie({ common })),
    receiptTrie: await receiptsRoot(common, ran),
    logsBloom: bloom.bitvector,
    gasUsed: ran.reduce((sum, { result }) => sum + result.totalGasSpent, 0n)
  }
  const block = createBlock({ header, transactions, withdrawals: [] }, { common })
  const number = Number(block.header.number)
  return {
    header: block.header,
    rows: {
      block: { number, hash: block.hash(), header: block.header.serialize(), size: block.serialize().length },
      transactions: rowsOf(number, ran)
    },
    included: ran.map(({ candidate }) => candidate)
  }
}

/**
 * The methods of the thread that writes: all that read, what needs its pool of waiting transactions, and two that are private to the
 * daemon's own process (`treemark_`), which no caller from outside gets to.
 */
import { CallMachine } from "./CallMachine.ts"
import type { Chain } from "./Chain.ts"
import { data, quantity } from "./Hex.ts"
import { minedJson } from "./Reads.ts"
import { type Methods, readMethods } from "./Rpc.ts"
import { transactionObject } from "./RpcObjects.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"

const waitingJson = (chain: Chain, hash: Uint8Array) => {
  const waiting = chain.mempool.get(data(hash))
  return waiting === undefined ? null : transactionObject(waiting.tx, waiting.sender)
}

/** Whether a count of transactions is to include those that wait. */
const isPending = (params: Params): boolean => RpcParams.blockRef(params[1], 1).kind === "pending"

/** The methods of `chain` by name. */
export const writerMethods = (chain: Chain): Methods => {
  const reads = readMethods(chain, new CallMachine(chain.ground))
  return {
    ...reads,
    eth_getTransactionCount: async (p) =>
      isPending(p) ? quantity(await chain.pendingNonce(RpcParams.address(p, 0))) : reads.eth_getTransactionCount!(p),
    eth_getTransactionByHash: (p) => {
      const hash = RpcParams.hash(p, 0)
      return minedJson(chain, hash) ?? waitingJson(chain, hash)
    },
    eth_sendRawTransaction: (p) => chain.submit(RpcParams.bytesOf(p, 0)),
    treemark_fund: (p) => chain.fund(RpcParams.address(p, 0), RpcParams.quantityOf(p, 1)),
    treemark_backup: (p) => chain.ground.store.copyTo(String(p[0]))
  }
}

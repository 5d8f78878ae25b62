/**
 * The methods for callers from outside. What only the pool of waiting transactions knows is forwarded to the thread that writes, after
 * everything that costs much has been checked here: a signature takes milliseconds to recover, and anybody may send one.
 */
import type { CallMachine } from "./CallMachine.ts"
import { bytes } from "./Hex.ts"
import { checkSender } from "./Mempool.ts"
import { type ChainView, minedJson } from "./Reads.ts"
import { type Methods, readMethods } from "./Rpc.ts"
import { refused } from "./RpcError.ts"
import type { Params } from "./RpcParams.ts"
import * as RpcParams from "./RpcParams.ts"
import { accountIn, stateAt } from "./State.ts"
import { checkTransaction } from "./TxRules.ts"

/** The answer of a method that only the thread that writes can give. */
export const FORWARD = Symbol("forward")

const checkSubmission = async (view: ChainView, raw: Uint8Array): Promise<typeof FORWARD> => {
  const { ground, head } = view
  const candidate = checkTransaction(ground.common, raw)
  const account = await accountIn(stateAt(ground, head.stateRoot), candidate.sender)
  if (ground.store.tx(bytes(candidate.hash)) !== undefined) {
    throw refused(`nonce too low: next nonce ${account.nonce}, tx nonce ${candidate.nonce}`)
  }
  checkSender(candidate, account)
  return FORWARD
}

/** Whether a count of transactions is to include those that wait. */
const isPending = (params: Params): boolean => RpcParams.blockRef(params[1], 1).kind === "pending"

/** The methods over `view` by name; calls run on `machine`. */
export const outsideMethods = (view: ChainView, machine: CallMachine): Methods => {
  const reads = readMethods(view, machine)
  return {
    ...reads,
    eth_sendRawTransaction: (p) => checkSubmission(view, RpcParams.bytesOf(p, 0)),
    eth_getTransactionByHash: (p) => minedJson(view, RpcParams.hash(p, 0)) ?? FORWARD,
    eth_getTransactionCount: (p) => {
      RpcParams.address(p, 0)
      return isPending(p) ? FORWARD : reads.eth_getTransactionCount!(p)
    }
  }
}

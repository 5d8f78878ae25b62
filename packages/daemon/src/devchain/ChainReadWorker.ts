/**
 * The thread that answers callers from outside: each call over the committed state in the chain's file, by a connection that can only read,
 * so that it neither waits for a block nor holds one up, and within its budget of processor time. It answers in JSON text, which the
 * daemon's thread passes on as it is.
 */
import { parentPort } from "node:worker_threads"
import { createBlockHeaderFromRLP } from "@ethereumjs/block"
import { CallBudget } from "./CallBudget.ts"
import { CallMachine } from "./CallMachine.ts"
import type { ChainFile, FromReader, ToReader } from "./ChainMessages.ts"
import { ChainStore } from "./ChainStore.ts"
import { cancun } from "./Fork.ts"
import { FORWARD, outsideMethods } from "./OutsideMethods.ts"
import type { ChainView } from "./Reads.ts"
import { answer, type Methods } from "./Rpc.ts"
import { partsOf } from "./RpcError.ts"
import { TrieNodes } from "./TrieNodes.ts"

const port = parentPort!
const budget = new CallBudget()
const opened = new Map<number, Methods>()

const open = async ({ chainId, path }: ChainFile): Promise<Methods> => {
  const store = ChainStore.open(path, { readOnly: true })
  const common = cancun(chainId)
  const view: ChainView = {
    ground: { common, nodes: new TrieNodes(store), store },
    budget,
    get head() {
      return createBlockHeaderFromRLP(store.head()!.header, { common })
    }
  }
  const machine = new CallMachine(view.ground, budget)
  await machine.prepare(view.head.stateRoot)
  const methods = outsideMethods(view, machine)
  opened.set(chainId, methods)
  return methods
}

const answerTo = async ({ cpuMillis, file, method, params }: ToReader): Promise<FromReader> => {
  try {
    const methods = opened.get(file.chainId) ?? (await open(file))
    budget.start(cpuMillis)
    const result = await answer(methods, method, params)
    if (result === FORWARD) return { kind: "forward", cpuMillis: budget.spent() }
    const json = JSON.stringify(result)
    return { kind: "json", cpuMillis: budget.spent(), json }
  } catch (error) {
    return { kind: "error", cpuMillis: budget.spent(), error: partsOf(error) }
  }
}

port.on("message", async (call: ToReader) => port.postMessage(await answerTo(call)))
port.postMessage("ready")

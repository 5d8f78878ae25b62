/**
 * The thread an embedded chain runs in: the EVM works in long bursts that would stall the daemon's event loop. Its
 * modules import only relative files and third-party packages, so it runs from source and from the bundle alike.
 */
import { parentPort, workerData } from "node:worker_threads"
import { Chain } from "./Chain.ts"
import type { FromWorker, ToWorker, WorkerOptions } from "./ChainMessages.ts"
import { ChainStoreError } from "./ChainStore.ts"
import { answer, methodsOf } from "./Rpc.ts"
import { RpcError } from "./RpcError.ts"

const port = parentPort!
const { chainId, now: startedAt, path } = workerData as WorkerOptions

let now = startedAt

const say = (message: FromWorker): void => port.postMessage(message)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const answerCall = async (
  methods: ReturnType<typeof methodsOf>,
  { id, method, params }: Extract<ToWorker, { kind: "call" }>
): Promise<void> => {
  try {
    say({ kind: "result", id, result: await answer(methods, method, params) })
  } catch (error) {
    const { code, data, message } = error instanceof RpcError ? error : new RpcError(-32603, messageOf(error))
    say({ kind: "error", id, code, message, ...(data === undefined ? {} : { data }) })
  }
}

const serve = (chain: Chain): void => {
  const methods = methodsOf(chain)
  port.on("message", (message: ToWorker) => {
    if (message.kind === "call") {
      now = message.now
      void answerCall(methods, message)
    } else {
      void chain.close().finally(() => port.close())
    }
  })
  say({ kind: "ready" })
}

try {
  serve(
    await Chain.open({
      path,
      chainId,
      now: () => Math.floor(now / 1000),
      onBlock: (number) => say({ kind: "block", number }),
      onFault: (message) => say({ kind: "fault", message })
    })
  )
} catch (error) {
  const reason = error instanceof ChainStoreError ? error.reason : "unreadable"
  say({ kind: "unusable", reason, message: messageOf(error) })
  port.close()
}

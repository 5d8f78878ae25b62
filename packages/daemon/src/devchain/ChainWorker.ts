/**
 * The thread that writes the embedded chains: the EVM works in long bursts that would stall the daemon's event loop. Its
 * modules import only relative files and third-party packages, so it runs from source and from the bundle alike.
 */
import { parentPort } from "node:worker_threads"
import { Chain } from "./Chain.ts"
import { ChainStoreError } from "./ChainLock.ts"
import type { FromWriter, ToWriter } from "./ChainMessages.ts"
import { answer, type Methods } from "./Rpc.ts"
import { partsOf } from "./RpcError.ts"
import { writerMethods } from "./WriterMethods.ts"

const port = parentPort!

interface Served {
  readonly chain: Chain
  readonly methods: Methods
}

const served = new Map<number, Served>()

let now = 0

const say = (message: FromWriter): void => port.postMessage(message)

const open = async ({ chainId, path }: Extract<ToWriter, { kind: "open" }>): Promise<void> => {
  try {
    const chain = await Chain.open({
      path,
      chainId,
      now: () => Math.floor(now / 1000),
      onBlock: (number) => say({ kind: "block", chainId, number }),
      onFault: (message) => say({ kind: "fault", chainId, message })
    })
    served.set(chainId, { chain, methods: writerMethods(chain) })
    say({ kind: "ready", chainId })
  } catch (error) {
    const reason = error instanceof ChainStoreError ? error.reason : "unreadable"
    say({ kind: "unusable", chainId, reason, message: partsOf(error).message })
  }
}

const call = async ({ chainId, id, method, params }: Extract<ToWriter, { kind: "call" }>): Promise<void> => {
  try {
    say({ kind: "result", id, result: await answer(served.get(chainId)!.methods, method, params) })
  } catch (error) {
    say({ kind: "error", id, error: partsOf(error) })
  }
}

const close = async (chainId: number): Promise<void> => {
  const chain = served.get(chainId)?.chain
  await chain?.close().catch(() => undefined)
  served.delete(chainId)
  say({ kind: "closed", chainId })
}

port.on("message", (message: ToWriter) => {
  if (message.kind !== "close") now = message.now
  if (message.kind === "open") void open(message)
  else if (message.kind === "call") void call(message)
  else void close(message.chainId)
})

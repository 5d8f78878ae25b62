/**
 * The thread that answers callers from outside, over the committed state of every chain. It starts with the first call, ends when nobody
 * has called for a while, and is ended and started anew when a call does not come back, which its budget should have seen to.
 */
import { Worker } from "node:worker_threads"
import type { FromReader, ToReader } from "./ChainMessages.ts"
import { LIMIT_EXCEEDED } from "./RpcError.ts"

/** How long an answer may take by the clock beyond its processor time, on a busy machine. */
const PATIENCE = 5_000

/** How long the thread may take to start. */
const STARTING = 60_000

/** How long the thread is kept when nobody calls. */
const IDLE = 60_000

/** Memory of the thread beside the files it reads, MB; calls are bounded in gas, and so in what they fill. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }

export class ReaderThread {
  readonly #url: URL
  readonly #patience: number
  #worker: Worker | undefined
  #isReady = false
  #idle: NodeJS.Timeout | undefined

  constructor(url: URL, patience = PATIENCE) {
    this.#url = url
    this.#patience = patience
  }

  /** Answers one call at a time; never rejects. */
  async run(call: ToReader): Promise<FromReader> {
    clearTimeout(this.#idle)
    const worker = this.#worker ?? this.#start()
    const answer = await this.#answerOf(worker, call)
    this.#idle = setTimeout(() => void this.stop(), IDLE).unref()
    return answer
  }

  /** Ends the thread, whatever it does. */
  async stop(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#url, { name: "chain-reader", resourceLimits: MEMORY })
    this.#worker = worker
    this.#isReady = false
    worker.once("message", () => {
      this.#isReady = true
    })
    worker.on("error", () => undefined)
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    return worker
  }

  #answerOf(worker: Worker, call: ToReader): Promise<FromReader> {
    return new Promise((resolve) => {
      const startedAt = performance.now()
      let timer: NodeJS.Timeout | undefined
      const end = (answer: FromReader | "ready"): void => {
        clearTimeout(timer)
        if (answer === "ready") {
          wait(call.cpuMillis + this.#patience)
          return
        }
        worker.off("message", end)
        worker.off("exit", onExit)
        resolve(answer)
      }
      const broken = (message: string): FromReader => ({
        kind: "error",
        cpuMillis: performance.now() - startedAt,
        error: { code: LIMIT_EXCEEDED, message }
      })
      const onExit = () => end(broken("the call was ended: it took more memory than it may here, or the daemon stops"))
      const wait = (millis: number): void => {
        timer = setTimeout(() => {
          end(broken("the call was ended: it did not come to an end in time"))
          void this.stop()
        }, millis)
      }
      wait(this.#isReady ? call.cpuMillis + this.#patience : STARTING)
      worker.on("message", end)
      worker.once("exit", onExit)
      worker.postMessage(call)
    })
  }
}

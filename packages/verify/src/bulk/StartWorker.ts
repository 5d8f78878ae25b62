/** Starts a worker, and waits until it can be given something. */
import { Worker } from "node:worker_threads"
import type { BackendName } from "../backends/BackendName.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { FromWorker, WorkerOptions } from "./Chunk.ts"

export type StartWorker = (options: WorkerOptions) => Worker

const isSource = import.meta.url.endsWith(".ts")
const entry = new URL(isSource ? "./Worker.ts" : "./bulk-worker.js", import.meta.url)

export const startWorker: StartWorker = (options) =>
  new Worker(entry, {
    workerData: options,
    execArgv: isSource ? ["--conditions=@treemark/source"] : [],
    resourceLimits: { maxYoungGenerationSizeMb: 16 }
  })

/** The backend that the worker has. Throws {@link UnusableInput} when it cannot get the one asked for. */
export const started = (worker: Worker): Promise<BackendName> =>
  new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error("A worker thread ended before it could start."))
    worker.once("error", reject)
    worker.once("exit", onExit)
    worker.once("message", (message: FromWorker) => {
      worker.off("error", reject)
      worker.off("exit", onExit)
      if (message.kind === "ready") resolve(message.backend)
      else
        reject(
          message.kind === "refused"
            ? new UnusableInput(message.code, message.message)
            : new Error("A worker spoke out of turn.")
        )
    })
  })

/** A worker: loads its backend, then answers chunks in the order they come, until it is ended. */
import { parentPort, workerData } from "node:worker_threads"
import { loadBackend } from "../backends/Backend.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { answerChunk } from "./AnswerChunk.ts"
import type { Chunk, FromWorker, WorkerOptions } from "./Chunk.ts"
import { makeVerifier } from "./Verifier.ts"

const options: WorkerOptions = workerData

const say = (message: FromWorker, transfer: ReadonlyArray<ArrayBuffer> = []): void =>
  parentPort?.postMessage(message, [...transfer])

try {
  const backend = await loadBackend(options.backend)
  const verifier = makeVerifier(backend, options.question)
  parentPort?.on("message", (chunk: Chunk) => {
    const answer = answerChunk(chunk, verifier, options)
    say(answer, [answer.results.buffer])
  })
  say({ kind: "ready", backend: backend.name })
} catch (error) {
  if (!(error instanceof UnusableInput)) throw error
  say({ kind: "refused", code: error.code, message: error.message })
}

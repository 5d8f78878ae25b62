/**
 * The daemon's end of a chain's worker. Each call has a number that its answer repeats; when the worker ends for any
 * reason, every open call fails at once with EIP-1193's 4900, so nobody waits for an answer that cannot come.
 */
import { Worker } from "node:worker_threads"
import type { FromWorker, ToWorker, WorkerOptions } from "./ChainMessages.ts"
import { invalidParams, RpcError } from "./RpcError.ts"

/** EIP-1193: the provider is disconnected from the chain. */
const DISCONNECTED = 4900

const gone = (why: string): RpcError =>
  new RpcError(DISCONNECTED, `The embedded chain does not answer: ${why}. Restart the daemon; nothing mined is lost.`)

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: RpcError) => void
}

/** The daemon's end of the worker: matches answers to calls, and fails what is open when the worker ends. */
export class WorkerLink {
  readonly #worker: Worker
  readonly #now: () => number
  readonly #onFault: (message: string) => void
  readonly #open = new Map<number, Waiting>()
  readonly #listeners = new Set<(number: number) => void>()
  readonly #exited: Promise<void>
  #lastId = 0
  #isReady = false
  #ended: string | undefined

  constructor(url: URL, workerData: WorkerOptions, now: () => number, onFault: (message: string) => void) {
    this.#now = now
    this.#onFault = onFault
    this.#worker = new Worker(url, { workerData, name: `chain-${workerData.chainId}` })
    this.#worker.on("message", (message: FromWorker) => this.#receive(message))
    this.#worker.on("error", (error) => this.#end(`it failed: ${error.message}`))
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", (code) => {
        this.#end(`its thread ended with code ${code}`)
        resolve()
      })
    })
  }

  /** Resolves once the chain is open; rejects with the reason when it cannot be. */
  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.once("message", (first: FromWorker) => {
        if (first.kind === "unusable") reject({ reason: first.reason, detail: first.message })
        else {
          this.#isReady = true
          resolve()
        }
      })
      void this.#exited.then(() => reject({ reason: "unreadable", detail: this.#ended }))
    })
  }

  call(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(gone(this.#ended))
      const id = ++this.#lastId
      try {
        this.#send({ kind: "call", id, now: this.#now(), method, params })
        this.#open.set(id, { resolve, reject })
      } catch {
        reject(invalidParams("params must be plain JSON values"))
      }
    })
  }

  listen(listener: (number: number) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Lets the chain mine what it has accepted, and waits for the thread to end. */
  async close(): Promise<void> {
    if (this.#ended === undefined) {
      this.#ended = "it has been closed"
      this.#send({ kind: "close" })
    }
    await this.#exited
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message)
  }

  #receive(message: FromWorker): void {
    if (message.kind === "result") this.#take(message.id)?.resolve(message.result)
    else if (message.kind === "error") {
      this.#take(message.id)?.reject(new RpcError(message.code, message.message, message.data))
    } else if (message.kind === "block") for (const listener of this.#listeners) listener(message.number)
    else if (message.kind === "fault") this.#onFault(message.message)
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#open.get(id)
    this.#open.delete(id)
    return waiting
  }

  #end(why: string): void {
    if (this.#ended === undefined && this.#isReady) this.#onFault(`the chain stopped: ${why}`)
    this.#ended ??= why
    for (const { reject } of this.#open.values()) reject(gone(this.#ended))
    this.#open.clear()
  }
}

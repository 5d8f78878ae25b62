/**
 * The daemon's end of the thread that writes its embedded chains: one for all of them, started with the first. Each call has a number
 * that its answer repeats, and a deadline; when the thread ends for any reason, every open call fails at once with EIP-1193's 4900, so
 * nobody waits for an answer that cannot come.
 */
import { Worker } from "node:worker_threads"
import type { ChainFile, FromWriter, ToWriter, Unusable } from "./ChainMessages.ts"
import { invalidParams, RpcError } from "./RpcError.ts"

/** EIP-1193: the provider is disconnected from the chain. */
const DISCONNECTED = 4900

/** How long accepted transactions may take to be mined when a chain is closed. */
const CLOSING = 10_000

/** The young generation, MB: blocks live as short as calls do, and a larger one only waits longer for its collection. */
const MEMORY = { maxYoungGenerationSizeMb: 16 }

/** A copy of a chain takes as long as the chain is large. */
const WITHOUT_DEADLINE = "treemark_backup"

const gone = (why: string): RpcError =>
  new RpcError(DISCONNECTED, `The embedded chain does not answer: ${why}. Restart the daemon; nothing mined is lost.`)

const late = (millis: number): RpcError =>
  new RpcError(
    DISCONNECTED,
    `The embedded chain did not answer within ${millis / 1000} s; whether it did what it was asked is not known. It may be making a block that takes long, or the machine is busy: ask again.`
  )

/** Why a chain could not be opened. */
export interface OpenFailure {
  readonly reason: Unusable
  readonly detail: string
}

/** An open chain's end of the thread. */
export interface ChainLink {
  readonly call: (method: string, params: unknown) => Promise<unknown>
  /** Calls `listener` after each block; answers the function that ends that. */
  readonly listen: (listener: (number: number) => void) => () => void
  /** Lets the chain mine what it has accepted, and closes its file. */
  readonly close: () => Promise<void>
}

export interface ChainThreadOptions {
  readonly url: URL
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** How long a call may take, milliseconds. */
  readonly deadline: number
  /** Told, as a sentence for the log, when the thread ends before its chains are closed. */
  readonly onFault: (chainId: number, message: string) => void
}

interface Waiting {
  readonly chainId: number
  readonly resolve: (result: unknown) => void
  readonly reject: (error: RpcError) => void
  readonly timer: NodeJS.Timeout | undefined
}

interface Chain {
  readonly listeners: Set<(number: number) => void>
  readonly opened: (failure: OpenFailure | undefined) => void
  readonly onClosed: Array<() => void>
  isOpen: boolean
  ended: string | undefined
}

const tell = (
  chain: Chain,
  message: Extract<FromWriter, { kind: "ready" | "unusable" | "closed" | "block" }>
): void => {
  switch (message.kind) {
    case "ready":
      chain.isOpen = true
      chain.opened(undefined)
      break
    case "unusable":
      chain.opened({ reason: message.reason, detail: message.message })
      break
    case "closed":
      for (const resolve of chain.onClosed) resolve()
      break
    case "block":
      for (const listener of chain.listeners) listener(message.number)
      break
  }
}

export class ChainThread {
  readonly #options: ChainThreadOptions
  readonly #chains = new Map<number, Chain>()
  readonly #calls = new Map<number, Waiting>()
  #worker: Worker | undefined
  #lastId = 0

  constructor(options: ChainThreadOptions) {
    this.#options = options
  }

  /** Opens a chain; rejects with an {@link OpenFailure}. */
  open(file: ChainFile): Promise<ChainLink> {
    const { chainId } = file
    if (this.#chains.has(chainId)) return Promise.reject({ reason: "locked", detail: "this daemon has it open" })
    return new Promise((resolve, reject) => {
      const chain: Chain = {
        listeners: new Set(),
        isOpen: false,
        ended: undefined,
        onClosed: [],
        opened: (failure) => {
          if (failure === undefined) return resolve(this.#linkOf(chainId, chain))
          this.#chains.delete(chainId)
          void this.#endIfUnused().then(() => reject(failure))
        }
      }
      this.#chains.set(chainId, chain)
      this.#worker ??= this.#start()
      this.#send({ kind: "open", ...file, now: this.#options.now() })
    })
  }

  #start(): Worker {
    const worker = new Worker(this.#options.url, { name: "chains", resourceLimits: MEMORY })
    worker.on("message", (message: FromWriter) => this.#receive(message))
    worker.on("error", (error) => this.#end(`it failed: ${error.message}`))
    worker.once("exit", (code) => this.#end(`its thread ended with code ${code}`))
    return worker
  }

  #linkOf(chainId: number, chain: Chain): ChainLink {
    return {
      call: (method, params) => this.#call(chainId, chain, method, params),
      listen: (listener) => {
        chain.listeners.add(listener)
        return () => void chain.listeners.delete(listener)
      },
      close: () => this.#close(chainId, chain)
    }
  }

  #call(chainId: number, chain: Chain, method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (chain.ended !== undefined) return reject(gone(chain.ended))
      const id = ++this.#lastId
      try {
        this.#send({ kind: "call", chainId, id, now: this.#options.now(), method, params })
      } catch {
        return reject(invalidParams("params must be plain JSON values"))
      }
      const { deadline } = this.#options
      const timer =
        method === WITHOUT_DEADLINE ? undefined : setTimeout(() => this.#take(id)?.reject(late(deadline)), deadline)
      this.#calls.set(id, { chainId, resolve, reject, timer })
    })
  }

  async #close(chainId: number, chain: Chain): Promise<void> {
    if (chain.ended === undefined) {
      chain.ended = "it has been closed"
      const closed = new Promise<void>((resolve) => chain.onClosed.push(resolve))
      this.#send({ kind: "close", chainId })
      const timer = setTimeout(() => void this.#worker?.terminate(), CLOSING)
      await closed
      clearTimeout(timer)
    }
    this.#failCalls(chain.ended, chainId)
    this.#chains.delete(chainId)
    await this.#endIfUnused()
  }

  async #endIfUnused(): Promise<void> {
    if (this.#chains.size > 0) return
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  #send(message: ToWriter): void {
    this.#worker?.postMessage(message)
  }

  #receive(message: FromWriter): void {
    switch (message.kind) {
      case "result":
        this.#take(message.id)?.resolve(message.result)
        break
      case "error": {
        const { code, data, message: text } = message.error
        this.#take(message.id)?.reject(new RpcError(code, text, data))
        break
      }
      case "fault":
        this.#options.onFault(message.chainId, message.message)
        break
      default: {
        const chain = this.#chains.get(message.chainId)
        if (chain !== undefined) tell(chain, message)
      }
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#calls.get(id)
    this.#calls.delete(id)
    clearTimeout(waiting?.timer)
    return waiting
  }

  /** The thread is gone. */
  #end(why: string): void {
    this.#worker = undefined
    for (const [chainId, chain] of this.#chains) {
      if (chain.ended === undefined && chain.isOpen) this.#options.onFault(chainId, `the chain stopped: ${why}`)
      chain.ended ??= why
      if (!chain.isOpen) chain.opened({ reason: "unreadable", detail: why })
      for (const resolve of chain.onClosed) resolve()
      this.#failCalls(chain.ended, chainId)
    }
  }

  #failCalls(why: string, chainId: number): void {
    for (const [id, call] of this.#calls) if (call.chainId === chainId) this.#take(id)?.reject(gone(why))
  }
}

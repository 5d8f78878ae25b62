/**
 * The workers: a few chunks under way in each, answers handed on in the order of the input. What is under way is bounded in number and in
 * bytes, so memory stays the same however long the input is.
 */
import { Worker } from "node:worker_threads"
import type { BackendName } from "../backends/Backend.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { Answer, Chunk, FromWorker, WorkerOptions } from "./Chunk.ts"

/** Two chunks each: the next is there when one is done. */
const UNDER_WAY = 2
/** Answered chunks wait for older ones; more than this many in all, and nothing new is given out. */
const UNWRITTEN = 4
const MOST_BYTES = 2 * 1024 * 1024

interface Member {
  readonly worker: Worker
  /** The chunks it has, oldest first. */
  readonly chunks: Array<Ticket>
}

interface Ticket {
  readonly bytes: number
  /** Bytes of lines, or files. */
  readonly size: number
  answer: Answer | undefined
}

const isSource = import.meta.url.endsWith(".ts")
const entry = new URL(isSource ? "./Worker.ts" : "./bulk-worker.js", import.meta.url)

/** Called in the order of the input. `done`: how much is answered, in bytes of lines or in files. */
export type OnAnswer = (answer: Answer, done: number) => void

export class Pool {
  readonly backend: BackendName
  private readonly members: ReadonlyArray<Member>
  private readonly onAnswer: OnAnswer
  private done = 0
  private readonly unwritten: Array<Ticket> = []
  private failure: unknown
  private wake: () => void = () => {}

  /** Starts `size` workers. Throws {@link UnusableInput} when the backend asked for is not to be had. */
  static async start(size: number, options: WorkerOptions, onAnswer: OnAnswer): Promise<Pool> {
    const workers = Array.from({ length: size }, () => startWorker(options))
    try {
      const [backend] = await Promise.all(workers.map(backendOf))
      return new Pool(workers, backend ?? "noble", onAnswer)
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.terminate()))
      throw error
    }
  }

  private constructor(workers: ReadonlyArray<Worker>, backend: BackendName, onAnswer: OnAnswer) {
    this.backend = backend
    this.onAnswer = onAnswer
    this.members = workers.map((worker) => ({ worker, chunks: [] }))
    for (const member of this.members) {
      member.worker.on("message", (answer: Answer) => this.take(member, answer))
      member.worker.on("error", (error) => this.fail(error))
      member.worker.on("exit", () => this.fail(new Error("A worker stopped.")))
    }
  }

  /** Whether a worker has nothing to do. */
  get isHungry(): boolean {
    return this.members.some(({ chunks }) => chunks.length === 0)
  }

  /** Hands a chunk to a worker as soon as there is room for it. Its buffer is gone from here on. */
  async give(chunk: Chunk): Promise<void> {
    const bytes = chunk.kind === "lines" ? chunk.length : 0
    await this.until(() => this.hasRoom(bytes))
    const member = this.members.reduce((least, one) => (one.chunks.length < least.chunks.length ? one : least))
    const size = chunk.kind === "lines" ? bytes : chunk.files.length
    const ticket: Ticket = { bytes, size, answer: undefined }
    member.chunks.push(ticket)
    this.unwritten.push(ticket)
    member.worker.postMessage(chunk, chunk.kind === "lines" ? [chunk.buffer] : [])
  }

  /** All answers have been handed on. */
  drained(): Promise<void> {
    return this.until(() => this.unwritten.length === 0)
  }

  async stop(): Promise<void> {
    for (const { worker } of this.members) worker.removeAllListeners("exit")
    await Promise.all(this.members.map(({ worker }) => worker.terminate()))
  }

  private hasRoom(bytes: number): boolean {
    if (this.unwritten.length === 0) return true
    const held = this.unwritten.reduce((total, ticket) => total + ticket.bytes, 0)
    return (
      this.unwritten.length < this.members.length * UNWRITTEN &&
      held + bytes <= this.members.length * MOST_BYTES &&
      this.members.some(({ chunks }) => chunks.length < UNDER_WAY)
    )
  }

  private take(member: Member, answer: Answer): void {
    const ticket = member.chunks.shift()
    if (ticket !== undefined) ticket.answer = answer
    try {
      for (let next = this.unwritten[0]; next?.answer !== undefined; next = this.unwritten[0]) {
        this.unwritten.shift()
        this.done += next.size
        this.onAnswer(next.answer, this.done)
      }
    } catch (error) {
      this.fail(error)
    }
    this.wake()
  }

  private fail(error: unknown): void {
    this.failure ??= error
    this.wake()
  }

  private async until(isTrue: () => boolean): Promise<void> {
    for (;;) {
      if (this.failure !== undefined) throw this.failure
      if (isTrue()) return
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }
}

const startWorker = (options: WorkerOptions): Worker =>
  new Worker(entry, {
    workerData: options,
    execArgv: isSource ? ["--conditions=@treemark/source"] : [],
    resourceLimits: { maxYoungGenerationSizeMb: 16 }
  })

const backendOf = (worker: Worker): Promise<BackendName> =>
  new Promise((resolve, reject) => {
    worker.once("error", reject)
    worker.once("message", (message: FromWorker) => {
      worker.off("error", reject)
      if (message.kind === "ready") resolve(message.backend)
      else
        reject(
          message.kind === "refused"
            ? new UnusableInput(message.code, message.message)
            : new Error("A worker spoke out of turn.")
        )
    })
  })

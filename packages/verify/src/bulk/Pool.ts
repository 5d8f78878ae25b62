/**
 * The workers: a few chunks under way in each, answers handed on in the order of the input. What is under way is bounded in number and in
 * bytes, so memory stays the same however long the input is. A worker that ends (killed, out of memory, a fault) is replaced, and what it had is
 * verified again; a part that ends two workers is reported, proof by proof, as not verified.
 */
import type { Worker } from "node:worker_threads"
import type { BackendName } from "../backends/BackendName.ts"
import { answerChunk } from "./AnswerChunk.ts"
import type { Answer, Chunk, FromWorker, WorkerOptions } from "./Chunk.ts"
import { type StartWorker, started, startWorker } from "./StartWorker.ts"
import { unverified } from "./Verifier.ts"

/** Two chunks each: the next is there when one is done. */
const UNDER_WAY = 2
/** Answered chunks wait for older ones; more than this many in all, and nothing new is given out. */
const UNWRITTEN = 4
const MOST_BYTES = 2 * 1024 * 1024
/** So many workers in a row may end with nothing to do; then nothing helps. */
const MOST_IDLE_ENDS = 3

interface Member {
  worker: Worker
  /** The chunks it has, oldest first. */
  readonly chunks: Array<Ticket>
}

interface Ticket {
  readonly chunk: Chunk
  /** Bytes held. */
  readonly bytes: number
  /** Bytes of lines, or files. */
  readonly size: number
  /** Workers that ended while they were at it. */
  ends: number
  answer: Answer | undefined
}

/** Called in the order of the input, with the chunk that was given. `done`: how much is answered, in bytes or in files. */
export type OnAnswer = (answer: Answer, chunk: Chunk, done: number) => void

export class Pool {
  readonly backend: BackendName
  private readonly members: ReadonlyArray<Member>
  private readonly options: WorkerOptions
  private readonly start: StartWorker
  private readonly onAnswer: OnAnswer
  private readonly unwritten: Array<Ticket> = []
  private done = 0
  private idleEnds = 0
  private isStopped = false
  private failure: unknown
  private wake: () => void = () => {}

  /** Starts `size` workers. Throws {@link UnusableInput} when the backend asked for is not to be had. */
  static async start(
    size: number,
    options: WorkerOptions,
    onAnswer: OnAnswer,
    start: StartWorker = startWorker
  ): Promise<Pool> {
    const workers = Array.from({ length: size }, () => start(options))
    try {
      const [backend] = await Promise.all(workers.map(started))
      return new Pool(workers, backend ?? "noble", options, onAnswer, start)
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.terminate()))
      throw error
    }
  }

  private constructor(
    workers: ReadonlyArray<Worker>,
    backend: BackendName,
    options: WorkerOptions,
    onAnswer: OnAnswer,
    start: StartWorker
  ) {
    this.backend = backend
    this.options = { ...options, backend }
    this.onAnswer = onAnswer
    this.start = start
    this.members = workers.map((worker) => ({ worker, chunks: [] }))
    for (const member of this.members) this.listen(member)
  }

  /** Whether a worker has nothing to do. */
  get isHungry(): boolean {
    return this.members.some(({ chunks }) => chunks.length === 0)
  }

  /** Hands a chunk to a worker as soon as there is room for it. Its buffer must not change until its answer is there. */
  async give(chunk: Chunk): Promise<void> {
    const bytes = chunk.kind === "files" ? 0 : chunk.buffer.byteLength
    await this.until(() => this.hasRoom(bytes))
    const member = this.members.reduce((least, one) => (one.chunks.length < least.chunks.length ? one : least))
    const size = chunk.kind === "files" ? chunk.files.length : chunk.length
    const ticket: Ticket = { chunk, bytes, size, ends: 0, answer: undefined }
    member.chunks.push(ticket)
    this.unwritten.push(ticket)
    member.worker.postMessage(chunk)
  }

  /** All answers have been handed on. */
  drained(): Promise<void> {
    return this.until(() => this.unwritten.length === 0)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await Promise.all(this.members.map(({ worker }) => worker.terminate()))
  }

  private listen(member: Member): void {
    const { worker } = member
    // Whatever ends a worker, "exit" follows; the reason matters to nobody who wants the proofs verified.
    worker.on("error", () => {})
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "answer") this.take(member, message)
    })
    worker.on("exit", () => {
      if (!this.isStopped) this.replace(member)
    })
  }

  private replace(member: Member): void {
    const [oldest] = member.chunks
    if (oldest !== undefined) oldest.ends++
    else this.idleEnds++
    if (this.idleEnds > MOST_IDLE_ENDS) {
      this.fail(new Error("The worker threads end as soon as they are started. Is there too little memory?"))
      return
    }
    member.worker = this.start(this.options)
    this.listen(member)
    if (oldest !== undefined && oldest.ends > 1) {
      member.chunks.shift()
      this.answered(oldest, answerChunk(oldest.chunk, unverified, this.options))
    }
    for (const { chunk } of member.chunks) member.worker.postMessage(chunk)
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
    this.idleEnds = 0
    if (ticket !== undefined) this.answered(ticket, answer)
  }

  private answered(ticket: Ticket, answer: Answer): void {
    ticket.answer = answer
    try {
      for (let next = this.unwritten[0]; next?.answer !== undefined; next = this.unwritten[0]) {
        this.unwritten.shift()
        this.done += next.size
        this.onAnswer(next.answer, next.chunk, this.done)
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

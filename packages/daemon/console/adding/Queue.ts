/**
 * Files on their way: uploaded, priced, then committed, a few at a time. The queue outlives the view that shows it. What is done is done on the
 * daemon: when the page is closed half-way, the same files with the same form are found there and charged once.
 */
import { ask, Problem } from "../Api.ts"
import { units } from "../Money.ts"
import type { Committed, Quote, Registered } from "../Types.ts"
import { commitOnce } from "./Commit.ts"
import type { Given } from "./Files.ts"
import { type CommitRequest, type Fields, keyOf, requestOf } from "./Request.ts"
import { createdAt } from "./Taken.ts"
import { upload } from "./Upload.ts"

export type State = "waiting" | "uploading" | "priced" | "committing" | "done" | "failed"

export interface Item {
  readonly id: number
  readonly file: File
  readonly path: string
  readonly state: State
  readonly createdAt?: number
  readonly registered?: Registered
  readonly request?: CommitRequest
  /** What the commit holds at most, in 10^-18. */
  readonly price?: bigint
  readonly committed?: Committed
  /** It had been committed before, with these very fields: nothing was charged. */
  readonly isKnown?: boolean
  readonly problem?: Problem
}

export type Phase = "choosing" | "uploading" | "priced" | "committing" | "finished"

const AT_ONCE = 4

class Queue {
  items: ReadonlyArray<Item> = []
  phase: Phase = "choosing"
  isPaused = false
  /** Why everything stopped: what would fail for each file alike. */
  stoppedBy: Problem | undefined
  readonly #listeners = new Set<() => void>()
  #ids = 0
  #resume: (() => void) | undefined

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  #set(id: number, change: Partial<Item>): void {
    this.items = this.items.map((item) => (item.id === id ? { ...item, ...change } : item))
    this.#changed()
  }

  get isBusy(): boolean {
    return this.phase === "uploading" || this.phase === "committing"
  }

  add(given: ReadonlyArray<Given>): void {
    if (this.isBusy) return
    if (this.phase === "finished") this.items = []
    const known = new Set(this.items.map(({ file, path }) => `${path} ${file.size} ${file.lastModified}`))
    const fresh = given.filter(({ file, path }) => !known.has(`${path} ${file.size} ${file.lastModified}`))
    this.items = [...this.items, ...fresh.map((one): Item => ({ ...one, id: this.#ids++, state: "waiting" }))]
    this.phase = "choosing"
    this.#changed()
  }

  remove(id: number): void {
    this.items = this.items.filter((item) => item.id !== id)
    this.#changed()
  }

  clear(): void {
    if (this.isBusy) return
    this.items = []
    this.phase = "choosing"
    this.#changed()
  }

  /** Back to the form; what was uploaded stays so. */
  edit(): void {
    this.phase = "choosing"
    this.items = this.items.map((item) => (item.state === "priced" ? { ...item, state: "waiting" } : item))
    this.#changed()
  }

  pause(): void {
    this.isPaused = true
    this.#changed()
  }

  resume(): void {
    this.isPaused = false
    this.#resume?.()
    this.#changed()
  }

  /** Uploads what is not yet there and asks what each commit costs. */
  async upload(fields: Fields): Promise<void> {
    const open = this.items.filter(({ state }) => state !== "done")
    await this.#work("uploading", open, async (item) => {
      this.#set(item.id, { state: "uploading" })
      const registered = item.registered ?? (await upload(item.file))
      const taken = item.createdAt ?? (await createdAt(item.file))
      this.#set(item.id, { registered, createdAt: taken })
      const request = requestOf(registered, fields, taken)
      const quote = await ask<Quote>("/commit", { method: "POST", body: request, headers: { prefer: "return=quote" } })
      this.#set(item.id, { state: "priced", request, price: units(quote.total) })
    })
    this.phase = this.items.some(({ state }) => state === "priced") ? "priced" : "choosing"
    this.#changed()
  }

  /** Commits what has a price. */
  async commit(): Promise<void> {
    const open = this.items.filter(({ state }) => state === "priced")
    await this.#work("committing", open, async (item) => {
      this.#set(item.id, { state: "committing" })
      const { committed, isKnown } = await commitOnce(item.request!, keyOf(item.request!))
      this.#set(item.id, { state: "done", committed, isKnown })
    })
    this.phase = "finished"
    this.#changed()
  }

  /** Another try for what failed: from where each file was. */
  async retry(fields: Fields): Promise<void> {
    const failed = this.items.filter(({ state }) => state === "failed")
    for (const { id, price } of failed) this.#set(id, { state: price === undefined ? "waiting" : "priced" })
    if (failed.every(({ price }) => price !== undefined)) await this.commit()
    else await this.upload(fields)
  }

  async #work(phase: Phase, items: ReadonlyArray<Item>, each: (item: Item) => Promise<void>): Promise<void> {
    if (this.isBusy) return
    this.phase = phase
    this.isPaused = false
    this.stoppedBy = undefined
    this.#changed()
    const left = [...items]
    const worker = async () => {
      for (;;) {
        await this.#unpaused()
        const item = this.stoppedBy === undefined ? left.shift() : undefined
        if (item === undefined) return
        await each(item).catch((error: unknown) => this.#failed(item, error))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  async #unpaused(): Promise<void> {
    while (this.isPaused) {
      await new Promise<void>((resolve) => {
        const before = this.#resume
        this.#resume = () => {
          before?.()
          resolve()
        }
      })
    }
    this.#resume = undefined
  }

  #failed(item: Item, error: unknown): void {
    const problem =
      error instanceof Problem ? error : new Problem(0, "file", String((error as Error)?.message ?? error))
    this.#set(item.id, { state: "failed", problem })
    if (STOPS_ALL.has(problem.code)) {
      this.stoppedBy = problem
      // What waits for "Go on" would wait for what cannot go on.
      this.resume()
    }
    this.#changed()
  }
}

const STOPS_ALL = new Set([
  "insufficient_funds",
  "spending_limit_reached",
  "account_disabled",
  "session_over",
  "unreachable"
])

export const queue = new Queue()

addEventListener("beforeunload", (event) => {
  if (queue.isBusy) event.preventDefault()
})

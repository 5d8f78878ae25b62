/**
 * Tells `FailPoints` of everything a daemon does that outlasts it, without a line of the product knowing: an Effect tracer sees each SQL
 * statement and transaction and each write of a block, and what the process sends and receives (JSON-RPC, answers to callers) is
 * seen where it enters Node. Statements that only read are no points, nor are a replica's signs of life.
 */
import { ServerResponse } from "node:http"
import { Worker } from "node:worker_threads"
import { Option, Tracer } from "effect"
import { pass } from "./FailPoints.ts"

const TRANSACTION = "sql.transaction"
const QUERY = "db.query.text"
const COMMIT = "effect.sql.transaction.commit"

/** Rows that say who lives and who may sign, written again and again; they belong to no commit. */
const SIGNS_OF_LIFE = new Set(["replica", "signer_lease"])

/** `insert hold` of a statement that writes; undefined of one that does not. */
const writeOf = (query: string): string | undefined => {
  const found = /^\s*(insert into|update|delete from)\s+"?(\w+)/iu.exec(query)
  const table = found?.[2] ?? ""
  return found === null || SIGNS_OF_LIFE.has(table)
    ? undefined
    : `${(found[1] ?? "").split(" ")[0]?.toLowerCase()} ${table}`
}

class WatchedSpan extends Tracer.NativeSpan {
  readonly #writes: Array<string> = []
  #commits = false

  /** The transaction this span is part of: the outermost, for what is nested is written with it. */
  get #transaction(): WatchedSpan | undefined {
    let found: WatchedSpan | undefined
    for (let parent = this.parent; Option.isSome(parent) && parent.value instanceof WatchedSpan; ) {
      if (parent.value.name === TRANSACTION) found = parent.value
      parent = parent.value.parent
    }
    return found
  }

  get #line(): string {
    return `commit ${[...new Set(this.#writes)].join(", ")}`
  }

  override attribute(key: string, value: unknown): void {
    super.attribute(key, value)
    if (key !== QUERY) return
    const write = writeOf(String(value))
    if (write === undefined) return
    const transaction = this.#transaction
    if (transaction !== undefined) transaction.#writes.push(write)
    else {
      this.#writes.push(write)
      this.#commits = true
      pass(`before ${this.#line}`)
    }
  }

  override event(name: string, startTime: bigint, attributes?: Record<string, unknown>): void {
    super.event(name, startTime, attributes)
    if (name !== COMMIT || this.#writes.length === 0) return
    this.#commits = true
    pass(`before ${this.#line}`)
  }

  override end(endTime: bigint, exit: Parameters<Tracer.NativeSpan["end"]>[1]): void {
    super.end(endTime, exit)
    if (this.#commits) pass(`after ${this.#line}`)
    if (this.name === "ContentStore.put") pass("after store block")
  }
}

export const watchingTracer: Tracer.Tracer = Tracer.make({
  span: (options) => {
    if (options.name === "ContentStore.put") pass("before store block")
    return new WatchedSpan(options)
  }
})

const SEND = "eth_sendRawTransaction"
const RECEIPT = "eth_getTransactionReceipt"
const WATCHED: ReadonlySet<string> = new Set([SEND, RECEIPT])

/** The answer to a send decides, and a receipt does; that there is none yet decides nothing. */
const answered = (method: string, result: unknown): void => {
  if (method === SEND || (method === RECEIPT && result !== null)) pass(`after ${method}`)
}

interface Called {
  readonly kind?: string
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

/** Calls of an embedded chain, which go to its thread and come back as messages. */
const watchWorkers = (): void => {
  const { emit, postMessage } = Worker.prototype
  const open = new WeakMap<Worker, Map<number, string>>()
  Worker.prototype.postMessage = function (this: Worker, message: Called, ...rest: Array<never>) {
    const { id = -1, kind, method = "" } = message
    if (kind === "call" && WATCHED.has(method)) {
      const calls = open.get(this) ?? new Map<number, string>()
      open.set(this, calls.set(id, method))
      pass(`before ${method}`)
    }
    return postMessage.call(this, message, ...rest)
  } as typeof postMessage
  Worker.prototype.emit = function (this: Worker, name: string, ...rest: Array<unknown>) {
    const message = name === "message" ? (rest[0] as Called) : {}
    const method = message.kind === "result" ? open.get(this)?.get(message.id ?? -1) : undefined
    if (method !== undefined) answered(method, message.result)
    return Reflect.apply(emit, this, [name, ...rest])
  } as typeof emit
}

/** Calls of a node over HTTP. */
const watchFetch = (): void => {
  const { fetch } = globalThis
  globalThis.fetch = async (target, init) => {
    const { method = "" } = typeof init?.body === "string" ? (JSON.parse(init.body) as Called) : {}
    if (!WATCHED.has(method)) return fetch(target, init)
    pass(`before ${method}`)
    const response = await fetch(target, init)
    const { result } = (await response.clone().json()) as Called
    answered(method, result)
    return response
  }
}

/** Answers to commits. */
const watchAnswers = (): void => {
  const { end } = ServerResponse.prototype
  ServerResponse.prototype.end = function (this: ServerResponse, ...rest: Parameters<typeof end>) {
    if (this.req.url === "/commit") {
      pass(`before answer ${this.statusCode}`)
      this.once("finish", () => pass(`after answer ${this.statusCode}`))
    }
    return end.apply(this, rest)
  } as typeof end
}

/** Watches what goes through Node; the tracer has to be provided beside. */
export const watchProcess = (): void => {
  watchWorkers()
  watchFetch()
  watchAnswers()
}

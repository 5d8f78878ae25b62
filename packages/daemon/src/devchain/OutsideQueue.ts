/**
 * Calls of strangers to the embedded chains, which need no token: whose turn it is, and what each may use. Callers take turns, a call
 * each; a caller, and all of them together, have an allowance of processor time, and who has used it up waits. One request (a batch) has
 * a budget, too. What waits too long, or stands behind too much, is refused; what nobody waits for any more is forgotten.
 */
import { Allowance } from "./Allowance.ts"
import type { ChainFile, FromReader } from "./ChainMessages.ts"
import { limitExceeded, RpcError } from "./RpcError.ts"

/** Milliseconds of processor time, shares of a core, and counts. */
export const LIMITS = {
  /** For one eth_call or eth_estimateGas, beside the gas of a block. */
  call: 50,
  /** For one request: a call that reads, or a batch in all. */
  request: 250,
  caller: { most: 2_000, share: 0.25 },
  everybody: { most: 2_000, share: 0.5 },
  /** Charged at least for each call. */
  least: 0.2,
  waitingPerCaller: 200,
  waiting: 2_000,
  /** Characters of one request's answers. */
  answer: 16 * 2 ** 20
} as const

const EXECUTING = ["eth_call", "eth_estimateGas"]

/** Somebody's request: its calls share a budget and end with it. */
export interface OutsideRequest {
  /** Who asks: an address or a token. */
  readonly caller: string
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  spentMillis: number
  characters: number
}

export interface OutsideCall {
  readonly file: ChainFile
  readonly method: string
  readonly params: unknown
  readonly request: OutsideRequest
}

interface Waiting extends OutsideCall {
  readonly since: number
  readonly settle: (answer: FromReader | RpcError) => void
}

interface Caller {
  readonly allowance: Allowance
  readonly waiting: Array<Waiting>
}

export interface OutsideQueueOptions {
  /** Answers one call; the queue never has two under way. Never rejects. */
  readonly run: (call: OutsideCall, cpuMillis: number) => Promise<FromReader>
  /** How long a call may wait for its turn, milliseconds. */
  readonly patience: number
  /** Milliseconds that only ever rise. */
  readonly now: () => number
}

const requestOver = (): RpcError =>
  limitExceeded(
    `this request has used its ${LIMITS.request} ms of processor time, which is what one request may use here; send fewer calls at once`
  )

export class OutsideQueue {
  readonly #options: OutsideQueueOptions
  /** In the order of their turns. */
  readonly #callers = new Map<string, Caller>()
  readonly #everybody: Allowance
  #count = 0
  #isRunning = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: OutsideQueueOptions) {
    this.#options = options
    this.#everybody = new Allowance(LIMITS.everybody.most, LIMITS.everybody.share, options.now())
  }

  /** Waits for the call's turn and answers it; rejects with an `RpcError` when it is refused. */
  ask(call: OutsideCall): Promise<FromReader> {
    const caller = this.#callerOf(call.request.caller)
    if (this.#count >= LIMITS.waiting || caller.waiting.length >= LIMITS.waitingPerCaller) {
      return Promise.reject(limitExceeded("too many calls wait here; ask again in some seconds, with fewer at once"))
    }
    return new Promise((resolve, reject) => {
      const settle: Waiting["settle"] = (answer) => (answer instanceof RpcError ? reject(answer) : resolve(answer))
      caller.waiting.push({ ...call, since: this.#options.now(), settle })
      this.#count += 1
      this.#next()
    })
  }

  /** Forgets what waits, for `chainId` or altogether. */
  clear(why: RpcError, chainId?: number): void {
    this.#drop(({ file }) => chainId === undefined || file.chainId === chainId, why)
  }

  /** Forgets what `request` still waits for. */
  forget(request: OutsideRequest): void {
    this.#drop((call) => call.request === request, limitExceeded("nobody waits for the answer any more"))
  }

  #callerOf(key: string): Caller {
    const now = this.#options.now()
    const known = this.#callers.get(key)
    if (known !== undefined) return known
    for (const [other, { allowance, waiting }] of this.#callers) {
      if (waiting.length === 0 && allowance.isFull(now)) this.#callers.delete(other)
    }
    const caller = { allowance: new Allowance(LIMITS.caller.most, LIMITS.caller.share, now), waiting: [] }
    this.#callers.set(key, caller)
    return caller
  }

  #drop(which: (call: Waiting) => boolean, why: RpcError): void {
    for (const caller of this.#callers.values()) {
      const gone = caller.waiting.filter(which)
      if (gone.length === 0) continue
      caller.waiting.splice(0, Number.POSITIVE_INFINITY, ...caller.waiting.filter((call) => !which(call)))
      this.#count -= gone.length
      for (const { settle } of gone) settle(why)
    }
  }

  /** Runs what is next, or waits until somebody may. */
  #next(): void {
    if (this.#isRunning) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#options.now()
    this.#drop(
      ({ since }) => now - since >= this.#options.patience,
      limitExceeded(
        `the call has waited ${this.#options.patience} ms for its turn: you or others use all the processor time there is for calls from outside; ask for less, or later`
      )
    )
    this.#drop(({ request }) => request.spentMillis >= LIMITS.request, requestOver())
    let pause = Number.POSITIVE_INFINITY
    for (const [key, caller] of this.#callers) {
      const [first] = caller.waiting
      if (first === undefined) continue
      const wait = Math.max(caller.allowance.wait(now), this.#everybody.wait(now))
      if (wait === 0) {
        caller.waiting.shift()
        this.#count -= 1
        this.#callers.delete(key)
        this.#callers.set(key, caller)
        void this.#run(first, caller)
        return
      }
      pause = Math.min(pause, wait, this.#options.patience - (now - first.since))
    }
    if (pause !== Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#next(), Math.max(1, Math.ceil(pause)))
  }

  async #run(call: Waiting, caller: Caller): Promise<void> {
    this.#isRunning = true
    const left = LIMITS.request - call.request.spentMillis
    const answer = await this.#options.run(call, EXECUTING.includes(call.method) ? Math.min(LIMITS.call, left) : left)
    const spent = Math.max(answer.cpuMillis, LIMITS.least)
    const now = this.#options.now()
    caller.allowance.spend(spent, now)
    this.#everybody.spend(spent, now)
    call.request.spentMillis += spent
    call.settle(answer)
    this.#isRunning = false
    this.#next()
  }
}

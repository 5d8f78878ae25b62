/**
 * The processor time one call may take. The EVM asks at every step, loops over rows at every row; asking reads the clock, and only when
 * as much time has passed as is left is the processor time of the thread read, which costs more. A call alone in its thread spends what
 * the thread spends; time in which the thread waited for a core does not count.
 */
import { limitExceeded, type RpcError } from "./RpcError.ts"

const overBudget = (millis: number): RpcError =>
  limitExceeded(
    `execution aborted: more than ${Math.round(millis)} ms of processor time, which is what this call may take here; ask for less at once`
  )

const spentMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

export class CallBudget {
  #limit = Number.POSITIVE_INFINITY
  #startedAt = 0
  #askAgainAt = Number.POSITIVE_INFINITY
  #exceeded: RpcError | undefined

  /** Begins a call that may take `millis`. */
  start(millis: number): void {
    this.#limit = millis
    this.#startedAt = spentMillis()
    this.#askAgainAt = performance.now() + millis
    this.#exceeded = undefined
  }

  /** Throws -32005 once the call has taken more than it may, and each time after that. */
  check(): void {
    if (this.#exceeded !== undefined) throw this.#exceeded
    const now = performance.now()
    if (now < this.#askAgainAt) return
    const left = this.#limit - this.spent()
    if (left > 0) {
      this.#askAgainAt = now + left
      return
    }
    this.#exceeded = overBudget(this.#limit)
    throw this.#exceeded
  }

  /** Milliseconds of processor time since the call began. */
  spent(): number {
    return spentMillis() - this.#startedAt
  }
}

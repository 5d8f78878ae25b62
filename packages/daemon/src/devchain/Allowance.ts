/** Processor time that somebody may use: so much at once, and so much again every second. It may be overdrawn, and is then paid back. */
export class Allowance {
  readonly #most: number
  readonly #perMilli: number
  #left: number
  #at: number

  /** `most` milliseconds at once, `share` of a core in the long run. */
  constructor(most: number, share: number, now: number) {
    this.#most = most
    this.#perMilli = share
    this.#left = most
    this.#at = now
  }

  /** Milliseconds from `now` until there is something to spend; 0 when there is. */
  wait(now: number): number {
    this.#refill(now)
    return this.#left > 0 ? 0 : 1 - this.#left / this.#perMilli
  }

  spend(millis: number, now: number): void {
    this.#refill(now)
    this.#left -= millis
  }

  /** Whether nothing of it is used, so that a new one would be the same. */
  isFull(now: number): boolean {
    this.#refill(now)
    return this.#left >= this.#most
  }

  #refill(now: number): void {
    this.#left = Math.min(this.#most, this.#left + (now - this.#at) * this.#perMilli)
    this.#at = now
  }
}

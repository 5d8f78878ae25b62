/** A queue in which callers take turns: somebody with a hundred calls waiting is served as often as somebody with one. */

export class FairQueue<A> {
  /** In the order of whose turn is next. */
  readonly #callers = new Map<string, Array<A>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** How many of this caller wait. */
  waitingOf(caller: string): number {
    return this.#callers.get(caller)?.length ?? 0
  }

  add(caller: string, item: A): void {
    const items = this.#callers.get(caller)
    if (items === undefined) this.#callers.set(caller, [item])
    else items.push(item)
    this.#size++
  }

  /** The oldest of the caller whose turn it is; the caller goes to the end. */
  take(): A | undefined {
    for (const [caller, items] of this.#callers) {
      this.#callers.delete(caller)
      const item = items.shift()
      if (items.length > 0) this.#callers.set(caller, items)
      this.#size--
      return item
    }
    return undefined
  }

  /** Takes back what no longer waits for its turn. */
  remove(caller: string, item: A): void {
    const items = this.#callers.get(caller)
    const place = items?.indexOf(item) ?? -1
    if (items === undefined || place < 0) return
    items.splice(place, 1)
    if (items.length === 0) this.#callers.delete(caller)
    this.#size--
  }
}

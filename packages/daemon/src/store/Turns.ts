/**
 * A few flows at a time. Were many let through together, they would take each step together as well: the ledger has nothing to do for
 * as long as that takes, then everything at once, and meanwhile the daemon has nothing to do. For speed alone: whoever has waited for a
 * moment goes on without a turn, so that one who is stuck stops nobody.
 */
import { Effect } from "effect"

/** Longer than a few flows need, shorter than anybody would notice. */
const PATIENCE_MS = 50

/** A turn that a flow has, or not. */
export class Turn {
  #giveBack: (() => void) | undefined

  constructor(giveBack?: () => void) {
    this.#giveBack = giveBack
  }

  /** Lets the next one in; does nothing the second time. */
  end(): void {
    const giveBack = this.#giveBack
    this.#giveBack = undefined
    giveBack?.()
  }
}

export class Turns {
  #free: number
  readonly #patience: number
  readonly #waiting = new Set<() => void>()

  /** `width` flows at a time; none waits longer than `patience` milliseconds. */
  constructor(width: number, patience = PATIENCE_MS) {
    this.#free = width
    this.#patience = patience
  }

  /** Runs `work` with a turn, which ends with it at the latest. */
  readonly withTurn = <A, E, R>(work: (turn: Turn) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let turn = new Turn()
      const enter = Effect.callback<void>((resume) => {
        const take = () => {
          turn = new Turn(this.#giveBack)
          leave()
          resume(Effect.void)
        }
        const leave = () => {
          clearTimeout(due)
          this.#waiting.delete(take)
        }
        const due = setTimeout(() => {
          leave()
          resume(Effect.void)
        }, this.#patience)
        this.#waiting.add(take)
        this.#letIn()
        return Effect.sync(leave)
      })
      return Effect.ensuring(
        Effect.flatMap(enter, () => work(turn)),
        Effect.sync(() => turn.end())
      )
    })

  /** The next one goes on once whoever gave the turn back has sent. */
  readonly #giveBack = (): void => {
    setImmediate(() => {
      this.#free++
      this.#letIn()
    })
  }

  #letIn(): void {
    for (const take of this.#waiting) {
      if (this.#free === 0) return
      this.#free--
      take()
    }
  }
}

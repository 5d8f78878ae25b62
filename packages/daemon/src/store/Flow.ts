/**
 * A flow: the transactions of one call, with fewer waits for the disk than transactions. A `step` goes on as soon as it is done; what
 * comes next in the flow is part of the same COMMIT or of a later one, and is refused once an earlier step was lost. So whatever of a
 * flow is on the disk, all before it is too, and it is enough to wait where something leaves the store: before a transaction is sent,
 * and before the caller is answered. On PostgreSQL every transaction is its own COMMIT and waits for it.
 */
import { Context, Deferred, Effect, Exit } from "effect"
import type { SqlError } from "effect/sql"
import { Turn, type Turns } from "./Turns.ts"

/** Transactions that share a COMMIT. */
export class Group {
  readonly #done = Deferred.makeUnsafe<void, SqlError.SqlError>()
  /** How its COMMIT ended; undefined before that. */
  exit: Exit.Exit<void, SqlError.SqlError> | undefined
  /** Does not let the COMMIT wait for more transactions. */
  readonly hurry: () => void
  /** What to do should the COMMIT fail. */
  readonly ifLost: Array<Effect.Effect<unknown>> = []

  constructor(hurry: () => void) {
    this.hurry = hurry
  }

  /** Ends with the COMMIT. */
  get committed(): Effect.Effect<void, SqlError.SqlError> {
    return Deferred.await(this.#done)
  }

  end(exit: Exit.Exit<void, SqlError.SqlError>): void {
    this.exit = exit
    Deferred.doneUnsafe(this.#done, exit)
    if (Exit.isFailure(exit)) for (const work of this.ifLost) Effect.runFork(work)
  }
}

/** One call's place in the store. */
export interface Flow {
  /** The group of its newest transaction, while nobody has waited for it. */
  newest: Group | undefined
  /** Why it cannot go on. */
  lost: Exit.Exit<void, SqlError.SqlError> | undefined
  isOpen: boolean
  /** Ends once it waits for the disk before it sends. */
  readonly turn: Turn
}

export const CurrentFlow = Context.Reference<Flow | undefined>("@treemark/daemon/store/Flow", {
  defaultValue: () => undefined
})

/** What the transaction at hand is to its flow: whether nobody waits for it, and what to do when it is lost. */
export const CurrentStep = Context.Reference<{ readonly ifLost: Effect.Effect<unknown> } | undefined>(
  "@treemark/daemon/store/Flow/Step",
  { defaultValue: () => undefined }
)

/** Fails when a step of the flow was lost. */
export const checked = (flow: Flow): Effect.Effect<void, SqlError.SqlError> =>
  Effect.suspend(() => {
    const exit = flow.newest?.exit
    if (exit !== undefined) {
      flow.newest = undefined
      if (Exit.isFailure(exit)) flow.lost = exit
    }
    return flow.lost ?? Effect.void
  })

const settled = (flow: Flow): Effect.Effect<void, SqlError.SqlError> =>
  Effect.suspend(() => {
    const { newest } = flow
    if (newest === undefined) return checked(flow)
    newest.hurry()
    return Effect.andThen(Effect.exit(newest.committed), checked(flow))
  })

/** Succeeds once everything that the flow at hand has done so far is on the disk; at once where there is no flow. */
export const onDisk: Effect.Effect<void, SqlError.SqlError> = Effect.flatMap(CurrentFlow, (flow) =>
  flow === undefined
    ? Effect.void
    : Effect.ensuring(
        settled(flow),
        Effect.sync(() => flow.turn.end())
      )
)

/**
 * Runs `work` as one flow, and succeeds once all of it is on the disk. Fails with `SqlError` when some of it was lost. With `turns` it
 * waits for its turn first, and lets the next one in at {@link onDisk}.
 */
export const inFlow = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  turns?: Turns
): Effect.Effect<A, E | SqlError.SqlError, R> => {
  const run = (turn: Turn) => {
    const flow: Flow = { newest: undefined, lost: undefined, isOpen: true, turn }
    return work.pipe(
      Effect.tap(() => settled(flow)),
      Effect.ensuring(
        Effect.sync(() => {
          flow.isOpen = false
        })
      ),
      Effect.provideService(CurrentFlow, flow)
    )
  }
  return turns === undefined ? Effect.suspend(() => run(new Turn())) : turns.withTurn(run)
}

/** As if there were no flow: for what gives back, mends or tries again, perhaps because the flow has lost a step. */
export const outsideFlow = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, CurrentFlow, undefined)

/**
 * Makes `change`, one transaction or statement, a step: within a flow that goes on nobody waits for its COMMIT. `ifLost` is run, outside
 * the flow, when that fails; it must not last, and forks what does.
 */
export const step = <A, E, R>(
  change: Effect.Effect<A, E, R>,
  ifLost: Effect.Effect<unknown> = Effect.void
): Effect.Effect<A, E, R> => Effect.provideService(change, CurrentStep, { ifLost: outsideFlow(ifLost) })

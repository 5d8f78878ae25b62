/**
 * Jobs that run in this process, one fiber per id in the owner's scope: whoever asks for the same id waits for the same job, and
 * nobody's going away ends it. A waiter that leaves at its deadline leaves the job `detached`: then the job settles by itself.
 */
import { Deferred, type Duration, Effect, Exit, Option, Schema, type Scope } from "effect"

/** The deadline passed. `txHash` is none when nothing was signed, and then nothing will be. */
export class Late extends Schema.TaggedError<Late>()("Late", { txHash: Schema.Option(Schema.String) }) {}

/** What a job tells while it runs. */
export interface Progress {
  /** Asked just before signing: false when the last waiter has left, and the job should end without having done anything. */
  readonly begin: () => boolean
  /** False once {@link begin} would be. */
  readonly isWanted: () => boolean
  readonly onSigned: (txHash: string) => void
}

/** A piece of work under one id. */
export interface Work<A, E> {
  readonly run: (progress: Progress) => Effect.Effect<A, E>
  /** Runs after work that nobody waited for to the end, when it ended: not when the process stops or the work broke. */
  readonly settle: (exit: Exit.Exit<A, E>) => Effect.Effect<void>
}

interface Job<A, E> {
  phase: "waiting" | "begun" | "given-up"
  detached: boolean
  waiters: number
  readonly signed: Deferred.Deferred<string>
  readonly done: Deferred.Deferred<A, E>
}

export interface Running<A, E> {
  /** Starts the job `id`, or joins it while it runs, and waits until it ends or `deadline` passes. */
  readonly attend: (id: string, deadline: Duration.Duration, work: Work<A, E>) => Effect.Effect<A, E | Late>
  /** Starts the job `id` with nobody waiting. */
  readonly detach: (id: string, work: Work<A, E>) => Effect.Effect<void>
}

/** The jobs of one owner, which run until its scope closes. */
export const makeRunning = Effect.fnUntraced(function* <A, E>(): Effect.fn.Return<Running<A, E>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const jobs = new Map<string, Job<A, E>>()

  const start = (id: string, work: Work<A, E>) =>
    Effect.suspend(() => {
      const known = jobs.get(id)
      if (known !== undefined && known.phase !== "given-up") return Effect.succeed(known)
      const job: Job<A, E> = {
        phase: "waiting",
        detached: false,
        waiters: 0,
        signed: Deferred.makeUnsafe(),
        done: Deferred.makeUnsafe()
      }
      jobs.set(id, job)
      const progress: Progress = {
        begin: () => {
          if (job.phase === "waiting") job.phase = "begun"
          return job.phase === "begun"
        },
        isWanted: () => job.phase !== "given-up",
        onSigned: (txHash) => void Deferred.doneUnsafe(job.signed, Effect.succeed(txHash))
      }
      const end = (exit: Exit.Exit<A, E>) =>
        Effect.suspend(() => {
          if (jobs.get(id) === job) jobs.delete(id)
          Deferred.doneUnsafe(job.done, exit)
          const hasEnded = Exit.isSuccess(exit) || Exit.hasFails(exit)
          return job.detached && hasEnded ? work.settle(exit) : Effect.void
        })
      return work.run(progress).pipe(Effect.onExit(end), Effect.exit, Effect.forkIn(scope), Effect.as(job))
    })

  const leave = (job: Job<A, E>): Effect.Effect<A, E | Late> =>
    Effect.suspend(() => {
      if (Deferred.isDoneUnsafe(job.done)) return Deferred.await(job.done)
      if (job.phase === "waiting" && job.waiters === 1) job.phase = "given-up"
      if (job.phase !== "begun") return Effect.fail(new Late({ txHash: Option.none() }))
      job.detached = true
      const late = Effect.flatMap(Deferred.await(job.signed), (txHash) => new Late({ txHash: Option.some(txHash) }))
      return Effect.raceFirst(Deferred.await(job.done), late)
    })

  return {
    attend: (id, deadline, work) =>
      Effect.flatMap(start(id, work), (job) => {
        job.waiters++
        return Deferred.await(job.done).pipe(
          Effect.timeoutOrElse({ duration: deadline, orElse: () => leave(job) }),
          Effect.onInterrupt(() => {
            job.detached = true
            return Effect.void
          }),
          Effect.ensuring(Effect.sync(() => void job.waiters--))
        )
      }),
    detach: (id, work) =>
      Effect.map(start(id, work), (job) => {
        job.detached = true
      })
  }
})

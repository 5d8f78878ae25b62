/**
 * Who is worked for first: paid calls, then free calls with a token, then calls without. Each class has a bound on what is worked on and on
 * what may wait, and within it callers take turns. While calls of a higher class are under way, a lower one gets a share of the time
 * and no more: after each of its calls it pauses for longer than that call took, so that those who pay notice little of those who do not.
 */
import { Clock, Context, Deferred, Duration, Effect, Layer } from "effect"
import { inFlight, note, queued, turnedAway } from "../../telemetry/Metrics.ts"
import { Refused } from "../ApiErrors.ts"
import { FairQueue } from "./FairQueue.ts"

/** From first to last. */
export const CLASSES = ["paid", "token", "open"] as const
export type AdmissionClass = (typeof CLASSES)[number]

export interface Bounds {
  /** Worked on at a time. */
  readonly working: number
  /** While calls of a higher class are under way: begun lately, and how many times as long as each took is paused after it. */
  readonly crowded: number
  readonly pause: number
  /** May wait, in all and of one caller. */
  readonly queued: number
  readonly ofCaller: number
  /** How long one waits at most. */
  readonly patience: Duration.Duration
}

/** Generous: they stop crowds, not callers. */
export const AdmissionBounds = Context.Reference<{ readonly [name in AdmissionClass]: Bounds }>(
  "@treemark/daemon/http/edge/Admission/Bounds",
  {
    defaultValue: () => ({
      paid: { working: 256, crowded: 256, pause: 0, queued: 4_096, ofCaller: 1_024, patience: Duration.seconds(30) },
      token: { working: 128, crowded: 2, pause: 1, queued: 1_024, ofCaller: 256, patience: Duration.seconds(20) },
      open: { working: 256, crowded: 1, pause: 2, queued: 1_024, ofCaller: 512, patience: Duration.seconds(10) }
    })
  }
)

/** What runs longer waits for something else than our time, and keeps nobody out. */
const LATELY_MS = 100

export class Admission extends Context.Service<
  Admission,
  {
    /** Runs `work` when it is its turn; refuses it with 429 or 503 when too many wait. */
    readonly turn: <A, E, R>(
      kind: AdmissionClass,
      caller: string,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Refused, R>
  }
>()("@treemark/daemon/http/edge/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const bounds = yield* AdmissionBounds
      const clock = yield* Clock.Clock
      return Admission.of({ turn: makeTurns(bounds, () => clock.currentTimeMillisUnsafe()) })
    })
  )
}

/** A call that waits for its turn. */
type Waiting = Deferred.Deferred<void>

/** A class as it is right now. */
interface Lane {
  readonly kind: AdmissionClass
  readonly bounds: Bounds
  readonly queue: FairQueue<Waiting>
  /** When each call that is worked on was begun. */
  readonly begun: Set<{ readonly at: number }>
  /** Nothing is begun before, while higher classes are under way. */
  notBefore: number
}

const makeTurns = (bounds: (typeof AdmissionBounds)["Service"], now: () => number): Admission["Service"]["turn"] => {
  const lanes = CLASSES.map(
    (kind): Lane => ({ kind, bounds: bounds[kind], queue: new FairQueue(), begun: new Set(), notBefore: 0 })
  )
  /** How each call that was let in is ended. */
  const granted = new WeakMap<Waiting, () => void>()
  let timer: NodeJS.Timeout | undefined

  const isCrowded = (lane: Lane): boolean =>
    lanes.slice(0, lanes.indexOf(lane)).some(({ begun, queue }) => begun.size > 0 || queue.size > 0)

  /** How long the next call of the lane still has to wait, in milliseconds; infinite while all its places are taken. */
  const delayOf = (lane: Lane, at: number): number => {
    if (lane.begun.size >= lane.bounds.working) return Number.POSITIVE_INFINITY
    if (!isCrowded(lane)) return 0
    const lately = [...lane.begun].filter((one) => at - one.at < LATELY_MS)
    if (lately.length < lane.bounds.crowded) return Math.max(0, lane.notBefore - at)
    return Math.min(...lately.map((one) => one.at)) + LATELY_MS - at
  }

  const begin = (lane: Lane, at: number) => {
    const one = { at }
    lane.begun.add(one)
    note(inFlight, lane.begun.size, { class: lane.kind })
    return () => {
      lane.begun.delete(one)
      note(inFlight, lane.begun.size, { class: lane.kind })
      const ended = now()
      lane.notBefore = ended + lane.bounds.pause * Math.min(LATELY_MS, ended - at)
      pump()
    }
  }

  /** Calls whose turn has come, first class first; what has to pause is looked at again after it. */
  const pump = (): void => {
    const at = now()
    let soonest = Number.POSITIVE_INFINITY
    for (const lane of lanes) {
      while (lane.queue.size > 0) {
        const delay = delayOf(lane, at)
        if (delay > 0) {
          soonest = Math.min(soonest, delay)
          break
        }
        const next = lane.queue.take()
        if (next === undefined) break
        granted.set(next, begin(lane, at))
        Deferred.doneUnsafe(next, Effect.void)
      }
      note(queued, lane.queue.size, { class: lane.kind })
    }
    clearTimeout(timer)
    timer = soonest === Number.POSITIVE_INFINITY ? undefined : setTimeout(pump, Math.max(1, soonest))
  }
  /** Waits for the turn; answers how it is ended. */
  const enter = (lane: Lane, caller: string): Effect.Effect<() => void, Refused> =>
    Effect.suspend(() => {
      const { bounds, kind, queue } = lane
      const at = now()
      if (queue.size === 0 && delayOf(lane, at) <= 0) return Effect.succeed(begin(lane, at))
      if (queue.waitingOf(caller) >= bounds.ofCaller) return refusal(kind, "caller")
      if (queue.size >= bounds.queued) return refusal(kind, "queue")
      const waiting: Waiting = Deferred.makeUnsafe()
      queue.add(caller, waiting)
      pump()
      const leave = Effect.sync(() => {
        queue.remove(caller, waiting)
        granted.get(waiting)?.()
      })
      return Deferred.await(waiting).pipe(
        Effect.map(() => granted.get(waiting) ?? (() => undefined)),
        Effect.onInterrupt(() => leave),
        Effect.timeoutOrElse({ duration: bounds.patience, orElse: () => refusal(kind, "patience") })
      )
    })

  return (kind, caller, work) => {
    const lane = lanes[CLASSES.indexOf(kind)]!
    return Effect.acquireUseRelease(
      Effect.interruptible(enter(lane, caller)),
      () => work,
      (end) => Effect.sync(end)
    )
  }
}

const RETRY_AFTER: { readonly [name in AdmissionClass]: number } = { paid: 1, token: 2, open: 3 }

const refusal = (kind: AdmissionClass, why: "caller" | "queue" | "patience"): Effect.Effect<never, Refused> =>
  Effect.suspend((): Refused => {
    note(turnedAway, 1, { class: kind, why })
    const wait = RETRY_AFTER[kind]
    const advice = `Nothing was done or charged; call again in ${wait} s${kind === "open" ? ", or with a token, which goes first" : ""}.`
    const headers = { "retry-after": String(wait) }
    return why === "caller"
      ? new Refused({ code: "too_many_requests", detail: `Too many of your calls wait already. ${advice}`, headers })
      : new Refused({ code: "overloaded", detail: `More calls wait than can be answered soon. ${advice}`, headers })
  })

/**
 * Callers who ask once and take no for an answer, while something around the daemon breaks and is mended again: what they were refused
 * must have cost them nothing, or be made and charged, without anybody asking again and without a restart.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import type { RegisteredAsset } from "../layers/RunningDaemon.ts"
import { attempt, type Caller, makeCaller, registerAsset } from "./Callers.ts"
import { assertConsistent } from "./Invariants.ts"
import type { Daemon, Rig } from "./Rig.ts"

const PAUSE = "100 millis"

export interface Refused {
  readonly caller: Caller
  readonly message: string
  readonly status: number | undefined
  readonly body: string
}

export interface Weather {
  /** Breaks something, and mends it. */
  readonly begin: Effect.Effect<unknown>
  readonly end: Effect.Effect<unknown>
  /** The problem codes callers may be told meanwhile; none: nobody is refused anything. */
  readonly codes: ReadonlyArray<string>
  /** More to look at while it lasts. */
  readonly meanwhile?: (daemon: Daemon, caller: Caller) => Effect.Effect<void, Error>
}

const FEW = 20
const MANY_REFUSED = 12

/** Commits before, during and after the weather, one question each. */
export const commitThrough = Effect.fnUntraced(function* (rig: Rig, daemon: Daemon, weather: Weather) {
  const callers = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (n) =>
    makeCaller(rig, `caller ${n}`, n < 4 ? "credits" : "tokens", "100")
  )
  const asset = yield* registerAsset(daemon.url, callers[0]!, "photo")
  const done = new Map<string, string>()
  const refused: Array<Refused> = []
  let stopping = false

  const ask = Effect.fnUntraced(function* (caller: Caller, message: string) {
    const { body, status } = yield* attempt(daemon.url, caller, asset, message)
    if (status === 200) done.set(message, (JSON.parse(body) as { readonly txHash: string }).txHash)
    else refused.push({ caller, message, status, body })
    return { body, status }
  })
  const working = yield* Effect.forkChild(
    Effect.forEach(
      callers,
      Effect.fnUntraced(function* (caller) {
        for (let n = 1; !stopping; n++) {
          const { status } = yield* ask(caller, `${caller.name} commit ${n}`)
          if (status !== 200) yield* Effect.sleep(PAUSE)
        }
      }),
      { concurrency: "unbounded", discard: true }
    )
  )
  const reached = (isEnough: () => boolean, what: string) =>
    Effect.sleep("20 millis").pipe(
      Effect.repeat({ until: isEnough }),
      Effect.timeout("10 minutes"),
      Effect.catch(() =>
        Effect.die(
          new Error(`${what}: ${done.size} done, ${refused.length} refused; ${refused.at(-1)?.body} ${daemon.stderr()}`)
        )
      )
    )

  yield* reached(() => done.size >= FEW, "before")
  yield* weather.begin
  const before = done.size
  yield* reached(
    () => (weather.codes.length > 0 ? refused.length >= MANY_REFUSED : done.size >= before + FEW),
    "while it lasted"
  )
  yield* Effect.sleep("1 second")
  if (weather.meanwhile !== undefined) yield* weather.meanwhile(daemon, callers[0]!)
  yield* weather.end
  const ended = done.size
  yield* reached(() => done.size >= ended + FEW, "after")
  stopping = true
  yield* Fiber.join(working)

  for (const { body, message, status } of refused) assertClear(weather.codes, status, body, message)
  const open = refused.map(({ message }) => message)
  yield* assertConsistent(rig, daemon.url, { callers, done, open })
  const again = refused.splice(0)
  yield* Effect.forEach(again, ({ caller, message }) => ask(caller, message), { concurrency: 4 })
  assert.deepStrictEqual(refused, [], "asked again with the same keys")
  yield* assertConsistent(rig, daemon.url, { callers, done })
  assert.isTrue(Option.isNone(yield* Effect.timeoutOption(daemon.ended, "50 millis")), daemon.stderr())
  return { asset, callers, done, refused: again }
})

/** A 500 of one of the kinds expected, in sentences for the person who reads it. */
const assertClear = (codes: ReadonlyArray<string>, status: number | undefined, body: string, message: string) => {
  assert.strictEqual(status, 500, `${message}: ${body}`)
  const { code = "", detail = "" } = JSON.parse(body) as { readonly code?: string; readonly detail?: string }
  assert.include(codes, code, body)
  assert.isAbove(detail.length, 40, body)
}

/** The same key once more gives the same transaction. */
export const assertReplayed = Effect.fnUntraced(function* (
  daemon: Daemon,
  asset: RegisteredAsset,
  caller: Caller,
  message: string,
  txHash: string
) {
  const { body, status } = yield* attempt(daemon.url, caller, asset, message)
  assert.strictEqual(status, 200, body)
  assert.strictEqual((JSON.parse(body) as { readonly txHash: string }).txHash, txHash, message)
})

/**
 * Callers that commit without pause while their daemon comes and goes: each asks for one commit after the other, and for the same one
 * with the same key until it is answered with 200, as a careful program would.
 */
import { Effect } from "effect"
import type { RegisteredAsset } from "../layers/RunningDaemon.ts"
import { attempt, type Caller } from "./Callers.ts"

const PAUSE = "50 millis"
/** A caller waits no longer than this for an answer. */
const PATIENCE = "20 seconds"

export interface Load {
  /** Where the daemon answers now. */
  url: string
  /** Callers finish what they are at, and begin nothing new. */
  stopping: boolean
  /** The transaction of each commit that was answered with 200, by its message. */
  readonly done: Map<string, string>
  /** Everything else callers were told, and how often; "cut off" when no answer came. */
  readonly met: Map<string, number>
  /** Commits that are to be begun in all; without it there is no end to them. */
  left: number
}

export const makeLoad = (url: string, commits = Number.POSITIVE_INFINITY): Load => ({
  url,
  stopping: false,
  done: new Map(),
  met: new Map(),
  left: commits
})

const codeOf = (status: number | undefined, body: string): string => {
  if (status === undefined) return "cut off"
  const { code } = JSON.parse(body) as { readonly code?: string }
  return `${status} ${code ?? ""}`
}

/** Asks until the answer is 200. */
export const askUntilDone = Effect.fnUntraced(function* (
  load: Load,
  caller: Caller,
  asset: RegisteredAsset,
  message: string
) {
  for (;;) {
    const { body, status } = yield* attempt(load.url, caller, asset, message).pipe(
      Effect.timeout(PATIENCE),
      Effect.catchTag("TimeoutError", () => Effect.succeed({ status: undefined, body: "" }))
    )
    if (status === 200) {
      load.done.set(message, (JSON.parse(body) as { readonly txHash: string }).txHash)
      return
    }
    const met = codeOf(status, body)
    load.met.set(met, (load.met.get(met) ?? 0) + 1)
    yield* Effect.sleep(PAUSE)
  }
})

/** All callers at once, until the load is stopping or has no commits left. */
export const work = (load: Load, callers: ReadonlyArray<Caller>, asset: RegisteredAsset) =>
  Effect.forEach(
    callers,
    Effect.fnUntraced(function* (caller) {
      for (let n = 1; !load.stopping && load.left-- > 0; n++) {
        yield* askUntilDone(load, caller, asset, `${caller.name} commit ${n}`)
      }
    }),
    { concurrency: "unbounded", discard: true }
  )

/** What was met, as one line. */
export const metText = (load: Load): string =>
  [...load.met].map(([what, count]) => `${count} × ${what}`).join(", ") || "nothing else"

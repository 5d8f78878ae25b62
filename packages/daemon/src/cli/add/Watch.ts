/**
 * Keeps folders: what comes into them is added once it stopped growing, which is when it looks the same twice in a row. The file system
 * says that something changed; where it cannot (a network drive, too many folders), a look now and then does. Nothing is remembered
 * between two runs but what the daemon knows, so a watch that starts again goes on where the last one ended.
 */
import { watch } from "node:fs"
import { stat } from "node:fs/promises"
import { Console, Effect } from "effect"
import { type Added, type Adding, addFiles } from "./AddFiles.ts"
import { stampOf } from "./ReadFile.ts"
import { type Walked, walk } from "./Walk.ts"

/** Between two looks at files that may still grow. */
const SETTLING = "1500 millis"
/** A look without any word from the file system. */
const LOOK_EVERY = "30 seconds"
/** After funds ran out, a limit was reached, or the daemon went. */
const TRY_AGAIN = "60 seconds"

export interface Watching {
  readonly paths: ReadonlyArray<string>
  readonly recursive: boolean
  /** What the first run, over everything that was there, made of each file. */
  readonly first: Added
}

/** Never ends by itself. */
export const watchFolders = Effect.fnUntraced(function* (adding: Adding, { first, paths, recursive }: Watching) {
  const handled = new Set(first.stamps.keys())
  let growing = new Map<string, string>()
  yield* Console.error(`Watching ${paths.join(", ")}; Ctrl-C ends it.`)
  for (;;) {
    const seen = yield* Effect.promise(() => look(paths, recursive))
    const fresh = seen.filter(({ stamp }) => !handled.has(stamp))
    const whole = fresh.filter(({ key, stamp }) => growing.get(key) === stamp)
    growing = new Map(fresh.map(({ key, stamp }) => [key, stamp]))
    if (whole.length > 0) {
      const { ended, stamps } = yield* addFiles(
        adding,
        whole.map(({ walked }) => walked)
      )
      for (const stamp of stamps.keys()) handled.add(stamp)
      if (ended === undefined) {
        // What failed for a reason of its own is tried again when it changes.
        for (const { stamp } of whole) handled.add(stamp)
      } else {
        yield* Console.error(`Tried again in a minute: ${ended.message}`)
        yield* Effect.sleep(TRY_AGAIN)
      }
    }
    const isSettling = fresh.length > whole.length
    yield* isSettling ? Effect.sleep(SETTLING) : Effect.raceFirst(change(paths, recursive), Effect.sleep(LOOK_EVERY))
  }
})

interface Seen {
  readonly walked: Walked
  readonly key: string
  readonly stamp: string
}

/** Every file that could be added, in its present state. Others are not worth a word on each look. */
const look = async (paths: ReadonlyArray<string>, recursive: boolean): Promise<ReadonlyArray<Seen>> => {
  const seen: Array<Seen> = []
  for await (const walked of walk(paths, recursive)) {
    if ("skipped" in walked || "problem" in walked) continue
    const facts = await stat(walked.file.path).catch(() => undefined)
    if (facts === undefined || facts.size === 0) continue
    seen.push({ walked, key: walked.file.path.toString("latin1"), stamp: stampOf(facts) })
  }
  return seen
}

/** Ends when something changed in one of the folders. */
const change = (paths: ReadonlyArray<string>, recursive: boolean): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const watchers = paths.flatMap((path) => {
      try {
        return [watch(path, { recursive }, () => resume(Effect.void)).on("error", () => undefined)]
      } catch {
        return []
      }
    })
    return Effect.sync(() => {
      for (const watcher of watchers) watcher.close()
    })
  })

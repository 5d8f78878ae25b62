/** `treemarkd add` for its tests: run with `--json`, its lines read, and folders to run it on. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { type Running, treemarkd } from "./Treemarkd.ts"

export interface Line {
  readonly file?: string
  readonly fileBytes?: string
  readonly outcome?: string
  readonly code?: string
  readonly reason?: string
  readonly assetCid?: string
  readonly assetTreeCid?: string
  readonly summary?: Readonly<Record<string, number>>
  readonly plan?: Readonly<Record<string, unknown>>
}

export const linesOf = (stdout: string): ReadonlyArray<Line> =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)

export const add = Effect.fnUntraced(function* (home: string, ...args: ReadonlyArray<string>) {
  const ended = yield* treemarkd(["add", ...args, "--json"], { home })
  const lines = linesOf(ended.stdout)
  return { ...ended, lines, summary: lines.at(-1)?.summary }
})

/** A folder of `count` files, each with bytes of its own. */
export const folderOf = (home: string, name: string, count: number): string => {
  const folder = join(home, name)
  mkdirSync(folder)
  for (let n = 0; n < count; n++) writeFileSync(join(folder, `${n}.txt`), `${name} ${n}`)
  return folder
}

/** Waits until it has told of `count` commits, or has ended. */
export const committedBy = (run: Running, count: number) =>
  Effect.sync(() => run.stdout().split('"outcome":"committed"').length > count).pipe(
    Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced("20 millis") }),
    Effect.raceFirst(run.ended)
  )

/**
 * The points a daemon passes on its way through a commit, and its death at one of them. A point is a line such as
 * `before commit insert posting, insert hold`; the same line may be passed more than once, so a point is a line and which time.
 *
 * What to do stands in a small file that is read whenever a point is passed: nothing (no file), write every point down, or die at
 * one of them. The process then kills itself with SIGKILL, after it has written down where. Every thread of the process counts
 * for itself; no line is passed by two threads.
 */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The name of the variable that holds the folder of both files; without it every point is passed for nothing. */
export const FAULTS_FOLDER = "TREEMARK_TEST_FAULTS_FOLDER"

export interface Point {
  readonly line: string
  /** Which time the line is passed, from 1. */
  readonly time: number
}

/** `run` tells one armed stretch from the next: counting starts anew with it. */
interface Plan {
  readonly run: string
  readonly die: Point | null
}

const planIn = (folder: string): string => join(folder, "plan.json")
const logIn = (folder: string): string => join(folder, "passed.log")

const DIED = "died "

/** Begins a stretch: every point is written down, and at `die` the process ends. */
export const arm = (folder: string, run: string, die: Point | null): void => {
  rmSync(logIn(folder), { force: true })
  const draft = `${planIn(folder)}.new`
  writeFileSync(draft, JSON.stringify({ run, die } satisfies Plan))
  renameSync(draft, planIn(folder))
}

/** Ends the stretch. */
export const disarm = (folder: string): void => rmSync(planIn(folder), { force: true })

const linesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return readFileSync(logIn(folder), "utf8").trimEnd().split("\n")
  } catch {
    return []
  }
}

/** The points passed since {@link arm}, in order. */
export const passed = (folder: string): ReadonlyArray<Point> => {
  const times = new Map<string, number>()
  return linesOf(folder)
    .filter((line) => !line.startsWith(DIED))
    .map((line) => {
      const time = (times.get(line) ?? 0) + 1
      times.set(line, time)
      return { line, time }
    })
}

/** Where the process killed itself since {@link arm}; undefined when it did not. */
export const diedAt = (folder: string): string | undefined =>
  linesOf(folder)
    .findLast((line) => line.startsWith(DIED))
    ?.slice(DIED.length)

const folder = process.env[FAULTS_FOLDER]
const times = new Map<string, number>()
let run: string | undefined

const readPlan = (from: string): Plan | undefined => {
  try {
    return JSON.parse(readFileSync(planIn(from), "utf8")) as Plan
  } catch {
    return undefined
  }
}

/** Passes a point: returns, or ends the process. */
export const pass = (line: string): void => {
  if (folder === undefined) return
  const plan = readPlan(folder)
  if (plan === undefined) return
  if (plan.run !== run) {
    run = plan.run
    times.clear()
  }
  const time = (times.get(line) ?? 0) + 1
  times.set(line, time)
  appendFileSync(logIn(folder), `${line}\n`)
  if (plan.die?.line !== line || plan.die.time !== time) return
  appendFileSync(logIn(folder), `${DIED}${line}\n`)
  process.kill(process.pid, "SIGKILL")
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/**
 * The clocks of a daemon under test, moved by what a file says, `{"offset": milliseconds, "speed": factor}`: `Date.now` by both, and the
 * monotonic one of `process.hrtime` by its speed alone, as nobody can set it. Effect's clock reads these two. The file is looked at
 * twenty times a second; timers are not moved.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"

/** The name of the variable that holds the file. */
export const CLOCK_FILE = "TREEMARK_TEST_CLOCK_FILE"

export interface Clock {
  /** Milliseconds added to the machine's time. */
  readonly offset: number
  /** How many times as fast as the machine's it runs, from the moment the daemon started: a whole number, which stays. */
  readonly speed: number
}

export const setClock = (file: string, clock: Clock): void => {
  writeFileSync(`${file}.new`, JSON.stringify(clock))
  renameSync(`${file}.new`, file)
}

const LOOK_MS = 50

/** Steers this process's clock from now on, when the variable is set. */
export const steerClock = (): void => {
  const file = process.env[CLOCK_FILE]
  if (file === undefined) return
  const { now } = Date
  const startedAt = now()
  let clock: Clock = { offset: 0, speed: 1 }
  const look = (): void => {
    try {
      clock = JSON.parse(readFileSync(file, "utf8")) as Clock
    } catch {
      clock = { offset: 0, speed: 1 }
    }
  }
  look()
  setInterval(look, LOOK_MS).unref()
  Date.now = () => Math.round(startedAt + (now() - startedAt) * clock.speed + clock.offset)
  const { bigint } = process.hrtime
  const origin = bigint()
  process.hrtime.bigint = () => origin + (bigint() - origin) * BigInt(clock.speed)
}

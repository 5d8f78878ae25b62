/** A bar on a terminal's standard error: how much is done, how many proofs a second, how long it will still take. Redrawn ten times a second at most. */
import { writeText } from "../Streams.ts"
import { type Tally, totalOf } from "./Tally.ts"

const REDRAW_MS = 100
const BAR_WIDTH = 20
const CLEAR_LINE = "\r\x1b[K"
const STANDARD_ERROR = 2

export interface Progress {
  /** `done` of the whole, in the unit of `whole`. */
  readonly update: (tally: Tally, done: number) => void
  /** Takes the bar away, so that something else can be written. */
  readonly clear: () => void
}

/** `whole`: bytes or files there are; undefined when nobody knows. */
export const makeProgress = (whole: number | undefined): Progress => {
  const started = performance.now()
  let drawn = started
  return {
    update: (tally, done) => {
      const now = performance.now()
      if (now - drawn < REDRAW_MS) return
      drawn = now
      writeText(STANDARD_ERROR, `${CLEAR_LINE}${progressText(tally, { done, whole, seconds: (now - started) / 1000 })}`)
    },
    clear: () => {
      if (drawn !== started) writeText(STANDARD_ERROR, CLEAR_LINE)
      drawn = performance.now()
    }
  }
}

/** One line: `[#####---------------]  25 %  12,345 proofs  9,876/s  0:03 left  2 not valid`. */
export const progressText = (
  tally: Tally,
  at: { readonly done: number; readonly whole: number | undefined; readonly seconds: number }
): string => {
  const total = totalOf(tally)
  const share = at.whole === undefined || at.whole === 0 ? undefined : Math.min(1, at.done / at.whole)
  const bad = total - tally.valid
  const parts = [
    ...(share === undefined ? [] : [`${bar(share)} ${String(Math.floor(share * 100)).padStart(3)} %`]),
    `${grouped(total)} proofs`,
    `${grouped(Math.round(total / Math.max(at.seconds, 0.001)))}/s`,
    ...(share === undefined || share === 0 ? [] : [`${clock((at.seconds / share) * (1 - share))} left`]),
    ...(bad === 0 ? [] : [`${grouped(bad)} not valid`])
  ]
  return parts.join("  ")
}

const bar = (share: number): string => {
  const full = Math.round(share * BAR_WIDTH)
  return `[${"#".repeat(full)}${"-".repeat(BAR_WIDTH - full)}]`
}

/** 12345 → 12,345. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")

const clock = (seconds: number): string => {
  const whole = Math.ceil(seconds)
  const minutes = Math.floor(whole / 60)
  const rest = String(whole % 60).padStart(2, "0")
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`
}

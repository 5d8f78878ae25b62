/** A progress bar on standard error, drawn only on a terminal: share done, rate and time left. */
import { Clock, Effect } from "effect"

const REDRAW_MILLIS = 100
const BAR_WIDTH = 24

/** `total` is in bytes. `advance` counts bytes done; `end` clears the line. Nothing is drawn unless `wanted`. */
export const progressBar = Effect.fnUntraced(function* (label: string, total: number, wanted: boolean) {
  const terminal = process.stderr
  const drawn = wanted && terminal.isTTY
  const startedAt = yield* Clock.currentTimeMillis
  let done = 0
  let drawnAt = 0
  const draw = (now: number) => {
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const rate = done / Math.max(1, now - startedAt)
    const left = rate === 0 ? "" : `, ${Math.ceil((total - done) / rate / 1000)} s left`
    const filled = Math.round(share * BAR_WIDTH)
    const bar = `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}`
    terminal.write(`\r\x1b[2K${label} ${bar} ${Math.floor(share * 100)} % ${(rate / 1000).toFixed(1)} MB/s${left}`)
  }
  return {
    advance: (bytes: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        done += bytes
        if (!drawn || now - drawnAt < REDRAW_MILLIS) return
        drawnAt = now
        draw(now)
      }),
    end: Effect.sync(() => {
      if (drawn) terminal.write("\r\x1b[2K")
    })
  }
})

/** What a figure of the bench is: measured in one run against its peers, given as ratios with the goal beside them. */
import { type SpawnSyncOptionsWithStringEncoding, spawnSync } from "node:child_process"
import { loadavg } from "node:os"

export interface Row {
  /** What was measured, with the figures behind the ratio. */
  readonly what: string
  readonly value: number
  /** `min` and `max` are goals; a row without one is for comparison. */
  readonly min?: number
  readonly max?: number
  readonly unit?: string
}

export interface Figure {
  readonly title: string
  readonly measure: () => Promise<ReadonlyArray<Row>>
}

export const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** CPU milliseconds (user + system) of one process that ends with `code`, as bash's `time` reads them off the kernel. */
export const cpuMillis = (command: string, args: ReadonlyArray<string>, code = 0): number => {
  const script = 'TIMEFORMAT="%3U %3S"; time "$0" "$@" >/dev/null'
  const options: SpawnSyncOptionsWithStringEncoding = {
    env: { LC_ALL: "C", PATH: process.env.PATH },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  }
  const run = spawnSync("bash", ["-c", script, command, ...args], options)
  const seconds = /(\d+\.\d+) (\d+\.\d+)\s*$/.exec(run.stderr)
  if (run.status !== code || seconds === null) throw new Error(`${command} ${args.join(" ")} failed: ${run.stderr}`)
  return (Number(seconds[1]) + Number(seconds[2])) * 1000
}

/** Runs the figure and prints its rows. Gives the number of goals that were missed. */
export const show = async ({ title, measure }: Figure): Promise<number> => {
  const before = loadavg()[0]!
  const rows = await measure()
  console.log(`\n${title} (load ${before.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} after)`)
  for (const row of rows)
    console.log(`  ${mark(row)} ${valueText(row).padEnd(10)} ${goalText(row).padEnd(18)} ${row.what}`)
  return rows.filter((row) => !isReached(row)).length
}

/** Runs one figure from its own file. */
export const showAlone = async (figure: Figure): Promise<void> => {
  process.exitCode = (await show(figure)) === 0 ? 0 : 1
}

const isReached = ({ value, min, max }: Row): boolean =>
  (min === undefined || value >= min) && (max === undefined || value <= max)

const mark = (row: Row): string => {
  if (row.min === undefined && row.max === undefined) return " "
  return isReached(row) ? "✓" : "✗"
}

const valueText = ({ value, unit }: Row): string =>
  unit === undefined ? `${value.toFixed(2)} ×` : `${value.toFixed(0)} ${unit}`

const goalText = (row: Row): string => {
  const text = (value: number): string => (row.unit === undefined ? `${value} ×` : `${value} ${row.unit}`)
  if (row.min !== undefined) return `(goal ≥ ${text(row.min)})`
  return row.max === undefined ? "" : `(goal ≤ ${text(row.max)})`
}

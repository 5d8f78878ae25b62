/** The log's last lines, for whoever looks at the daemon from the console: as they were written, bounded in number and length. */

const MOST_LINES = 200
const LONGEST = 2_000

const lines: Array<string> = []

/** Notes a line that is written to the log. */
export const noteLine = (line: string): void => {
  lines.push(line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line)
  if (lines.length > MOST_LINES) lines.shift()
}

/** Oldest first. */
export const recentLines = (): ReadonlyArray<string> => [...lines]

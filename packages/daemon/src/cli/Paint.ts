/** Colours on a terminal, and none anywhere else or where NO_COLOR is set (https://no-color.org). */

export type Paint = (text: string) => string

export interface Colours {
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly faint: Paint
  readonly strong: Paint
}

const plain: Paint = (text) => text
const ansi =
  (code: number): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[0m`

const PLAIN: Colours = { red: plain, green: plain, yellow: plain, faint: plain, strong: plain }
const ON: Colours = { red: ansi(31), green: ansi(32), yellow: ansi(33), faint: ansi(2), strong: ansi(1) }

/** For what goes to standard output; `refused` is what NO_COLOR holds. */
export const paintFor = (refused: string | undefined): Colours =>
  process.stdout.isTTY && (refused === undefined || refused === "") ? ON : PLAIN

/**
 * The memory of a daemon that waits. While it loads, nearly everything that V8 makes stays, so V8 doubles the room for what is young, and again,
 * in each thread, and does not give it back: 40 of 190 MB. The room is kept small until the daemon is ready; from then on it grows as work needs it.
 */
import { setFlagsFromString } from "node:v8"

/** V8's own value of the flag. */
const USUAL = 2

const growBy = (factor: number) => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/** From now on, in every thread of this process. */
export const keepSmall = (): void => growBy(1)

export const letGrow = (): void => growBy(USUAL)

/**
 * Reads logs of many blocks in windows as wide as the node lets them be: they grow until one is refused, shrink to what the node wants
 * (LogLimits), and grow again where only what those blocks held was too much. From the oldest block on, or from the newest back.
 */
import { Duration, Effect, Result } from "effect"
import { wishOf } from "./LogLimits.ts"
import { RpcFailure } from "./RpcFailure.ts"

/** Blocks `low` to `high`, both included; none when `low` is higher. */
export interface Span {
  readonly low: bigint
  readonly high: bigint
}

/** What every public node of these networks answers for at once. */
export const FIRST_WINDOW = 2_048n

export interface WindowOptions {
  /** How many blocks the first question is about. */
  readonly first: bigint
  readonly newestFirst: boolean
  /** Reading ends when so many are found; every one by default. */
  readonly limit?: number | undefined
  /** So many in one answer are enough: windows are made to fit, so that no answer keeps the event loop for long. */
  readonly enough?: number
}

/** After a refusal that is no lasting rule, so many answers at half of what was refused pass before as much is tried again. */
const CALM_ANSWERS = 8
/** Questions that came to nothing (timeouts, a gateway's 5xx) in a row; each was repeated by the transport already. */
const MOST_SILENCES = 3
const MOST_WAITS = 10
const WAIT = Duration.millis(500)

/** What `read` finds in all blocks of `span`, in the order of the blocks whichever end is read first. */
export const readWindows = Effect.fn("LogWindows.readWindows")(function* <A>(
  span: Span,
  read: (window: Span) => Effect.Effect<ReadonlyArray<A>, RpcFailure>,
  options: WindowOptions
) {
  const parts: Array<ReadonlyArray<A>> = []
  yield* eachWindow(
    span,
    (window) =>
      Effect.map(read(window), (found) => {
        parts.push(found)
        return found.length
      }),
    options
  )
  return (options.newestFirst ? parts.reverse() : parts).flat()
})

/** Has `use` read the whole of `span`, window by window; it answers how many it found. What fails it but the node ends the reading. */
export const eachWindow = Effect.fn("LogWindows.eachWindow")(function* <E, R>(
  span: Span,
  use: (window: Span) => Effect.Effect<number, RpcFailure | E, R>,
  { enough = Number.POSITIVE_INFINITY, first, limit = Number.POSITIVE_INFINITY, newestFirst }: WindowOptions
) {
  let [count, silences, waits, calm] = [0, 0, 0, 0]
  let { low, high } = span
  let width = first
  let ceiling: bigint | undefined
  let rule: bigint | undefined
  while (low <= high && count < limit) {
    const blocks = min(width, high - low + 1n)
    const window = newestFirst ? { low: high - blocks + 1n, high } : { low, high: low + blocks - 1n }
    const answer = yield* Effect.result(use(window))
    if (Result.isSuccess(answer)) {
      const found = answer.success
      count += found
      if (newestFirst) high = window.low - 1n
      else low = window.high + 1n
      silences = 0
      if (ceiling !== undefined && width >= ceiling && ++calm >= CALM_ANSWERS) {
        calm = 0
        ceiling = min(ceiling * 2n, rule ?? ceiling * 2n)
      }
      if (found > enough) width = max(1n, (blocks * BigInt(enough)) / BigInt(found))
      else if (blocks === width && found * 2 <= enough) width = min(width * 2n, ceiling ?? width * 2n)
      yield* Effect.yieldNow
      continue
    }
    const failure = answer.failure
    if (!(failure instanceof RpcFailure)) return yield* Effect.fail(failure)
    const wish = wishOf(failure, blocks)
    if (failure.outcome === "unknown" && ++silences > MOST_SILENCES) return yield* Effect.fail(failure)
    if (wish.kind === "later" && ++waits <= MOST_WAITS) {
      yield* Effect.sleep(WAIT)
      continue
    }
    if (wish.kind !== "narrower") return yield* Effect.fail(failure)
    width = wish.blocks
    ceiling = wish.lasting ? width : max(width, blocks / 2n)
    if (wish.lasting) rule = width
    calm = 0
  }
})

/** Stretches that one question each can be about, with how many of `blocks` they hold: in ascending order. */
export const clustersOf = (blocks: ReadonlyArray<bigint>) => {
  const clusters: Array<{ low: bigint; high: bigint; count: number }> = []
  for (const block of [...blocks].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    const last = clusters.at(-1)
    if (last === undefined || block - last.low >= FIRST_WINDOW) {
      clusters.push({ low: block, high: block, count: 1 })
      continue
    }
    last.high = block
    last.count++
  }
  return clusters
}

const max = (left: bigint, right: bigint): bigint => (left > right ? left : right)
const min = (left: bigint, right: bigint): bigint => (left < right ? left : right)

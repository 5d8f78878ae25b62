/**
 * How much of the long tests runs: `npm run test:long` (which sets TREEMARK_TEST_LONG) runs them whole, `npm test` a part. What a part
 * leaves out is drawn anew in each run, by a seed that is printed.
 */

import { chanceFor } from "../faults/Seed.ts"

/** The name of the variable that `npm run test:long` sets. */
export const LONG = "TREEMARK_TEST_LONG"

export const isLong = process.env[LONG] !== undefined

/** How often or how long, in a whole run and in a part of one; the variable `name` overrides both. */
export const amountOf = (name: string, usual: { readonly whole: number; readonly part: number }): number =>
  Number(process.env[name] ?? (isLong ? usual.whole : usual.part))

/** All of `items` in a whole run, else each of `oneIn` of them, from a place drawn for `what`. */
export const partOf = <A>(what: string, items: ReadonlyArray<A>, oneIn: number): ReadonlyArray<A> => {
  if (isLong) return items
  const first = chanceFor(`one in ${oneIn} of ${what}`).below(oneIn)
  return items.filter((_, at) => at % oneIn === first)
}

/** How long a test may take that works for `minutes` on an idle machine of two cores, in milliseconds: ten times as long. */
export const patience = (minutes: number): number => minutes * 600_000

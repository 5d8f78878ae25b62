/** Chance that can be had again: TREEMARK_TEST_SEED names it, and a test that used it prints it. */
import { randomInt } from "node:crypto"
import { seeded } from "../core/proof/Seeded.ts"

export interface Chance {
  readonly seed: number
  /** A whole number from 0 up to, but not including, `end`. */
  readonly below: (end: number) => number
}

export const chanceOf = (seed: number): Chance => ({ seed, below: seeded(seed) })

/** The seed of the environment, else a new one; said on standard error with the name of who uses it. */
export const chanceFor = (name: string): Chance => {
  const given = process.env.TREEMARK_TEST_SEED
  const chance = chanceOf(given === undefined ? randomInt(2 ** 32) : Number(given))
  process.stderr.write(`${name}: TREEMARK_TEST_SEED=${chance.seed}\n`)
  return chance
}

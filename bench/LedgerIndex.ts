/**
 * Figure: the index of the ledger's commits, made of TREEMARK_BENCH_INDEX_EVENTS commits (50,000 by default; the goal is 1,000,000) by a
 * process that is killed ten times while it makes and follows it. What it then holds is held to what ethers finds; else this fails.
 */
import { Effect } from "effect"
import { indexThroughKills } from "../test/daemon/commits/IndexKilled.ts"
import { chanceFor } from "../test/faults/Seed.ts"
import { type Figure, showAlone } from "./Figure.ts"

const EVENTS = Number(process.env.TREEMARK_BENCH_INDEX_EVENTS ?? 50_000)
const KILLS = 10

export const ledgerIndex: Figure = {
  title: `The index of a ledger of ${EVENTS} commits, through ${KILLS} kills`,
  measure: async () => {
    const chance = chanceFor("kills of the index")
    const began = performance.now()
    const draw = (below: number) => chance.below(below)
    const commits = await Effect.runPromise(Effect.scoped(indexThroughKills(EVENTS, KILLS, draw)))
    const seconds = (performance.now() - began) / 1000
    return [
      {
        what: `commits of our contract, equal to a scan by ethers, in ${seconds.toFixed(0)} s`,
        value: commits,
        unit: ""
      }
    ]
  }
}

if (import.meta.main) await showAlone(ledgerIndex)

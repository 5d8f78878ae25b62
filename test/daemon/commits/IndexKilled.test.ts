/** The index of the ledger's commits, made and kept by processes that are killed, against a scan by ethers. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { chanceFor } from "../../faults/Seed.ts"
import { amountOf, patience } from "../../layers/Long.ts"
import { indexThroughKills } from "./IndexKilled.ts"

const EVENTS = amountOf("TREEMARK_TEST_INDEX_EVENTS", { whole: 20_000, part: 800 })
const KILLS = amountOf("TREEMARK_TEST_INDEX_KILLS", { whole: 10, part: 2 })

it.live(
  "of a ledger is what ethers finds, whenever its process is killed while it is made and while it follows",
  () =>
    Effect.gen(function* () {
      const chance = chanceFor("kills of the index")
      const commits = yield* indexThroughKills(EVENTS, KILLS, (below) => chance.below(below))
      assert.isAbove(commits, 0)
    }).pipe(Effect.scoped),
  patience(3)
)

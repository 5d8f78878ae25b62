/** kill -9 at any moment under load, again and again: the ledger, the books and the callers still agree. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { amountOf, patience } from "../layers/Long.ts"
import { isPostgresMissing } from "../layers/PostgresCluster.ts"
import { buildDaemon } from "./Bundle.ts"
import { makeCaller, registerAsset } from "./Callers.ts"
import { assertConsistent, assertPaidOnce } from "./Invariants.ts"
import { makeLoad, metText, work } from "./Load.ts"
import { anvilChain, postgresRig, type Rig, sqliteRig, startAndKill, startDaemon } from "./Rig.ts"
import { chanceFor } from "./Seed.ts"

const ROUNDS = amountOf("TREEMARK_TEST_ROUNDS", { whole: 50, part: 3 })
/** A daemon serves this long at most before it is killed, in milliseconds, counted from its first answer. */
const LONGEST = 800
/** One in so many is killed while it starts, within this time. */
const STARTING = 5
const START_MS = 500

/** What callers may be told while daemons die: nothing, or that their first request is still being worked on. */
const TOLD = new Set(["cut off", "409 idempotency_key_in_use", "500 commit_pending", "500 ledger_unavailable"])

const rounds = Effect.fnUntraced(function* (rig: Rig) {
  const chance = chanceFor(`${ROUNDS} rounds of kill -9 on ${rig.name}`)
  const bundle = yield* buildDaemon
  const scope = yield* Effect.scope
  const start = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const daemon = yield* startDaemon(bundle, rig, { TREEMARK_TEST_SETTLE_EVERY: "300" }).pipe(Scope.provide(own))
    return { ...daemon, close: Scope.close(own, Exit.void) }
  })
  let daemon = yield* start
  const callers = yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (n) =>
    makeCaller(rig, `caller ${n}`, n < 6 ? "credits" : "tokens", "500")
  )
  const asset = yield* registerAsset(daemon.url, callers[0]!, "photo")
  const load = makeLoad(daemon.url)
  const working = yield* Effect.forkChild(work(load, callers, asset))
  let kills = 0
  for (let round = 0; round < ROUNDS; round++) {
    const answered = load.done.size
    yield* Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => load.done.size > answered }))
    yield* Effect.sleep(chance.below(LONGEST))
    yield* daemon.signal("SIGKILL")
    assert.strictEqual((yield* daemon.ended).signal, "SIGKILL", daemon.stderr())
    kills++
    yield* daemon.close
    yield* rig.declareDead
    if (chance.below(STARTING) === 0) {
      yield* startAndKill(bundle, rig, chance.below(START_MS))
      yield* rig.declareDead
    }
    daemon = yield* start
    load.url = daemon.url
  }
  load.stopping = true
  yield* Fiber.join(working)
  const told = [...load.met.keys()].filter((what) => !TOLD.has(what))
  assert.deepStrictEqual(told, [], `told besides: ${metText(load)}`)
  assert.strictEqual(kills, ROUNDS)
  yield* assertConsistent(rig, daemon.url, { callers, done: load.done })
  yield* Effect.forEach(
    callers.filter(({ pays }) => pays === "tokens"),
    (caller) => assertPaidOnce(rig, daemon.url, caller)
  )
  process.stderr.write(`${load.done.size} commits over ${kills} kills on ${rig.name}; callers met ${metText(load)}\n`)
})

describe.concurrent("a daemon that is killed under load", () => {
  const title = "loses nothing it answered, makes nothing twice, and charges for nothing else"
  it.live(
    `on SQLite and the embedded chain ${title}`,
    () => Effect.scoped(Effect.flatMap(sqliteRig, rounds)),
    patience(6)
  )

  it.live.skipIf(isAnvilMissing || isPostgresMissing)(
    `on PostgreSQL and a node elsewhere ${title}`,
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { rig } = yield* postgresRig(yield* anvilChain)
          yield* rounds(rig)
        })
      ),
    patience(6)
  )
})

/**
 * Daemons that share one PostgreSQL and one ledger while the one that signs is killed, and its successor stopped and resumed; and
 * PostgreSQL itself cut off. `TREEMARK_TEST_COMMITS` and `TREEMARK_TEST_STOP_SECONDS` make the first longer than the default.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { amountOf, patience } from "../../layers/Long.ts"
import { isPostgresMissing } from "../../layers/PostgresCluster.ts"
import {
  assertConsistent,
  commitOnce,
  commitUntilDone,
  type Done,
  type Met,
  makeCallers,
  makeRig,
  type Replica
} from "./ReplicaRig.ts"

const COMMITS = amountOf("TREEMARK_TEST_COMMITS", { whole: 1000, part: 100 })
/** Longer than a sign of life counts, so that the stopped daemon loses the wallet. */
const STOP_SECONDS = Number(process.env.TREEMARK_TEST_STOP_SECONDS ?? 11)
const CALLERS = 16
/** Eight seconds until a sign of life counts no more, a round of looking, and a busy machine. */
const FAIL_OVER_MS = 45_000

/** `count` commits by all callers; `done` grows as they are answered. */
const load = (
  replicas: ReadonlyArray<Replica>,
  { asset, callers }: Effect.Success<ReturnType<typeof makeCallers>>,
  count: number,
  done: Array<Done>,
  met: Met
) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    (n) =>
      Effect.map(
        commitUntilDone(replicas, callers[n % callers.length] ?? "", asset, `commit ${n}`, met),
        (one) => void done.push(one)
      ),
    { concurrency: CALLERS, discard: true }
  )

/** What a daemon logged as an error, but for the store that does not answer. */
const unexpected = ({ process }: Replica) =>
  process
    .stderr()
    .split("\n")
    .filter((line) => line.includes("level=ERROR") && !/StorageUnavailable|The store refused a change/u.test(line))
    .join("\n")

const reached = (done: ReadonlyArray<Done>, count: number) =>
  Effect.sync(() => done.length).pipe(
    Effect.delay("20 millis"),
    Effect.repeat({ until: (answered) => answered >= count })
  )

describe.skipIf(isPostgresMissing || isAnvilMissing).concurrent("two daemons on one database and one ledger", () => {
  it.live(
    "make every commit once while the one that signs is killed and restarted, and the next one stands still and wakes up",
    () =>
      Effect.gen(function* () {
        const rig = yield* makeRig
        const first = yield* rig.replica
        const second = yield* rig.replica
        const callers = yield* makeCallers(first, CALLERS)
        const done: Array<Done> = []
        const met: Met = new Map()
        const since = performance.now()
        const working = yield* Effect.forkChild(load([first, second], callers, COMMITS, done, met))

        yield* reached(done, COMMITS / 5)
        const signedByFirst = yield* rig.epoch
        yield* first.process.signal("SIGKILL")
        const afterKill = yield* rig.failOver(signedByFirst)
        yield* rig.restart(first)

        yield* reached(done, (COMMITS * 2) / 5)
        const signedBySecond = yield* rig.epoch
        yield* second.process.signal("SIGSTOP")
        const stopped = yield* Effect.forkChild(Effect.sleep(`${STOP_SECONDS} seconds`))
        const afterStop = yield* rig.failOver(signedBySecond)
        yield* Fiber.join(stopped)
        yield* second.process.signal("SIGCONT")

        yield* Fiber.join(working)
        const seconds = (performance.now() - since) / 1_000
        process.stderr.write(
          `replicas: ${COMMITS} commits in ${seconds.toFixed(1)} s; fail-over ${afterKill} ms after SIGKILL, ${afterStop} ms after SIGSTOP; callers met ${JSON.stringify(Object.fromEntries(met))}\n`
        )
        assert.isBelow(afterKill, FAIL_OVER_MS)
        assert.isBelow(afterStop, FAIL_OVER_MS)
        yield* assertConsistent(rig, done)
      }).pipe(Effect.scoped),
    patience(6)
  )

  it.live(
    "answer with a clear 500 while the database is gone, and go on without a restart when it is back",
    () =>
      Effect.gen(function* () {
        const rig = yield* makeRig
        const replicas = [yield* rig.replica, yield* rig.replica]
        const [one] = replicas
        assert.isDefined(one)
        const callers = yield* makeCallers(one, CALLERS)
        const done: Array<Done> = []
        const met: Met = new Map()
        const working = yield* Effect.forkChild(load(replicas, callers, 150, done, met))
        yield* reached(done, 50)
        yield* rig.postgres.kill
        const [token = ""] = callers.callers
        const refused = yield* commitOnce(one, token, callers.asset, "while the database is gone")
        assert.strictEqual(refused.status, 500)
        assert.deepInclude(refused.json(), { code: "storage_unavailable" })
        yield* Effect.sleep("2 seconds")
        yield* rig.postgres.start
        yield* Fiber.join(working)
        const unclear = [...met.keys()].filter(
          (what) =>
            !["500 storage_unavailable", "500 commit_pending", "409 idempotency_key_in_use", "no answer"].includes(what)
        )
        assert.deepStrictEqual(unclear, [], replicas.map(unexpected).join(""))
        yield* assertConsistent(rig, done)
        for (const { process } of replicas) assert.isTrue(Option.isNone(yield* Effect.timeoutOption(process.ended, 50)))
      }).pipe(Effect.scoped),
    patience(6)
  )
})

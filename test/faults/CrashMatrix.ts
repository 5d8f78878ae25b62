/**
 * Dies before and after everything a commit does that outlasts the process, one point at a time. Dry runs write the points down; then
 * a daemon is armed with one of them, asked for a new commit, and kills itself there; the next one finds what it left, is asked again
 * with the same key as a caller would, and is armed with the next point.
 *
 * What a job writes when its ledger is slow it does not write when that is quick, so a point is one that two dry runs passed, and is
 * tried a few times; that none is left out is the caller's to assert. Points of the index alone are tried once.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { isLong } from "../layers/Long.ts"
import type { Bundle } from "./Bundle.ts"
import { attempt, makeCaller, registerAsset } from "./Callers.ts"
import { arm, diedAt, disarm, FAULTS_FOLDER, type Point, passed } from "./FailPoints.ts"
import { assertConsistent, assertPaidOnce, untilPaid, untilSettled } from "./Invariants.ts"
import { type Daemon, onLedger, type Rig, startDaemon } from "./Rig.ts"

/** What is asked of the armed daemon: a commit paid one way or the other, or one that was answered before, again. */
export type Work = "credits" | "tokens" | "again"

/** A wallet is settled this soon after its commit, so that the transfer is part of the work. */
const SETTLE_EVERY_MS = "150"
/** Until it has died, or done all it was asked for. */
const DEATH = "10 minutes"
/** For what it may do after that. */
const AFTERWARDS = "5 seconds"
const TRIES = 4

const textOf = ({ line, time }: Point): string => (time === 1 ? line : `${line} (${time})`)

/** Passed by themselves, for want of work: how often they are passed tells nothing about a commit. */
const isOfWork = ({ line }: Point): boolean => !line.startsWith("before eth_getTransactionReceipt")

/** The index of the ledger is written as blocks and readers come: it may be there in two dry runs and not in the run that waits for it. */
const isOfIndex = ({ line }: Point): boolean => line.includes("ledger_index")

/** Every point of a dry run, but of the questions for a receipt, whose number is a matter of luck, only the first. */
const pointsOf = (all: ReadonlyArray<Point>): ReadonlyArray<Point> =>
  all.filter((point) => isOfWork(point) || point.time === 1)

/** Runs the matrix for `work`; `choose` is shown all points and may leave some out. Answers the points of the dry run and those tried. */
export const crashMatrix = Effect.fnUntraced(function* (
  bundle: Bundle,
  rig: Rig,
  work: Work,
  choose: (points: ReadonlyArray<Point>) => ReadonlyArray<Point>
) {
  const faults = join(rig.home, "faults")
  mkdirSync(faults)
  const scope = yield* Effect.scope
  const start = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const daemon = yield* startDaemon(bundle, rig, {
      [FAULTS_FOLDER]: faults,
      TREEMARK_TEST_SETTLE_EVERY: SETTLE_EVERY_MS
    }).pipe(Scope.provide(own))
    return { ...daemon, close: Scope.close(own, Exit.void) }
  })

  let daemon = yield* start
  const caller = yield* makeCaller(rig, work, work === "tokens" ? "tokens" : "credits", "100")
  const asset = yield* registerAsset(daemon.url, caller, `photo ${work}`)
  const done = new Map<string, string>()
  const isPaid = work === "tokens" ? untilPaid(rig) : Effect.void

  const ask = (at: Daemon, message: string) => attempt(at.url, caller, asset, message)
  const askToTheEnd = Effect.fnUntraced(function* (message: string) {
    const answer = yield* ask(daemon, message)
    assert.strictEqual(answer.status, 200, `${message}: ${answer.body}`)
    const { txHash } = JSON.parse(answer.body) as { readonly txHash: string }
    if (done.has(message)) assert.strictEqual(done.get(message), txHash, message)
    done.set(message, txHash)
    yield* untilSettled(rig)
    yield* isPaid
  })
  const again = Effect.gen(function* () {
    yield* daemon.signal("SIGKILL")
    yield* daemon.ended
    yield* daemon.close
    yield* rig.declareDead
    daemon = yield* start
  })

  /** Asks, and sees to it that the last of what the daemon does for it, which comes after its answer, is not taken for what follows. */
  const askAndNote = Effect.fnUntraced(function* (message: string, run: string) {
    arm(faults, run, null)
    yield* askToTheEnd(message)
    yield* isAnswered(faults)
    disarm(faults)
  })
  /** A whole run asks daemons that have just started, and a part of one those that have worked before, which halves the starts. */
  const prepare = Effect.fnUntraced(function* (message: string) {
    if (isLong) yield* again
    if (work === "again") yield* askAndNote(message, `${message}, the first time`)
  })

  const dryRun = Effect.fnUntraced(function* (name: string) {
    yield* prepare(name)
    yield* askAndNote(name, name)
    return pointsOf(passed(faults))
  })
  /** Whether it died there; it goes on when it did not come by. */
  const die = Effect.fnUntraced(function* (message: string, point: Point) {
    yield* prepare(message)
    arm(faults, message, point)
    const asking = yield* Effect.forkChild(ask(daemon, message))
    const passedBy = Fiber.join(asking).pipe(
      Effect.andThen(isAnswered(faults)),
      Effect.andThen(untilSettled(rig)),
      Effect.andThen(isPaid),
      Effect.andThen(Effect.sleep(AFTERWARDS))
    )
    yield* Effect.raceFirst(daemon.ended, Effect.timeoutOption(passedBy, DEATH))
    disarm(faults)
    const at = diedAt(faults)
    if (at === undefined) return false
    assert.strictEqual((yield* daemon.ended).signal, "SIGKILL", daemon.stderr())
    assert.strictEqual(at, point.line)
    const cutOff = yield* Fiber.join(asking)
    if (cutOff.status === 200) done.set(message, (JSON.parse(cutOff.body) as { readonly txHash: string }).txHash)
    else assert.isUndefined(cutOff.status, `${message}: ${cutOff.body}`)
    return true
  })
  /** The daemon that comes after finds nothing out of order, and the same question makes the commit at the latest. */
  const recover = Effect.fnUntraced(function* (message: string, point: Point) {
    const mayBeMade = isJobWritten(passed(faults), point)
    yield* again
    const expected = { callers: [caller], done, open: [message] }
    const found = yield* assertConsistent(rig, daemon.url, expected)
    if (work !== "again" && found.some((made) => made.message === message)) {
      assert.isTrue(mayBeMade, `${message}: committed too early`)
    }
    yield* askAndNote(message, `${message}, to the end`)
    yield* assertConsistent(rig, daemon.url, expected)
    if (work === "tokens") yield* assertPaidOnce(rig, daemon.url, caller)
  })

  yield* askToTheEnd("before all")
  const first = yield* dryRun("dry run")
  const second = new Set((yield* dryRun("second dry run")).map(textOf))
  const points = first.filter((point) => second.has(textOf(point)))
  const died: Array<Point> = []
  let tries = 0
  for (const point of choose(points)) {
    for (let left = TRIES; ; left--) {
      const message = `${textOf(point)}${left === TRIES ? "" : `, once more ${left}`}`
      tries++
      const isDead = yield* die(message, point)
      yield* recover(message, point)
      if (isDead || isOfIndex(point)) break
      assert.isAbove(left, 1, `${textOf(point)} was not passed again`)
    }
    died.push(point)
  }
  const ledger = yield* onLedger(rig, daemon.url)
  assert.strictEqual(ledger.length, tries + 3, "one commit for each try, and the three before")
  return { points, died }
})

/** Waits until the daemon knows that its answer has left, which the caller may know long before on a busy machine. */
const isAnswered = (faults: string) =>
  Effect.sync(() => passed(faults).some(({ line }) => line.startsWith("after answer"))).pipe(
    Effect.delay("10 millis"),
    Effect.repeat({ until: (answered) => answered }),
    Effect.timeoutOrElse({ duration: DEATH, orElse: () => Effect.die(new Error("no answer was noted as sent")) })
  )

/**
 * A commit can be on the ledger only when its job was stored before the death, for what was stored is done at the next start. What other
 * duties write (the index of the ledger, a replica that takes up its nonces) comes before or after that as it happens, so what counts is
 * what this very run had passed.
 */
const isJobWritten = (before: ReadonlyArray<Point>, { line: died }: Point): boolean => {
  const jobs = before.filter(({ line }) => / commit .*insert commit_job/u.test(line))
  return jobs.some(({ line }) => line.startsWith("after ")) || jobs.some(({ line }) => line !== died)
}

/** A disk that is full, books that cannot be written, a clock that is set back: a clear 500, nothing lost, and no restart needed. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Hex } from "viem"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { send } from "../layers/HttpCall.ts"
import { patience } from "../layers/Long.ts"
import { isPostgresMissing } from "../layers/PostgresCluster.ts"
import { canMount, disk, fill } from "../layers/SmallDisk.ts"
import { buildDaemon } from "./Bundle.ts"
import { attempt, type Caller, makeCaller, registerAsset } from "./Callers.ts"
import { canClose, chattr } from "./ClosedFiles.ts"
import { arm, diedAt, disarm, FAULTS_FOLDER } from "./FailPoints.ts"
import { assertConsistent, untilSettled } from "./Invariants.ts"
import {
  anvilChain,
  anvilChainWith,
  type Daemon,
  homeWith,
  postgresRig,
  sqliteRig,
  sqliteRigIn,
  startDaemon
} from "./Rig.ts"
import { CLOCK_FILE, setClock } from "./SteeredClock.ts"
import { assertReplayed, commitThrough } from "./Weather.ts"

const HOUR_BACK = { offset: -3_600_000, speed: 1 }
const UNWRITABLE = ["storage_unavailable", "commit_pending", "ledger_unavailable"]
const SETTLING = { TREEMARK_TEST_SETTLE_EVERY: "500" }

const canRead = (daemon: Daemon, { token }: Caller) =>
  Effect.gen(function* () {
    const { hostname, port } = new URL(daemon.url)
    const own = yield* send(
      { host: hostname, port, path: "/account" },
      { headers: { authorization: `token ${token}` } }
    )
    assert.strictEqual(own.status, 200, own.text)
  })

describe.concurrent("a daemon around which things break", () => {
  it.live.skipIf(!canMount)(
    "whose disk is full refuses with a clear 500, holds and charges nothing for it, and goes on when there is room",
    () =>
      Effect.gen(function* () {
        const home = yield* disk("size=96m,mode=0700")
        const rig = sqliteRigIn(home)
        const daemon = yield* startDaemon(yield* buildDaemon, rig, SETTLING)
        const filler = join(home, "filler")
        yield* commitThrough(rig, daemon, {
          begin: Effect.sync(() => fill(filler)),
          end: Effect.sync(() => rmSync(filler)),
          codes: UNWRITABLE
        })
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live.skipIf(!canClose)(
    "whose SQLite file cannot be written refuses with a clear 500, and goes on when it can",
    () =>
      Effect.gen(function* () {
        const rig = yield* sqliteRig
        const daemon = yield* startDaemon(yield* buildDaemon, rig, SETTLING)
        const files = ["treemark.db", "treemark.db-wal"].map((name) => join(rig.home, name))
        const close = (flag: "+i" | "-i") => Effect.sync(() => assert.isTrue(chattr(flag, files)))
        yield* Effect.addFinalizer(() => Effect.sync(() => chattr("-i", files)))
        yield* commitThrough(rig, daemon, {
          begin: close("+i"),
          end: close("-i"),
          codes: UNWRITABLE,
          meanwhile: canRead
        })
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live.skipIf(isAnvilMissing || isPostgresMissing)(
    "whose PostgreSQL has become read-only refuses with a clear 500, and goes on when it can be written",
    () =>
      Effect.gen(function* () {
        const { postgres, rig } = yield* postgresRig(yield* anvilChain)
        const daemon = yield* startDaemon(yield* buildDaemon, rig, {
          ...SETTLING,
          TREEMARK_COMMIT_TIMEOUT: "5 seconds"
        })
        const readOnly = (value: "on" | "off") =>
          Effect.gen(function* () {
            yield* postgres.ask("postgres", `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
            yield* postgres.ask("postgres", "SELECT pg_reload_conf()")
          })
        yield* commitThrough(rig, daemon, {
          begin: readOnly("on"),
          end: readOnly("off"),
          codes: UNWRITABLE,
          meanwhile: canRead
        })
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live.skipIf(isAnvilMissing || isPostgresMissing)(
    "whose PostgreSQL is killed refuses with a clear 500, and goes on when it is started again",
    () =>
      Effect.gen(function* () {
        const { postgres, rig } = yield* postgresRig(yield* anvilChain)
        const daemon = yield* startDaemon(yield* buildDaemon, rig, {
          ...SETTLING,
          TREEMARK_COMMIT_TIMEOUT: "5 seconds"
        })
        yield* commitThrough(rig, daemon, { begin: postgres.kill, end: postgres.start, codes: UNWRITABLE })
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live(
    "whose clock is set back an hour makes and charges commits as before, and knows the keys from before",
    () =>
      Effect.gen(function* () {
        const rig = yield* sqliteRig
        const clock = join(rig.home, "clock.json")
        const daemon = yield* startDaemon(yield* buildDaemon, rig, { ...SETTLING, [CLOCK_FILE]: clock })
        const known: Array<readonly [string, string]> = []
        const { asset, callers, done } = yield* commitThrough(rig, daemon, {
          begin: Effect.sync(() => setClock(clock, HOUR_BACK)),
          end: Effect.sync(() => setClock(clock, { offset: 0, speed: 1 })),
          codes: [],
          meanwhile: (at, caller) => canRead(at, caller)
        })
        known.push(...done)
        setClock(clock, HOUR_BACK)
        yield* Effect.sleep("100 millis")
        for (const [message, txHash] of known.slice(0, 5)) {
          const caller = callers.find(({ name }) => message.startsWith(name))
          yield* assertReplayed(daemon, asset, caller!, message, txHash)
        }
        yield* assertConsistent(rig, daemon.url, { callers, done })
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live(
    "that dies with money held and starts with its clock an hour back gives the money back",
    () =>
      Effect.gen(function* () {
        const rig = yield* sqliteRig
        const faults = join(rig.home, "faults")
        mkdirSync(faults)
        const bundle = yield* buildDaemon
        const first = yield* startDaemon(bundle, rig, { [FAULTS_FOLDER]: faults })
        const caller = yield* makeCaller(rig, "caller", "credits", "10")
        const asset = yield* registerAsset(first.url, caller, "photo")
        arm(faults, "held", { line: "before store block", time: 1 })
        const asking = yield* Effect.forkChild(attempt(first.url, caller, asset, "one"))
        yield* first.ended
        disarm(faults)
        assert.strictEqual(diedAt(faults), "before store block")
        assert.isUndefined((yield* Fiber.join(asking)).status)
        const clock = join(rig.home, "clock.json")
        writeFileSync(clock, JSON.stringify(HOUR_BACK))
        const second = yield* startDaemon(bundle, rig, { [CLOCK_FILE]: clock })
        yield* untilSettled(rig)
        yield* assertConsistent(rig, second.url, { callers: [caller], done: new Map() })
        const { status } = yield* attempt(second.url, caller, asset, "one")
        assert.strictEqual(status, 200)
      }).pipe(Effect.scoped),
    patience(1)
  )

  it.live.skipIf(isAnvilMissing)(
    "whose clock is set back an hour after a node has lost a transaction sends it again all the same",
    () =>
      Effect.gen(function* () {
        let isMining = false
        const chain = yield* anvilChainWith([], (steer) =>
          Effect.promise(async () => void (isMining && (await steer.mine({ blocks: 1 })))).pipe(
            Effect.delay("100 millis")
          )
        )
        const rig = sqliteRigIn(yield* homeWith(chain.url, chain.chainId), chain.url)
        const clock = join(rig.home, "clock.json")
        setClock(clock, { offset: 0, speed: 10 })
        const daemon = yield* startDaemon(yield* buildDaemon, rig, {
          [CLOCK_FILE]: clock,
          TREEMARK_COMMIT_TIMEOUT: "25 seconds"
        })
        const caller = yield* makeCaller(rig, "caller", "credits", "10")
        const asset = yield* registerAsset(daemon.url, caller, "photo")
        const asking = yield* Effect.forkChild(attempt(daemon.url, caller, asset, "one"))
        const sent = yield* rig
          .rows("SELECT tx_hash FROM commit_job WHERE state = 'sent'")
          .pipe(Effect.delay("20 millis"), Effect.repeat({ until: (rows) => rows.length > 0 }))
        const hash = String(sent[0]?.tx_hash) as Hex
        yield* Effect.promise(() => chain.steer.dropTransaction({ hash }))
        setClock(clock, { offset: HOUR_BACK.offset, speed: 10 })
        isMining = true
        const { body, status } = yield* Fiber.join(asking)
        assert.strictEqual(status, 200, body)
        yield* assertConsistent(rig, daemon.url, { callers: [caller], done: new Map([["one", hash]]) })
      }).pipe(Effect.scoped),
    patience(1)
  )
})

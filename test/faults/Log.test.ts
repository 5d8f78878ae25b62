/** The daemon outlives its log: a pipe whose reader ends or stands still, and a full disk. Each is a real one. */
import { spawn } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { BIN, running, temporaryHome } from "../end-to-end/Treemarkd.ts"
import { canMount, disk, fill } from "../layers/SmallDisk.ts"

const ENVIRONMENT = { TREEMARK_LOG_LEVEL: "Debug" }
const CALLS = 300

/** Starts a daemon with the shell's own redirections, and answers its address and how it ends. */
const shell = Effect.fnUntraced(function* (home: string, redirected: string) {
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn("/bin/bash", ["-c", redirected], {
        env: { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, NODE: process.execPath, BIN, ...ENVIRONMENT },
        stdio: ["ignore", "ignore", "ignore"],
        detached: true
      })
    ),
    (started) => Effect.sync(() => process.kill(-(started.pid ?? 0), "SIGKILL")).pipe(Effect.ignore)
  )
  const file = join(home, "daemon.json")
  const facts = yield* Effect.try(
    () =>
      JSON.parse(readFileSync(file, "utf8")) as { readonly pid: number; readonly addresses: { readonly main: string } }
  ).pipe(Effect.retry(Schedule.spaced("50 millis")))
  return { url: facts.addresses.main, pid: facts.pid }
})

/** Calls that each write a line; how many were answered. */
const answered = (url: string) =>
  Effect.map(
    Effect.forEach(Array.from({ length: CALLS }), () =>
      Effect.promise(() =>
        fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
          ({ ok }) => ok,
          () => false
        )
      )
    ),
    (all) => all.filter(Boolean).length
  )

describe("the daemon outlives its log", () => {
  it.live("treemarkd start 2>&1 | head -1: the reader is gone after a line, the daemon serves on", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const { url } = yield* shell(home, '"$NODE" "$BIN" start --port 0 2>&1 | head -1')
      assert.strictEqual(yield* answered(url), CALLS)
    })
  )

  it.live("a reader that stands still keeps nobody waiting", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const { url } = yield* shell(home, '"$NODE" "$BIN" start --port 0 2>&1 | sleep 600')
      for (let round = 0; round < 4; round++) assert.strictEqual(yield* answered(url), CALLS)
    })
  )

  it.live.skipIf(!canMount)(
    "a log on a full disk: calls are served, and once there is space the log says what is missing",
    () =>
      Effect.gen(function* () {
        const home = yield* temporaryHome
        const small = yield* disk("size=64k")
        const log = join(small, "log")
        const { url, pid } = yield* shell(home, `"$NODE" "$BIN" start --port 0 2>>${log}`)
        fill(join(small, "filler"))
        assert.strictEqual(yield* answered(url), CALLS)
        rmSync(join(small, "filler"))
        yield* answered(url)
        assert.match(
          readFileSync(log, "utf8"),
          /\n[^\n]*level=WARN message="\d+ log lines are missing here[^\n]*ENOSPC/u
        )
        process.kill(pid, "SIGTERM")
      })
  )

  it.live.skipIf(!canMount)(
    "the log's disk of 20 MB full, then the home's too: reads are served and /ready says it; with space again all is as before",
    () =>
      Effect.gen(function* () {
        const [home, small] = [yield* disk("size=96m,mode=0700"), yield* disk("size=20m")]
        const log = join(small, "log")
        const { url, pid } = yield* shell(home, `"$NODE" "$BIN" start --port 0 2>>${log}`)
        const ready = Effect.promise(async () => {
          const answer = await fetch(`${url}/ready`)
          return { status: answer.status, text: await answer.text() }
        })
        const [logFiller, homeFiller] = [join(small, "filler"), join(home, "filler")]
        fill(logFiller)
        assert.strictEqual(yield* answered(url), CALLS)
        assert.strictEqual((yield* ready).status, 200)
        fill(homeFiller)
        assert.strictEqual(yield* answered(url), CALLS)
        const full = yield* Effect.repeat(Effect.delay(ready, "100 millis"), { until: ({ status }) => status === 503 })
        assert.match(full.text, /disk/u)
        rmSync(homeFiller)
        rmSync(logFiller)
        yield* Effect.repeat(Effect.delay(ready, "100 millis"), { until: ({ status }) => status === 200 })
        yield* answered(url)
        assert.match(
          readFileSync(log, "utf8"),
          /\n[^\n]*level=WARN message="\d+ log lines are missing here[^\n]*ENOSPC/u
        )
        process.kill(pid, "SIGTERM")
      })
  )

  it.live("log_format = json: every line is one JSON object with the request's id, and no secret of it", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const daemon = yield* running(["start", "--port", "0", "--log-format", "json", "--log-level", "Debug"], { home })
      const url = daemon.line.split(" · ")[0]?.replace("Treemark is ready: main ", "")
      yield* Effect.promise(() => fetch(`${url}/account`, { headers: { authorization: "token tmk_secret" } }))
      yield* daemon.signal("SIGTERM")
      assert.deepStrictEqual(yield* daemon.ended, { code: 0, signal: null })
      const lines = daemon.stderr().trim().split("\n")
      const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
      const asked = entries.find(({ message }) => String(message).startsWith("GET /account 401"))
      assert.match(String(asked?.requestId), /^req_[0-9a-f]{32}$/u)
      assert.strictEqual(asked?.level, "DEBUG")
      assert.isFalse(daemon.stderr().includes("tmk_secret"))
    })
  )
})

/** Other people's programs in a test: started with the scope and ended with it, and with this process; restarted in the middle of one. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { Effect } from "effect"

const SETPRIV = "/usr/bin/setpriv"
const READY_MILLISECONDS = 300_000

/** What the runner found, by the name of its variable. */
export const found = (name: string): string => {
  const place = process.env[name]
  if (place === undefined) throw new Error(`${name} is not set: run this with npm run test:peers`)
  return place
}

/** A port of loopback that is free now. */
export const freePort = Effect.callback<number, Error>((resume) => {
  const probe = createServer()
  probe.once("error", (error) => resume(Effect.fail(error)))
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address()
    probe.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

export interface Program {
  readonly output: () => string
  readonly restart: (signal: NodeJS.Signals) => Effect.Effect<void, Error>
  readonly end: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly start: Effect.Effect<void, Error>
}

/** Starts a program and waits until `isReady` answers true. */
export const startProgram = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  isReady: () => Promise<boolean>,
  env: NodeJS.ProcessEnv = {}
) {
  let child: ChildProcess | undefined
  let output = ""
  const launch = async () => {
    const [program = "", ...args] = existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL", ...command] : command
    const started = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, ...env }
    })
    child = started
    const read = (text: Buffer) => (output = (output + text.toString("utf8")).slice(-200_000))
    started.stdout?.on("data", read)
    started.stderr?.on("data", read)
    const until = performance.now() + READY_MILLISECONDS
    while (!(await isReady().catch(() => false))) {
      if (started.exitCode !== null || started.signalCode !== null || performance.now() > until) {
        throw new Error(`${command[0]} did not start: ${output.slice(-3_000)}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const end = (signal: NodeJS.Signals) =>
    Effect.promise(async () => {
      const running = child
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
      const ended = new Promise((resolve) => running.once("exit", resolve))
      running.kill(signal)
      await ended
    })
  const start = Effect.tryPromise({ try: launch, catch: (cause) => cause as Error })
  yield* Effect.addFinalizer(() => end("SIGKILL"))
  yield* start
  const restart = (signal: NodeJS.Signals) => Effect.andThen(end(signal), start)
  return { output: () => output, restart, end, start } satisfies Program
})

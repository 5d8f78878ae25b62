/** `treemarkd` as a person or a script runs it: a process of its own, its output and how it ended. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Runtime, Stdio } from "effect"
import { program } from "../../packages/daemon/src/cli/Program.ts"
import { COMPILED, TREEMARKD } from "../layers/Built.ts"

export const BIN = TREEMARKD
const SETPRIV = "/usr/bin/setpriv"

export interface Ended {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Standard output as the one JSON document it must be. */
  readonly json: () => unknown
}

export interface RunOptions {
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
  /** What standard input holds; default: nothing. */
  readonly input?: string
}

/** Starts a program with a clean environment; it dies with this process. */
export const launch = (
  program: string,
  args: ReadonlyArray<string>,
  { home, env }: RunOptions,
  cwd?: string
): ChildProcess => {
  const [file = "", ...rest] = existsSync(SETPRIV)
    ? [SETPRIV, "--pdeathsig", "KILL", program, ...args]
    : [program, ...args]
  return spawn(file, rest, {
    env: { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, ...COMPILED, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd })
  })
}

/** Waits for a process and collects what it wrote; killed when the fiber is interrupted. */
export const collect = (start: () => ChildProcess, input = "") =>
  Effect.callback<Ended, Error>((resume) => {
    const child = start()
    let stdout = ""
    let stderr = ""
    child.stdout?.on("data", (text: Buffer) => (stdout += text.toString("utf8")))
    child.stderr?.on("data", (text: Buffer) => (stderr += text.toString("utf8")))
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("close", (code) => resume(Effect.succeed({ code, stdout, stderr, json: () => JSON.parse(stdout) })))
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(input)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Runs `treemarkd ARGS` to its end. */
export const treemarkd = (args: ReadonlyArray<string>, options: RunOptions): Effect.Effect<Ended, Error> =>
  collect(() => launch(process.execPath, [BIN, ...args], options), options.input)

export interface Running {
  /** The first line it printed. */
  readonly line: string
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Waits for its end. */
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** Starts a program that serves, and waits until a line of its standard output matches; it is killed with the scope. */
export const serving = Effect.fnUntraced(function* (start: () => ChildProcess, until: RegExp = /\n/u) {
  const child = yield* Effect.acquireRelease(Effect.sync(start), (started) =>
    Effect.sync(() => started.kill("SIGKILL"))
  )
  let stdout = ""
  let stderr = ""
  let end: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined
  child.stdout?.on("data", (text: Buffer) => (stdout += text.toString("utf8")))
  child.stderr?.on("data", (text: Buffer) => (stderr += text.toString("utf8")))
  child.once("close", (code, signal) => {
    end = { code, signal }
  })
  yield* Effect.sync(() => until.test(stdout) || end !== undefined).pipe(
    Effect.delay("20 millis"),
    Effect.repeat({ until: (ready) => ready })
  )
  if (end !== undefined) return yield* Effect.die(new Error(`it ended before it was ready: ${stdout}${stderr}`))
  return {
    line: stdout.slice(0, stdout.indexOf("\n")),
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    signal: (signal) => Effect.sync(() => void child.kill(signal)),
    ended: Effect.sync(() => end).pipe(
      Effect.delay("20 millis"),
      Effect.repeat({ until: (found) => found !== undefined }),
      Effect.map((found) => found ?? { code: null, signal: null })
    )
  } satisfies Running
})

/** Starts `treemarkd ARGS` and waits for its first line. */
export const running = (args: ReadonlyArray<string>, options: RunOptions) =>
  serving(() => launch(process.execPath, [BIN, ...args], options))

/** The same in this process, for the many command lines that end before anything is opened; the environment is this process's. */
export const parsed = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const output = { stdout: "", stderr: "" }
  const console = Object.assign(Object.create(globalThis.console) as Console.Console, {
    log: (text: string) => (output.stdout += `${text}\n`),
    error: (text: string) => (output.stderr += `${text}\n`)
  })
  const exit = yield* program.pipe(
    Effect.provide(Layer.merge(NodeServices.layer, Stdio.layerTest({ args: Effect.succeed(args) }))),
    Effect.provideService(Console.Console, console),
    Effect.exit
  )
  const failure: unknown = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  const code = failure === undefined ? 0 : Runtime.getErrorExitCode(failure)
  return { code, ...output, json: () => JSON.parse(output.stdout) as unknown } satisfies Ended
})

/** A data folder that is removed with the scope. */
export const temporaryHome = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "treemark-home-"))),
  (home) => Effect.promise(() => rm(home, { recursive: true, force: true, maxRetries: 5 }))
)

/** A photo that nobody else registers: its bytes are `name`. */
export const bytesOf = (name: string): Uint8Array => new TextEncoder().encode(`photo ${name}`)

/** The least a commit request holds, for a registered asset. */
export const commitRequest = (
  asset: { readonly assetCid: string; readonly assetSha256: string; readonly encodingFormat: string },
  more: Readonly<Record<string, unknown>> = {}
) => ({
  encodingFormat: asset.encodingFormat,
  assetCid: asset.assetCid,
  assetTimestampCreated: 1_700_000_000,
  assetCreator: "Ada",
  assetSha256: asset.assetSha256,
  ...more
})

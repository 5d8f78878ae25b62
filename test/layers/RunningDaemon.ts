/**
 * The real daemon for a test: a child process with a data folder of its own, on a free port, killed with the scope
 * (and, on Linux, with this process). `withDaemon` shares one among the tests of a file, and `withSharedDaemon` one of usual
 * settings among the files of a worker, which saves each its start:
 *
 *     withDaemon()("chapter", (it) => { it.effect("title", () => Effect.gen(function* () { const daemon = yield* RunningDaemon … })) })
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema, Scope } from "effect"
import { COMPILED, TREEMARKD } from "./Built.ts"
import { type Answer, type Call, send } from "./HttpCall.ts"
import { atEndOfWorker } from "./Worker.ts"

const SETPRIV = "/usr/bin/setpriv"
const START_MILLISECONDS = 300_000

export interface DaemonAccount {
  readonly id: string
  readonly name: string
  readonly serviceName: string
  readonly wallet: string
  /** Exact decimal number of native tokens. */
  readonly credits: string
  readonly disabled: boolean
}

export interface AccountOptions {
  readonly name: string
  /** Default: the name. */
  readonly serviceName?: string
  /** Default: "0". */
  readonly credits?: string
  /** Native tokens of the new wallet on the mainnet; default "0". */
  readonly tokens?: string
}

export interface RegisteredAsset {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
  readonly size: number
}

export interface DaemonOptions {
  /** More arguments of `treemarkd start`. */
  readonly args?: ReadonlyArray<string>
  /** Text of `<home>/treemark.toml`. */
  readonly settings?: string
  /** Data folder that is there already; default: a new one, removed with the scope. */
  readonly home?: string
  /** More environment variables. */
  readonly env?: Readonly<Record<string, string>>
  /** Name of the fixture's own account, for a home whose accounts are there already. */
  readonly registrar?: string
}

/** A `treemarkd` command ended with another exit code than 0. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  command: Schema.String,
  exitCode: Schema.Unknown,
  stdout: Schema.String,
  stderr: Schema.String
}) {
  override get message() {
    return `treemarkd ${this.command} ended with ${String(this.exitCode)}: ${this.stderr}`
  }
}

export class RunningDaemon extends Context.Service<
  RunningDaemon,
  {
    /** The data folder, `TREEMARK_HOME`. */
    readonly home: string
    /** `http://127.0.0.1:PORT` of the main listener; the same after a restart. */
    readonly url: string
    /** What the daemon printed when it was ready: `main`, and an address for each listener of its own. */
    readonly addresses: { readonly main: string; readonly [listener: string]: string }
    /** Runs `treemarkd ARGS --json` as a process of its own and answers its JSON. */
    readonly admin: (...args: ReadonlyArray<string>) => Effect.Effect<unknown, CommandRefused>
    /** `treemarkd account create`, but straight over the socket that the command uses, which takes milliseconds. */
    readonly createAccount: (
      options: AccountOptions
    ) => Effect.Effect<{ readonly account: DaemonAccount; readonly token: string }, Error>
    /** A further token of the account, which ends at `expiresAt` (milliseconds since 1970; null: never), over the same socket. */
    readonly issueToken: (idOrName: string, expiresAt: number | null) => Effect.Effect<string, Error>
    /** `treemarkd account credit`, over the same socket. */
    readonly addCredits: (idOrName: string, credits: string) => Effect.Effect<void, Error>
    /** `treemarkd account disable` and `enable`, over the same socket. */
    readonly setDisabled: (idOrName: string, disabled: boolean) => Effect.Effect<void, Error>
    /** What `treemarkd account show` prints, over the same socket. */
    readonly showAccount: (idOrName: string) => Effect.Effect<DaemonAccount, Error>
    /** Registers bytes with `POST /assets`, by an account of the fixture's own. */
    readonly register: (bytes: Uint8Array, contentType?: string) => Effect.Effect<RegisteredAsset, Error>
    /** One HTTP request; a target that starts with `/` is a path of the main listener, else it is a URL. */
    readonly call: (target: string, call?: Call) => Effect.Effect<Answer, Error>
    /** Sends the signal and waits for the process to end; answers how it ended. */
    readonly kill: (
      signal: NodeJS.Signals
    ) => Effect.Effect<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
    /** Starts it again on the same data folder and port; kills it first (SIGTERM) when it still runs. */
    readonly restart: () => Effect.Effect<void, Error>
    /** What it wrote on standard error so far, over all starts. */
    readonly log: () => string
  }
>()("@treemark/test/layers/RunningDaemon") {
  static readonly layer = (options: DaemonOptions = {}) => Layer.effect(RunningDaemon, startDaemon(options))

  /** The one daemon of this worker, for tests that make accounts of their own and mind no others; its log begins with the layer. */
  static readonly shared = Layer.effect(
    RunningDaemon,
    Effect.suspend(() => {
      const daemon = shared ?? Effect.runPromise(startShared)
      shared = daemon
      return Effect.promise(() => daemon)
    }).pipe(
      Effect.map((daemon) => {
        const before = daemon.log().length
        return RunningDaemon.of({ ...daemon, log: () => daemon.log().slice(before) })
      })
    )
  )
}

let shared: Promise<RunningDaemon["Service"]> | undefined

/** One daemon for the tests of a `describe` of that name, on the real clock. */
export const withDaemon = (options: DaemonOptions = {}) =>
  layer(RunningDaemon.layer(options), { excludeTestServices: true, timeout: START_MILLISECONDS + 30_000 })

/** The daemon that the files of a worker share, for the tests of a `describe` of that name. */
export const withSharedDaemon = () =>
  layer(RunningDaemon.shared, { excludeTestServices: true, timeout: START_MILLISECONDS + 30_000 })

/** Starts a daemon; it is killed, and its folder removed, when the scope closes. */
export const startDaemon: (options?: DaemonOptions) => Effect.Effect<RunningDaemon["Service"], Error, Scope.Scope> =
  Effect.fn("startDaemon")(function* (options: DaemonOptions = {}) {
    const home = options.home ?? (yield* temporaryFolder)
    const { settings } = options
    if (settings !== undefined) yield* Effect.promise(() => writeFile(join(home, "treemark.toml"), settings))
    const env = { PATH: process.env.PATH, HOME: home, TREEMARK_HOME: home, ...COMPILED, ...options.env }
    let log = ""
    let child: ChildProcess | undefined

    const start = (port: string) =>
      attempt(async () => {
        child = launch(["start", "--port", port, "--json", ...(options.args ?? [])], env)
        child.stderr?.on("data", (text: Buffer) => (log += text.toString("utf8")))
        const line = await firstLine(child, () => log)
        return (JSON.parse(line) as { readonly addresses: { readonly main: string; readonly [name: string]: string } })
          .addresses
      })
    const kill = (signal: NodeJS.Signals) => Effect.promise(() => ended(child, signal))

    yield* Effect.addFinalizer(() => kill("SIGKILL"))
    const addresses = yield* start("0")
    const url = addresses.main

    const overSocket = (method: string, path: string, body?: unknown) =>
      Effect.flatMap(
        send({ socketPath: join(home, "treemarkd.sock"), path }, { method, ...(body === undefined ? {} : { body }) }),
        (answer) =>
          answer.status === 200
            ? Effect.succeed(answer.json() as unknown)
            : Effect.fail(new Error(`the administration socket answered ${answer.status} to ${path}: ${answer.text}`))
      )
    const call = (target: string, options: Call = {}) => {
      const isPath = target.startsWith("/")
      const { hostname, port, origin } = new URL(isPath ? url : target)
      return send({ host: hostname, port, path: isPath ? target : target.slice(origin.length) || "/" }, options)
    }
    const createAccount = (account: AccountOptions) =>
      overSocket("POST", "/accounts", { serviceName: account.name, credits: "0", tokens: "0", ...account }).pipe(
        Effect.map((created) => created as { readonly account: DaemonAccount; readonly token: string })
      )
    const registrar = yield* createAccount({ name: options.registrar ?? "registrar of the fixture" })

    return RunningDaemon.of({
      home,
      url,
      addresses,
      call,
      createAccount,
      kill,
      admin: (...args) => runCommand(args, env),
      issueToken: (idOrName, expiresAt) =>
        Effect.map(
          overSocket("POST", `/accounts/${encodeURIComponent(idOrName)}/tokens`, { label: "", expiresAt }),
          (issued) => (issued as { readonly token: string }).token
        ),
      addCredits: (idOrName, credits) =>
        Effect.asVoid(overSocket("POST", `/accounts/${encodeURIComponent(idOrName)}/credits`, { credits })),
      setDisabled: (idOrName, disabled) =>
        Effect.asVoid(overSocket("POST", `/accounts/${encodeURIComponent(idOrName)}/disabled`, { disabled })),
      showAccount: (idOrName) =>
        Effect.map(overSocket("GET", `/accounts/${encodeURIComponent(idOrName)}`), (view) => view as DaemonAccount),
      register: (bytes, contentType = "application/octet-stream") =>
        Effect.flatMap(
          call("/assets", {
            body: bytes,
            headers: { authorization: `token ${registrar.token}`, "content-type": contentType }
          }),
          (answer) =>
            answer.status === 201
              ? Effect.succeed(answer.json() as unknown as RegisteredAsset)
              : Effect.fail(new Error(`POST /assets answered ${answer.status}: ${answer.text}`))
        ),
      restart: () => Effect.andThen(kill("SIGTERM"), Effect.asVoid(start(new URL(url).port))),
      log: () => log
    })
  })

const startShared = startDaemon().pipe(
  Scope.provide(Scope.makeUnsafe()),
  Effect.tap((daemon) =>
    Effect.sync(() =>
      atEndOfWorker(() => {
        Effect.runFork(daemon.kill("SIGKILL"))
        rmSync(daemon.home, { recursive: true, force: true, maxRetries: 5 })
      })
    )
  )
)

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "treemarkd-test-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
)

const attempt = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: (cause) => cause as Error })

const launch = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): ChildProcess => {
  const command = [process.execPath, TREEMARKD, ...args]
  const [program = "", ...rest] = existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL", ...command] : command
  return spawn(program, rest, { env, stdio: ["ignore", "pipe", "pipe"] })
}

const firstLine = (child: ChildProcess, log: () => string): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    const timer = setTimeout(
      () => reject(new Error(`the daemon was not ready in time: ${output}${log()}`)),
      START_MILLISECONDS
    )
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8")
      if (!output.includes("\n")) return
      clearTimeout(timer)
      resolve(output.slice(0, output.indexOf("\n")))
    })
    child.once("error", reject)
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      reject(new Error(`the daemon ended with ${code ?? signal} before it was ready: ${output}${log()}`))
    })
  })

const ended = (child: ChildProcess | undefined, signal: NodeJS.Signals) =>
  new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) => {
    if (child === undefined) return resolve({ code: null, signal: null })
    if (child.exitCode !== null || child.signalCode !== null) {
      return resolve({ code: child.exitCode, signal: child.signalCode })
    }
    child.once("exit", (code, killedBy) => resolve({ code, signal: killedBy }))
    child.kill(signal)
  })

const runCommand = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.callback<unknown, CommandRefused>((resume) => {
    const running = execFile(process.execPath, [TREEMARKD, ...args, "--json"], { env }, (error, stdout, stderr) => {
      if (error === null) return resume(Effect.succeed(JSON.parse(stdout)))
      const exitCode = error.code ?? error.signal
      resume(Effect.fail(new CommandRefused({ command: args.join(" "), exitCode, stdout, stderr })))
    })
    return Effect.sync(() => running.kill("SIGKILL"))
  })

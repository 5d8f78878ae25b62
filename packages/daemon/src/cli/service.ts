/** `treemarkd service …`: the daemon as a service of this user, which starts with the session and again after a failure. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { homeFolder } from "../HomeFolder.ts"
import { CommandFailed, EXIT, failed } from "./Failures.ts"
import { facts, print } from "./Output.ts"
import { sharedFlags } from "./Root.ts"
import { LABEL, launchdAgent, type Run, systemdUnit } from "./service/Units.ts"

const UNIT = "treemarkd.service"

interface Manager {
  readonly name: "systemd" | "launchd"
  readonly file: string
  readonly textOf: (run: Run) => string
  /** What is asked of the manager, each a command line; a failure is told with it. */
  readonly start: ReadonlyArray<ReadonlyArray<string>>
  readonly stop: ReadonlyArray<ReadonlyArray<string>>
  readonly running: ReadonlyArray<string>
}

const systemd = (): Manager => ({
  name: "systemd",
  file: join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "systemd", "user", UNIT),
  textOf: systemdUnit,
  start: [
    ["systemctl", "--user", "daemon-reload"],
    ["systemctl", "--user", "enable", "--now", UNIT]
  ],
  stop: [["systemctl", "--user", "disable", "--now", UNIT]],
  running: ["systemctl", "--user", "is-active", "--quiet", UNIT]
})

const launchd = (): Manager => {
  const file = join(homedir(), "Library", "LaunchAgents", `${LABEL}.plist`)
  const domain = `gui/${process.getuid?.() ?? 0}`
  return {
    name: "launchd",
    file,
    textOf: launchdAgent,
    start: [["launchctl", "bootstrap", domain, file]],
    stop: [["launchctl", "bootout", `${domain}/${LABEL}`]],
    running: ["launchctl", "print", `${domain}/${LABEL}`]
  }
}

const manager = Effect.suspend(() => {
  if (process.platform === "linux") return Effect.succeed(systemd())
  if (process.platform === "darwin") return Effect.succeed(launchd())
  return new CommandFailed({
    code: "unsupported",
    message: `There is no service manager for ${process.platform} here. Run treemarkd start by the one you use.`,
    exitCode: EXIT.failed
  })
})

/** What went wrong, undefined when nothing did. */
const asked = ([program = "", ...args]: ReadonlyArray<string>) =>
  Effect.callback<string | undefined>((resume) => {
    execFile(program, args, (error, _, stderr) =>
      resume(Effect.succeed(error === null ? undefined : stderr.trim() || error.message))
    )
  })

const install = Command.make("install", {}, () =>
  Effect.gen(function* () {
    const { home: flag, json } = yield* sharedFlags
    const service = yield* manager
    const home = homeFolder(flag)
    const run = { node: process.execPath, script: resolve(process.argv[1] ?? ""), home }
    yield* Effect.tryPromise({
      try: async () => {
        await mkdir(home, { recursive: true, mode: 0o700 })
        await mkdir(dirname(service.file), { recursive: true })
        await writeFile(service.file, service.textOf(run))
      },
      catch: (error) => failed("unwritable", `The service cannot be written: ${(error as Error).message}.`)
    })
    for (const command of service.start) {
      const problem = yield* asked(command)
      if (problem === undefined) continue
      return yield* failed(
        "not_started",
        `${service.file} is written, but ${service.name} did not start it: ${problem}. Once ${service.name} runs for this user: ${command.join(" ")}`
      )
    }
    yield* print(
      json,
      { installed: true, manager: service.name, file: service.file, home },
      `The daemon runs as a service now and starts with your session (${service.file}). See: treemarkd status`
    )
  })
).pipe(
  Command.withDescription("Run the daemon as a service of this user, from now on"),
  Command.withExamples([{ command: "treemarkd service install", description: "With the usual data folder" }])
)

const uninstall = Command.make("uninstall", {}, () =>
  Effect.gen(function* () {
    const { json } = yield* sharedFlags
    const service = yield* manager
    const wasInstalled = existsSync(service.file)
    if (wasInstalled) {
      for (const command of service.stop) yield* asked(command)
      yield* Effect.promise(() => rm(service.file, { force: true }))
    }
    yield* print(
      json,
      { installed: false, wasInstalled, manager: service.name, file: service.file },
      wasInstalled ? "The service is gone; the data folder is as it was." : "There was no service to remove."
    )
  })
).pipe(
  Command.withDescription("Stop the service and remove it; the data stays"),
  Command.withExamples([{ command: "treemarkd service uninstall", description: "Back to treemarkd start by hand" }])
)

const status = Command.make("status", {}, () =>
  Effect.gen(function* () {
    const { json } = yield* sharedFlags
    const service = yield* manager
    const installed = existsSync(service.file)
    const running = installed && (yield* asked(service.running)) === undefined
    yield* print(
      json,
      { installed, running, manager: service.name, file: service.file },
      facts([
        [
          "service",
          installed ? (running ? "runs" : "does not run") : "not installed; treemarkd service install does it"
        ],
        ["manager", service.name],
        ["file", service.file]
      ])
    )
  })
).pipe(
  Command.withDescription("Whether the service is installed, and runs"),
  Command.withExamples([{ command: "treemarkd service status --json", description: "For scripts" }])
)

export const serviceCommand = Command.make("service").pipe(
  Command.withDescription("The daemon as a service of this user (systemd, launchd)"),
  Command.withSubcommands([install, uninstall, status])
)

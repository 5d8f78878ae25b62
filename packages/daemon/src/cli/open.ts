/**
 * `treemarkd open`: the console in a browser, signed in. The address signs in once, within two minutes. It is opened by way of a private file,
 * because every user of a machine sees the arguments of its programs.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { homeFolder } from "../HomeFolder.ts"
import { print } from "./Output.ts"
import { sharedFlags, withRunningDaemon } from "./Root.ts"

export const openCommand = Command.make(
  "open",
  {
    account: Flag.String("account").pipe(
      Flag.withDescription("Account to sign in to, by id or name (default: the first one, made if there is none)"),
      Flag.withMetavar("NAME"),
      Flag.optional
    ),
    browser: Flag.Boolean("browser").pipe(
      Flag.withDescription("Open a browser where there is one; --no-browser only prints the address"),
      Flag.withDefault(true)
    )
  },
  ({ account, browser }) =>
    withRunningDaemon(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const made = yield* client.console.signIn({ payload: { account: Option.getOrNull(account) } })
        const { home } = yield* sharedFlags
        const isOpened = browser && !json && (yield* openBrowser(join(homeFolder(home), "open.html"), made.url))
        yield* print(
          json,
          made,
          `${made.url}\n\n${isOpened ? "A browser was asked to open it." : "Open it in a browser on this machine."} It signs in once, within two minutes; treemarkd open makes another.`
        )
      })
    )
).pipe(
  Command.withDescription("Open the console in a browser, signed in"),
  Command.withExamples([
    { command: "treemarkd open", description: "Sign in to the first account" },
    { command: "treemarkd open --account studio --no-browser", description: "Print the address for another account" }
  ])
)

const BROWSERS: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: ReadonlyArray<string>]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
  linux: ["xdg-open"]
}

/** Whether somebody sits here who would see a browser. */
const hasScreen = ({ env, platform, stdout }: NodeJS.Process): boolean =>
  stdout.isTTY && (platform !== "linux" || Boolean(env.DISPLAY ?? env.WAYLAND_DISPLAY))

const openBrowser = Effect.fnUntraced(function* (file: string, url: string) {
  const [program, ...args] = BROWSERS[process.platform] ?? []
  if (program === undefined || !hasScreen(process)) return false
  const files = yield* FileSystem.FileSystem
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${url}"><title>Treemark</title>`
  const written = yield* Effect.option(
    Effect.andThen(Effect.ignore(files.remove(file)), files.writeFileString(file, page, { mode: 0o600 }))
  )
  if (Option.isNone(written)) return false
  return yield* Effect.callback<boolean>((resume) => {
    const started = spawn(program, [...args, file], { detached: true, stdio: "ignore" })
    started.once("error", () => resume(Effect.succeed(false)))
    started.once("spawn", () => {
      started.unref()
      resume(Effect.succeed(true))
    })
  })
})

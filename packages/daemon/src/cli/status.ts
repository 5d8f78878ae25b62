/** `treemarkd status` and `treemarkd stop`: the running daemon. */
import { Effect, Option, Schedule } from "effect"
import { Command } from "effect/cli"
import { readDaemonFile } from "../admin/DaemonFile.ts"
import { homeFolder } from "../HomeFolder.ts"
import { CommandFailed, EXIT } from "./Failures.ts"
import { print } from "./Output.ts"
import { sharedFlags, withRunningDaemon } from "./Root.ts"
import { statusText } from "./StatusText.ts"

export const statusCommand = Command.make("status", {}, () =>
  withRunningDaemon(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const status = yield* client.daemon.status()
      yield* print(json, status, statusText(status))
    })
  )
).pipe(
  Command.withDescription("Show the running daemon (exit code 69 when none runs)"),
  Command.withExamples([{ command: "treemarkd status --json", description: "Its process and addresses, for scripts" }])
)

export const stopCommand = Command.make("stop", {}, () =>
  Effect.gen(function* () {
    yield* withRunningDaemon(({ client }) => client.daemon.stop())
    const { home, json } = yield* sharedFlags
    const gone = yield* Effect.map(readDaemonFile(homeFolder(home)), Option.isNone).pipe(
      Effect.repeat({ until: (isGone) => isGone, schedule: Schedule.spaced("100 millis"), times: 250 })
    )
    if (!gone) {
      return yield* new CommandFailed({
        code: "still_running",
        message:
          "The daemon was told to stop and is still finishing calls in flight. treemarkd status shows whether it is gone.",
        exitCode: EXIT.failed
      })
    }
    yield* print(json, { stopped: true }, "The daemon finished what was in flight and has stopped.")
  })
).pipe(
  Command.withDescription("Stop the running daemon after the calls in flight"),
  Command.withExamples([{ command: "treemarkd stop", description: "Returns when it has stopped" }])
)

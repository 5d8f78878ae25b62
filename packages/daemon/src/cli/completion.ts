/** `treemarkd completion SHELL` and `treemarkd manual`: what shells and man read of the commands. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import { manualOf } from "./completion/Manual.ts"
import { completionFor } from "./completion/Shells.ts"
import { describe } from "./completion/Tree.ts"

/** `root`: the whole tree of commands, these two among them. */
export const completionCommand = (root: () => Command.Command.Any) =>
  Command.make(
    "completion",
    {
      shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(Argument.withDescription("bash, zsh or fish"))
    },
    ({ shell }) => Console.log(completionFor(shell, describe(root())).trimEnd())
  ).pipe(
    Command.withDescription("Print completions for a shell, to be sourced"),
    Command.withExamples([
      { command: "source <(treemarkd completion bash)", description: "In ~/.bashrc, or now" },
      { command: "treemarkd completion fish | source", description: "In ~/.config/fish/config.fish" }
    ])
  )

export const manualCommand = (root: () => Command.Command.Any) =>
  Command.make("manual", {}, () =>
    Effect.suspend(() => Console.log(manualOf(describe(root()), packageJson.version).trimEnd()))
  ).pipe(
    Command.withDescription("Print the manual page, for man"),
    Command.withExamples([{ command: "treemarkd manual | man -l -", description: "Read it" }])
  )

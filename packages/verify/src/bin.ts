/**
 * The process of `treemark-verify`: writes what the command says and sets the exit code. One proof is verified synchronously and with as
 * little loaded as possible; the other commands, the workers of `bulk` and the backends are files of their own.
 */
import manifest from "../package.json" with { type: "json" }
import { runCli } from "./Cli.ts"
import type { Outcome } from "./Outcome.ts"
import { isTerminal, writeText } from "./Streams.ts"

const [, , ...args] = process.argv

const runAlone = (): Outcome | Promise<Outcome> => {
  const { NO_COLOR, TERM } = process.env
  const environment = {
    version: manifest.version,
    colour: (NO_COLOR === undefined || NO_COLOR === "") && TERM !== undefined && TERM !== "dumb" && isTerminal(1)
  }
  if (args.includes("--explain")) {
    return import("./explain/RunExplained.ts").then(({ runExplained }) => runExplained(args, environment))
  }
  return args.some((arg) => arg === "--backend" || arg.startsWith("--backend="))
    ? import("./backends/RunWithBackend.ts").then(({ runWithBackend }) => runWithBackend(args, environment))
    : runCli(args, environment)
}

const say = ({ exitCode, stderr, stdout }: Outcome): void => {
  writeText(1, stdout)
  writeText(2, stderr)
  process.exitCode = exitCode
}

switch (args[0]) {
  case "bulk": {
    const { runBulk } = await import("./bulk/Bulk.ts")
    process.exitCode = await runBulk(args.slice(1))
    break
  }
  case "history": {
    const { runHistory } = await import("./history/HistoryCommand.ts")
    process.exitCode = await runHistory(args.slice(1))
    break
  }
  case "statement": {
    const { runStatement } = await import("./StatementCommand.ts")
    say(runStatement(args.slice(1)))
    break
  }
  default:
    say(await runAlone())
}

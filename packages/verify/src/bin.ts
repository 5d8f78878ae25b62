/**
 * The process of `treemark-verify`: writes what the command says and sets the exit code. One proof is verified synchronously and with as
 * little loaded as possible; `bulk` and its workers are files of their own.
 */
import manifest from "../package.json" with { type: "json" }
import { runCli } from "./Cli.ts"
import { isTerminal, writeText } from "./Streams.ts"

const [, , ...args] = process.argv
if (args[0] === "bulk") {
  const { runBulk } = await import("./bulk/Bulk.ts")
  process.exitCode = await runBulk(args.slice(1))
} else {
  const { NO_COLOR, TERM } = process.env
  const outcome = runCli(args, {
    version: manifest.version,
    colour: (NO_COLOR === undefined || NO_COLOR === "") && TERM !== undefined && TERM !== "dumb" && isTerminal(1)
  })
  writeText(1, outcome.stdout)
  writeText(2, outcome.stderr)
  process.exitCode = outcome.exitCode
}

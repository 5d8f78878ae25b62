/** The process of `treemark-verify`: writes what the command says and sets the exit code. Everything is synchronous. */
import { fstatSync, writeSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }
import { runCli } from "./Cli.ts"

const write = (file: number, text: string): void => {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(file, bytes, at)
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "EPIPE") return
      if (code !== "EAGAIN") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

/** node:tty takes time to load, and only a device can be a terminal. */
const isTerminal = (file: number): boolean =>
  fstatSync(file).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(file)

const { NO_COLOR, TERM } = process.env
const outcome = runCli(process.argv.slice(2), {
  version: manifest.version,
  colour: (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb" && isTerminal(1)
})
write(1, outcome.stdout)
write(2, outcome.stderr)
process.exitCode = outcome.exitCode

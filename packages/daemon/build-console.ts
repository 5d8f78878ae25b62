/**
 * Builds the console (console/): its program and its style, each one file. In memory, so that a daemon run from a checkout can serve them
 * without a build. The page around them is written for each request (http/console/ConsolePage.ts), because its policy names it alone.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The console's files, by name. */
export interface ConsoleFiles {
  readonly script: string
  readonly style: string
}

export const buildConsole = async (): Promise<ConsoleFiles> => {
  const { output } = await build({
    input: file("./console/main.tsx"),
    platform: "browser",
    write: false,
    transform: { target: "es2022" },
    resolve: { conditionNames: ["@treemark/source", "browser", "import", "module", "default"] },
    output: { format: "iife", minify: true, codeSplitting: false },
    onLog: (_level, log) => {
      throw new Error(`The console's program is not whole: ${log.message}`)
    }
  })
  return { script: output[0].code.trim(), style: readFileSync(file("./console/console.css"), "utf8") }
}

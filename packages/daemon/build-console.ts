/**
 * Builds the console (console/): its program, the worker of its pictures and its style, each one file. In memory, so that a daemon run from a checkout can serve them
 * without a build. The page around them is written for each request (http/console/ConsolePage.ts), because its policy names it alone.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The console's files, by name. */
export interface ConsoleFiles {
  readonly script: string
  /** The worker that draws pictures small. */
  readonly pictures: string
  readonly style: string
  /** Where the programs' parts came from, for their licences. */
  readonly modules: ReadonlyArray<string>
}

export const buildConsole = async (): Promise<ConsoleFiles> => {
  const [script, pictures] = await Promise.all([program("./console/main.tsx"), program("./console/pictures/Worker.ts")])
  return {
    script: script.code,
    pictures: pictures.code,
    style: readFileSync(file("./console/console.css"), "utf8"),
    modules: [...script.modules, ...pictures.modules]
  }
}

const program = async (input: string): Promise<{ readonly code: string; readonly modules: ReadonlyArray<string> }> => {
  const { output } = await build({
    input: file(input),
    platform: "browser",
    write: false,
    transform: { target: "es2022" },
    resolve: { conditionNames: ["@treemark/source", "browser", "import", "module", "default"] },
    output: { format: "iife", minify: true, codeSplitting: false },
    // How long a plugin takes is no fault of what was built.
    checks: { bundlerTimings: false },
    onLog: (_level, log) => {
      throw new Error(`The console's program is not whole: ${log.message}`)
    }
  })
  return { code: output[0].code.trim(), modules: output[0].moduleIds }
}

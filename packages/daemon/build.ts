/**
 * Builds dist/ for release: the command and the embedded chains' threads, with @treemark/core, @treemark/verify and most libraries
 * inside, so that a command starts in a fraction of the time its sources take. @ethereumjs/* (MPL-2.0) stays outside, unmodified.
 * `node build.ts [FOLDER]` writes FOLDER in place of dist/.
 */
import { globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { compile, copyReached, licencesOf, pointToJavaScript } from "../core/build-parts.ts"
import { buildPage } from "../verify/build-web.ts"
import { buildConsole } from "./build-console.ts"

const here = dirname(fileURLToPath(import.meta.url))
const target = process.argv[2] ?? join(here, "dist")
const work = mkdtempSync(join(here, ".build-"))

try {
  const { output } = await build({
    input: {
      treemarkd: join(here, "src", "cli", "main.ts"),
      index: join(here, "src", "index.ts"),
      ChainWorker: join(here, "src", "devchain", "ChainWorker.ts"),
      ChainReadWorker: join(here, "src", "devchain", "ChainReadWorker.ts"),
      BlockWorker: join(here, "src", "keeping", "BlockWorker.ts")
    },
    platform: "node",
    external: /^@ethereumjs\//,
    resolve: { conditionNames: ["@treemark/source", "node", "import", "module", "default"] },
    checks: { bundlerTimings: false },
    plugins: [{ name: "ascii", renderChunk: (code) => inAscii(code) }],
    output: {
      dir: join(work, "dist"),
      format: "esm",
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js"
    },
    onLog: (level, log, report) => {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(`The bundle is not whole: ${log.message}`)
      if (level === "warn") report(level, log)
    }
  })
  writeFileSync(join(work, "dist", "verify.html"), await buildPage())
  const { modules: shown, pictures, script, style } = await buildConsole()
  writeFileSync(join(work, "dist", "console.js"), script)
  writeFileSync(join(work, "dist", "pictures.js"), pictures)
  writeFileSync(join(work, "dist", "console.css"), style)
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
  writeFileSync(join(work, "dist", "THIRD-PARTY.txt"), licencesOf([...modules, ...shown]))
  if (process.argv[2] === undefined) writeTypes(join(work, "dist"))
  rmSync(target, { recursive: true, force: true })
  renameSync(join(work, "dist"), target)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/**
 * The same code in ASCII: V8 keeps a source with any other character in it as two bytes a character, for as long as the daemon runs.
 * Whether it stands in a string, a template or a pattern, the escape means the same; behind a backslash it would not.
 */
function inAscii(code: string): string {
  if (/\\[^\0-\x7f]/u.test(code)) throw new Error("The bundle has an escaped character that is not ASCII.")
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** The declarations of the library, which name nothing but themselves. */
function writeTypes(dist: string): void {
  const types = join(work, "types")
  compile(
    join(work, "tsconfig.json"),
    { declaration: true, emitDeclarationOnly: true, rootDir: join(here, ".."), outDir: types },
    { include: [], files: [join(here, "src", "index.ts")] }
  )
  pointToJavaScript(types)
  const made = globSync("**/daemon/src/index.d.ts", { cwd: types })[0] ?? "index.d.ts"
  copyReached(join(types, made), dirname(join(types, made)), dist)
}

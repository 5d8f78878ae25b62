/**
 * Builds dist/ for release: the command as one file, its `bulk` and the worker of that as files of their own (so that one proof is
 * verified without loading them), the library as one file, and its types. Everything they need is inside (core's pure part, noble,
 * multiformats), so the package installs alone; the faster backends are optional packages. Run with `npm run build -w packages/verify`;
 * `node build.ts FOLDER` writes FOLDER in place of dist/, the command alone, without types.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import {
  COMMON_JS,
  compile,
  copyReached,
  licencesOf,
  NOTHING_ON_THE_SIDE,
  pointToJavaScript
} from "../core/build-parts.ts"
import { buildPage } from "./build-web.ts"

const here = dirname(fileURLToPath(import.meta.url))
const target = process.argv[2] ?? join(here, "dist")
const work = mkdtempSync(join(here, ".build-"))
const dist = join(work, "dist")
const types = join(dist, "types")
const inside = new Set<string>()

/**
 * noble asks for randomness when it is loaded, to blind secret keys; the command has none, and loading node's webcrypto would take
 * it longer than to verify a proof.
 */
const NO_RANDOMNESS = { "globalThis.crypto": "undefined" }

/** Files that are not bundled into the one that names them, each with what it is called in dist. */
const APART: Readonly<Record<string, string>> = {
  "./bulk/Bulk.ts": "./bulk.js",
  "./history/HistoryCommand.ts": "./history.js",
  "./StatementCommand.ts": "./statement.js",
  "./backends/RunWithBackend.ts": "./backend.js",
  "./explain/RunExplained.ts": "./explain.js"
}

const PACKAGES_APART: ReadonlyArray<string> = ["tiny-secp256k1"]

try {
  await bundle("index", "index.js", { platform: "neutral", minify: false })
  await bundle("index", "cjs/index.js", { platform: "neutral", minify: false, format: "cjs" })
  writeFileSync(join(dist, "cjs", "package.json"), COMMON_JS)
  await bundle("bin", "bin.js", { platform: "node", minify: true })
  await bundle("bulk/Worker", "bulk-worker.js", { platform: "node", minify: true })
  for (const [file, name] of Object.entries(APART)) {
    await bundle(file.replace(/\.ts$/, ""), name, { platform: "node", minify: true })
  }
  writeFileSync(join(dist, "verify.html"), await buildPage())
  if (process.argv[2] === undefined) writeTypes()
  writeFileSync(join(dist, "THIRD-PARTY.txt"), licencesOf([...inside]))
  rmSync(target, { recursive: true, force: true })
  renameSync(dist, target)
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function bundle(
  entry: string,
  name: string,
  options: { platform: "node" | "neutral"; minify: boolean; format?: "cjs" }
): Promise<void> {
  const { output } = await build({
    input: join(here, "src", `${entry}.ts`),
    platform: options.platform,
    treeshake: NOTHING_ON_THE_SIDE,
    transform: options.platform === "node" ? { define: NO_RANDOMNESS } : {},
    resolve: { conditionNames: ["@treemark/source", "import", "module", "default"] },
    plugins: [
      {
        name: "apart",
        resolveId: (specifier, importer) => {
          const file = PACKAGES_APART.includes(specifier) ? specifier : importer && APART[specifier]
          return file === undefined ? null : { id: file, external: true }
        },
        renderChunk: (code) => withBuiltins(code)
      }
    ],
    output: { file: join(dist, name), format: options.format ?? "esm", minify: options.minify, codeSplitting: false },
    // How long a plugin takes is no fault of what was built.
    checks: { bundlerTimings: false },
    onLog: (_level, log) => {
      throw new Error(`The bundle of ${entry} is not whole: ${log.message}`)
    }
  })
  for (const file of output) if (file.type === "chunk") for (const id of file.moduleIds) inside.add(id)
}

/**
 * Modules of Node are taken with process.getBuiltinModule: an import makes Node read every export of the module first, and some of those load
 * half of the rest (streams, sockets, the terminal), which takes as long as to verify a proof.
 */
function withBuiltins(code: string): string {
  return code.replaceAll(/^import \{([^}]*)\} from "(node:[a-z_/]+)";$/gm, (_, names: string, module: string) => {
    const taken = names.split(",").map((name) => name.trim().replace(/ as /, ": "))
    return `const { ${taken.join(", ")} } = process.getBuiltinModule("${module}");`
  })
}

/** Declarations of the library and of what it reaches in core, with relative imports only; and the same for CommonJS. */
function writeTypes(): void {
  compile(
    join(work, "tsconfig.json"),
    {
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: join(here, ".."),
      paths: { "@treemark/core/verify": [join(here, "..", "core", "src", "verify.ts")] },
      outDir: types
    },
    { include: [], files: [join(here, "src", "index.ts")] }
  )
  pointToJavaScript(types, (text, file) => {
    const core = relative(dirname(file), join(types, "core", "src", "verify.js"))
      .split(sep)
      .join("/")
    return text.replaceAll('"@treemark/core/verify"', `"${core.startsWith(".") ? core : `./${core}`}"`)
  })
  copyReached(join(types, "verify", "src", "index.d.ts"), dist, join(dist, "cjs"))
  for (const folder of [dist, join(dist, "cjs")]) {
    writeFileSync(join(folder, "index.d.ts"), 'export * from "./types/verify/src/index.js"\n')
  }
}

/**
 * Builds dist/ for release. The entries on Effect are modules as the sources are; `plain`, `client` and `verify` are one file each with all they
 * need inside, as ES module and as CommonJS, so that whoever uses them installs nothing beside them and sees nothing of Effect.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "rolldown"
import { COMMON_JS, compile, copyReached, licencesOf, NOTHING_ON_THE_SIDE, pointToJavaScript } from "./build-parts.ts"

const here = import.meta.dirname
const target = process.argv[2] ?? join(here, "dist")
const work = mkdtempSync(join(here, ".build-"))
const dist = join(work, "dist")
const modules = join(dist, "modules")

const WHOLE = ["plain", "client", "verify"]

try {
  compile(
    join(work, "tsconfig.json"),
    {
      rootDir: join(here, "src"),
      outDir: modules,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      types: []
    },
    { include: [join(here, "src")] }
  )
  pointToJavaScript(modules)
  mkdirSync(join(dist, "cjs"))
  writeFileSync(join(dist, "cjs", "package.json"), COMMON_JS)
  const inside = new Set<string>()
  for (const name of WHOLE) {
    for (const id of await bundle(name, join(dist, `${name}.js`), "esm")) inside.add(id)
    await bundle(name, join(dist, "cjs", `${name}.js`), "cjs")
    copyReached(join(modules, `${name}.d.ts`), modules, join(dist, "cjs"))
    writeFileSync(join(dist, `${name}.d.ts`), `export * from "./modules/${name}.js"\n`)
  }
  writeFileSync(join(dist, "THIRD-PARTY.txt"), licencesOf([...inside]))
  rmSync(target, { recursive: true, force: true })
  renameSync(dist, target)
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function bundle(name: string, file: string, format: "esm" | "cjs"): Promise<ReadonlyArray<string>> {
  const { output } = await build({
    input: join(here, "src", `${name}.ts`),
    platform: "neutral",
    treeshake: NOTHING_ON_THE_SIDE,
    resolve: { conditionNames: ["@treemark/source", "import", "module", "default"] },
    output: { file, format, codeSplitting: false, comments: { legal: false, jsdoc: false } },
    // How long a plugin takes is no fault of what was built.
    checks: { bundlerTimings: false },
    onLog: (_level, log) => {
      throw new Error(`The bundle of ${name} is not whole: ${log.message}`)
    }
  })
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))
}

/** What the builds of the packages share: declarations that name no package, the same for CommonJS, and the licences of what is inside. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, resolve } from "node:path"

/** Compiles the project file that `options` make. */
export const compile = (project: string, options: object, files: object): void => {
  const extended = resolve(import.meta.dirname, "../../tsconfig.json")
  writeFileSync(
    project,
    JSON.stringify({ extends: extended, compilerOptions: { noEmit: false, ...options }, ...files })
  )
  const compiler = createRequire(import.meta.url).resolve("typescript/package.json")
  execFileSync(process.execPath, [join(dirname(compiler), "bin", "tsc"), "-p", project], { stdio: "inherit" })
}

/** Declarations name each other as the sources do; a release has them beside .js files. */
export const pointToJavaScript = (folder: string, replace: (text: string, file: string) => string = (text) => text) => {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue
    const file = join(folder, name)
    const text = readFileSync(file, "utf8").replaceAll(/((?:from |import\()"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"')
    writeFileSync(file, replace(text, file))
  }
}

/**
 * The declarations that `entry` reaches below `from`, copied below `to`; a folder of its own says there that they are CommonJS.
 *
 * @throws Error when one of them names a package: whoever reads them may not have it.
 */
export const copyReached = (entry: string, from: string, to: string, met = new Set<string>()): void => {
  if (met.has(entry)) return
  met.add(entry)
  const text = readFileSync(entry, "utf8")
  for (const [, specifier = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/g)) {
    if (!specifier.startsWith(".")) throw new Error(`${relative(from, entry)} names the package ${specifier}.`)
    copyReached(resolve(dirname(entry), specifier.replace(/\.js$/, ".d.ts")), from, to, met)
  }
  const copy = join(to, relative(from, entry))
  mkdirSync(dirname(copy), { recursive: true })
  if (!existsSync(copy)) cpSync(entry, copy)
}

/** Nothing of what is inside does anything when it is loaded that anybody could miss: what is not used goes. */
export const NOTHING_ON_THE_SIDE = {
  moduleSideEffects: false,
  propertyReadSideEffects: false,
  propertyWriteSideEffects: false,
  unknownGlobalSideEffects: false
} as const

/** What makes the .js and .d.ts files of a folder CommonJS. */
export const COMMON_JS = `${JSON.stringify({ type: "commonjs" })}\n`

/** The licence of each library inside a bundle, by the files that went into it; licences ask to travel along. */
export const licencesOf = (modules: ReadonlyArray<string>): string => {
  const folders = new Set(
    modules.flatMap((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1] ?? [])
  )
  return [...folders]
    .sort()
    .map((folder) => {
      const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), "utf8").trim()
      return `${name} ${version}\n\n${text}\n`
    })
    .join("\n\n")
}

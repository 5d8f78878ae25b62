/**
 * Builds the page that verifies proofs (web/) as one HTML file: script and style inside, and a policy that names both scripts and the style by
 * their hashes and forbids everything else, the network first. In memory, so that a daemon run from a checkout can serve it without a build.
 *
 * The program stands in the page deflated, in base64, as data; a loader of a few lines inflates it and puts it in as a script, which the browser
 * runs only if it has the hash that the policy names. With six languages in it the page is then still small enough to be sent with each proof.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { deflateRawSync } from "node:zlib"
import { build } from "rolldown"
import { english, type Key, type Strings } from "./web/languages/English.ts"

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The page's HTML, without a proof in it. */
export const buildPage = async (): Promise<string> => {
  const program = await script()
  const style = readFileSync(file("./web/page.css"), "utf8")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};]) ?/g, "$1")
    .trim()
  const { version }: { version: string } = JSON.parse(readFileSync(file("./package.json"), "utf8"))
  const parts: Readonly<Record<string, string>> = {
    POLICY: policy([LOADER, program], style),
    VERSION: version,
    STYLE: style,
    LOADER,
    PROGRAM: deflateRawSync(program, { level: 9 }).toString("base64")
  }
  return readFileSync(file("./web/page.html"), "utf8")
    .replaceAll(/(data-say="(\w+)"[^>]*>)\w+</g, (_, start: string, key: string) => `${start}${inEnglish(key)}<`)
    .replaceAll(/"(POLICY|VERSION)"|\/\*(STYLE|PROGRAM|LOADER)\*\//g, (_, quoted?: string, place?: string) =>
      quoted === undefined ? parts[place!]! : `"${parts[quoted]}"`
    )
}

/** What the page says before its program runs; afterwards the same sentences are said in the reader's language. */
const inEnglish = (key: string): string => {
  const said = english[key as Key]
  if (said === undefined) throw new Error(`The page's HTML names a sentence that the table lacks: ${key}`)
  return said.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
}

/** Inflates the program and runs it. */
const LOADER = `const deflated=Uint8Array.from(atob(document.getElementById("program").textContent),c=>c.charCodeAt(0));\
new Response(new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text().then(code=>{\
const script=document.createElement("script");script.textContent=code;document.body.append(script)})`

const policy = (scripts: ReadonlyArray<string>, style: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts.map((code) => `'sha256-${sha256(code)}'`).join(" ")}`,
    `style-src 'sha256-${sha256(style)}'`,
    "worker-src blob:",
    "img-src blob: data:",
    "media-src blob:",
    "connect-src 'none'",
    "frame-src 'none'",
    "object-src 'none'",
    "form-action 'none'",
    "base-uri 'none'"
  ].join("; ")

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** The script, without imports. */
async function script(): Promise<string> {
  const { output } = await build({
    input: file("./web/main.ts"),
    platform: "browser",
    write: false,
    transform: { target: "es2022" },
    resolve: { conditionNames: ["@treemark/source", "browser", "import", "module", "default"] },
    output: { format: "iife", minify: true, codeSplitting: false },
    plugins: [{ name: "languages", load: translation }],
    // How long a plugin takes is no fault of what was built.
    checks: { bundlerTimings: false },
    onLog: (_level, log) => {
      throw new Error(`The page's script is not whole: ${log.message}`)
    }
  })
  return output[0].code.trim()
}

/** A translation without its keys, which are those of the English table in their order: they would stand in the page once a language. */
async function translation(id: string): Promise<string | undefined> {
  if (!/\/languages\/\w+\.ts$/.test(id) || id.endsWith("/English.ts")) return undefined
  const [[name, strings]] = Object.entries<Strings>(await import(pathToFileURL(id).href)) as [[string, Strings]]
  const sentences = Object.keys(english).map((key) => strings[key as Key])
  return `import { english } from "./English.ts"
const sentences = ${JSON.stringify(sentences)}
export const ${name} = Object.fromEntries(Object.keys(english).map((key, at) => [key, sentences[at]]))`
}

/**
 * Builds the page that verifies proofs (web/) as one HTML file: script and style inside, and a policy that names script and style by
 * their hashes and forbids everything else, the network first. In memory, so that a daemon run from a checkout can serve it without a build.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const file = (name: string): string => fileURLToPath(new URL(`./web/${name}`, import.meta.url))

/** The page's HTML, without a proof in it. */
export const buildPage = async (): Promise<string> => {
  const code = await script()
  const style = readFileSync(file("page.css"), "utf8")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([{};]) ?/g, "$1")
    .trim()
  const parts: Readonly<Record<string, string>> = { POLICY: policy(code, style), STYLE: style, SCRIPT: code }
  return readFileSync(file("page.html"), "utf8").replaceAll(
    /content="(POLICY)"|\/\*(STYLE|SCRIPT)\*\//g,
    (whole, policy?: string, place?: string) =>
      policy === undefined ? parts[place!]! : whole.replace(policy, parts.POLICY!)
  )
}

const policy = (code: string, style: string): string =>
  [
    "default-src 'none'",
    `script-src 'sha256-${sha256(code)}'`,
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

/** The script, without imports, and safe to stand in a script element. */
async function script(): Promise<string> {
  const { output } = await build({
    input: file("main.ts"),
    platform: "browser",
    write: false,
    transform: { target: "es2022" },
    resolve: { conditionNames: ["@treemark/source", "browser", "import", "module", "default"] },
    output: { format: "iife", minify: true, codeSplitting: false },
    onLog: (_level, log) => {
      throw new Error(`The page's script is not whole: ${log.message}`)
    }
  })
  const code = output[0].code.trim().replaceAll(/<(?=\/script|!--|script)/gi, "\\x3c")
  // A browser would replace these while it reads the page, and the script's hash would be another.
  if (/[\r\0]/.test(code)) throw new Error("The page's script holds a raw CR or NUL character. Write it as an escape.")
  return code
}

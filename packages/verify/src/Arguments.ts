/** The command line of `treemark-verify`, read into what is to be done. A wrong one throws {@link UnusableInput} with the code `usage`. */
import { parseArgs } from "node:util"
import { type BackendChoice, backendNamed } from "./backends/BackendName.ts"
import { type Asked, askedOf, QUESTION_OPTIONS } from "./Question.ts"
import { UnusableInput } from "./UnusableInput.ts"

export type Shell = "bash" | "zsh" | "fish"

/** What is verified; each is a file's path, or `-` for standard input. */
export type Subject =
  | { readonly kind: "proof"; readonly proof: string }
  | { readonly kind: "signed-tree"; readonly tree: string; readonly sha256: string; readonly signature: string }
  | { readonly kind: "recorded-tree"; readonly tree: string; readonly record: string }
  | { readonly kind: "record"; readonly record: string }

export type Arguments =
  | { readonly command: "help" }
  | { readonly command: "version" }
  | { readonly command: "completions"; readonly shell: Shell }
  | {
      readonly command: "verify"
      readonly subject: Subject
      readonly asset: string | undefined
      readonly asked: Asked
      readonly json: boolean
      readonly explain: boolean
      /** undefined: noble, without a word about it. */
      readonly backend: BackendChoice | undefined
    }

/** Every option, as `parseArgs` wants them. */
export const OPTIONS = {
  sha256: { type: "string" },
  signature: { type: "string" },
  record: { type: "string" },
  asset: { type: "string" },
  ...QUESTION_OPTIONS,
  json: { type: "boolean" },
  explain: { type: "boolean" },
  backend: { type: "string" },
  completions: { type: "string" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" }
} as const

export const readArguments = (args: ReadonlyArray<string>): Arguments => {
  const { values, positionals } = parse(args)
  if (values.help === true) return { command: "help" }
  if (values.version === true) return { command: "version" }
  if (values.completions !== undefined) return { command: "completions", shell: shellOf(values.completions) }
  const subject = subjectOf(positionals, values)
  const asked = askedOf(values, usage)
  const files = [...Object.values(subject), values.asset, asked.authors, ...asked.checkpoints]
  if (files.filter((file) => file === "-").length > 1) {
    throw usage("Standard input (-) can stand for one file only.")
  }
  const { asset } = values
  const backend = values.backend === undefined ? undefined : backendNamed(values.backend, usage)
  const { json = false, explain = false } = values
  return { command: "verify", subject, asset, asked, json, explain, backend }
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message : String(error)}.`.replace(/\.+$/, "."))
  }
}

type Values = ReturnType<typeof parse>["values"]

const subjectOf = (positionals: ReadonlyArray<string>, { sha256, signature, record }: Values): Subject => {
  const [file] = positionals
  if (positionals.length > 1) {
    throw usage(`One file is verified at a time; these are ${positionals.length}. The asset goes after --asset.`)
  }
  if (record !== undefined) {
    if (sha256 !== undefined || signature !== undefined) {
      throw usage("A commit record already holds the checksum and the signature: give --record alone.")
    }
    return file === undefined ? { kind: "record", record } : { kind: "recorded-tree", tree: file, record }
  }
  if (file === undefined) throw usage("Which file? Give a proof, or an asset tree with --record.")
  if (sha256 === undefined && signature === undefined) return { kind: "proof", proof: file }
  if (sha256 === undefined || signature === undefined) {
    throw usage("A tree is checked against both its --sha256 and its --signature; one of them is missing.")
  }
  return { kind: "signed-tree", tree: file, sha256: sha256.replace(/^0x/i, ""), signature: withPrefix(signature) }
}

const withPrefix = (hex: string): string => (/^0x/i.test(hex) ? `0x${hex.slice(2)}` : `0x${hex}`)

const shellOf = (text: string): Shell => {
  if (text === "bash" || text === "zsh" || text === "fish") return text
  throw usage(`--completions knows bash, zsh and fish; not "${text}".`)
}

const usage = (message: string): UnusableInput => new UnusableInput("usage", `${message} See treemark-verify --help.`)

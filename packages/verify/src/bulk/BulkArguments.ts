/** The command line of `treemark-verify bulk`. A wrong one throws {@link UnusableInput} with the code `usage`. */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import { type BackendChoice, backendNamed } from "../backends/BackendName.ts"
import { type Asked, askedOf, QUESTION_OPTIONS } from "../Question.ts"
import { UnusableInput } from "../UnusableInput.ts"
import type { Shard } from "./FolderFiles.ts"

export interface ByteRange {
  readonly start: number
  /** The first byte that does not belong to it; undefined: to the end. */
  readonly end: number | undefined
}

export interface BulkArguments extends Asked {
  /** A file, a folder, or `-` for standard input. */
  readonly input: string
  readonly json: boolean
  readonly backend: BackendChoice
  readonly workers: number
  readonly shard: Shard | undefined
  readonly range: ByteRange | undefined
}

const OPTIONS = {
  json: { type: "boolean" },
  ...QUESTION_OPTIONS,
  backend: { type: "string" },
  workers: { type: "string" },
  shard: { type: "string" },
  range: { type: "string" },
  help: { type: "boolean", short: "h" }
} as const

const MOST_WORKERS = 256

export const readBulkArguments = (args: ReadonlyArray<string>): BulkArguments | "help" => {
  const { values, positionals } = parse(args)
  if (values.help === true) return "help"
  const [input] = positionals
  if (input === undefined)
    throw usage("Which proofs? Give a file with one proof a line, a CAR, a folder, or - for standard input.")
  if (positionals.length > 1) throw usage(`One file or folder at a time; these are ${positionals.length}.`)
  if (values.shard !== undefined && values.range !== undefined) throw usage("Give --shard or --range, not both.")
  return {
    input,
    json: values.json === true,
    ...askedWithout(values),
    backend: backendNamed(values.backend ?? "auto", usage),
    workers: workersOf(values.workers),
    shard: shardOf(values.shard),
    range: rangeOf(values.range)
  }
}

/** Standard input can stand for nothing but what is verified. */
const askedWithout = (values: Parameters<typeof askedOf>[0]): Asked => {
  const asked = askedOf(values, usage)
  if ([asked.authors, ...asked.checkpoints].includes("-"))
    throw usage("Standard input (-) can stand for the proofs only.")
  return asked
}

const parse = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message : String(error)}.`.replace(/\.+$/, "."))
  }
}

const workersOf = (text: string | undefined): number => {
  if (text === undefined) return Math.min(availableParallelism(), MOST_WORKERS)
  const count = wholeNumber(text)
  if (count !== undefined && count >= 1 && count <= MOST_WORKERS) return count
  throw usage(`--workers is a number from 1 to ${MOST_WORKERS}; this is "${text}".`)
}

const shardOf = (text: string | undefined): Shard | undefined => {
  if (text === undefined) return undefined
  const [index, count] = text.split("/").map(wholeNumber)
  if (index !== undefined && count !== undefined && index >= 1 && index <= count && text.split("/").length === 2) {
    return { index, count }
  }
  throw usage(`--shard is a part of the whole, such as 3/16 for the third of sixteen; this is "${text}".`)
}

const rangeOf = (text: string | undefined): ByteRange | undefined => {
  if (text === undefined) return undefined
  const [first, last, ...more] = text.split("-")
  const start = wholeNumber(first ?? "")
  const end = last === "" ? undefined : wholeNumber(last ?? "")
  if (
    start === undefined ||
    more.length > 0 ||
    last === undefined ||
    (last !== "" && (end === undefined || end < start))
  ) {
    throw usage(`--range is two byte offsets, such as 0-1000000, the second not included; this is "${text}".`)
  }
  return { start, end }
}

const wholeNumber = (text: string): number | undefined => {
  const number = Number(text)
  return /^\d+$/.test(text) && Number.isSafeInteger(number) ? number : undefined
}

const usage = (message: string): UnusableInput =>
  new UnusableInput("usage", `${message} See treemark-verify bulk --help.`)

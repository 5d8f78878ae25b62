/** The command line of `treemark-verify history`. A wrong one throws {@link UnusableInput} with the code `usage`. */
import { parseArgs } from "node:util"
import { type BackendChoice, backendNamed } from "../backends/BackendName.ts"
import { type Asked, addressed, askedOf, QUESTION_OPTIONS } from "../Question.ts"
import { UnusableInput } from "../UnusableInput.ts"

export const HISTORY_HELP = `treemark-verify history checks an exported history of an asset, offline: every commit in order, and where it breaks.

Usage
  treemark-verify history FOLDER    history.json and the proofs that it names (without one, every *.proof.json by its place on the ledger)
  treemark-verify history FILE.car  the same as one file: a CAR (version 1) whose root is the index; every block is hashed
treemarkd log ASSET_CID --proofs FOLDER makes such a folder. A history says nothing of commits that it leaves out: only the ledger does.

Options
  --json             print one JSON document: the commits with their reports, then what else does not hold, then a summary
  --author 0x…       whose signature you expect on every commit
  --authors FILE     whom you know: addresses with names, roles and dates
  --recorder 0x…     a wallet whose word you take for what was done (may be given several times); without one, and without
                     recorders in the authors file, the recorder of the first commit is the one expected
  --checkpoint FILE  block hashes that you trust (may be given several times)
  --quorum N         a block counts when N different witnesses signed checkpoints that have it
  --contract ID:0x…  a commit contract that you trust, with its chain's id (may be given several times)
  --backend NAME     auto (the fastest that runs here), noble, wasm (tiny-secp256k1) or native (secp256k1)
  -h, --help         print this text

Each commit is a line that starts with a letter
  G  signed by its author (or by whom you named), and done by the author or recorded by a wallet whose word is taken
  R  the tree is its author's; what was done with it is the word of the wallet that recorded it
  U  signed, but not by the author, or not confirmed
  B  something does not hold
  N  no proof in the export, so nothing to check

Exit codes, of the worst commit
  0  every commit is G     1  something is B     2  the input or the command line cannot be used     3  nothing worse than R, U or N
`

export interface HistoryArguments extends Asked {
  /** A folder or a CAR. */
  readonly input: string
  readonly recorders: ReadonlyArray<string>
  readonly json: boolean
  readonly backend: BackendChoice
}

const OPTIONS = {
  ...QUESTION_OPTIONS,
  recorder: { type: "string", multiple: true },
  json: { type: "boolean" },
  backend: { type: "string" },
  help: { type: "boolean", short: "h" }
} as const

export const readHistoryArguments = (args: ReadonlyArray<string>): HistoryArguments | "help" => {
  const { values, positionals } = parse(args)
  if (values.help === true) return "help"
  const [input] = positionals
  if (input === undefined) throw usage("Which history? Give a folder, or a CAR.")
  if (positionals.length > 1) throw usage(`One history is verified at a time; these are ${positionals.length}.`)
  if (input === "-")
    throw usage("A history is read twice, so it cannot come on standard input. Give its folder or file.")
  return {
    input,
    recorders: (values.recorder ?? []).map((address) => addressed("--recorder", address, usage)),
    json: values.json === true,
    backend: backendNamed(values.backend ?? "auto", usage),
    ...askedWithout(values)
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

const usage = (message: string): UnusableInput =>
  new UnusableInput("usage", `${message} See treemark-verify history --help.`)

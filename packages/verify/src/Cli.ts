/**
 * `treemark-verify`, apart from the process it runs in: arguments in, what to print and the exit code out (0 valid, 1 invalid,
 * 2 unusable input or usage, 3 unconfirmed).
 */
import {
  AUTHORS_LIMIT,
  CHECKPOINT_LIMIT,
  needsUnixfs,
  PROOF_LIMIT,
  RECORD_LIMIT,
  type Report,
  readJsonObject,
  TREE_LIMIT,
  textMember,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { type Arguments, readArguments, type Subject } from "./Arguments.ts"
import { COMPLETIONS, HELP } from "./Help.ts"
import { measureFile, readBounded } from "./Inputs.ts"
import { printable, printableJson } from "./Printable.ts"
import { render } from "./Render.ts"
import { runStatement } from "./StatementCommand.ts"
import { UnusableInput } from "./UnusableInput.ts"
import { proofInput, readAuthors, readCheckpoint, readRecord, treeInput } from "./Verification.ts"

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: 0 | 1 | 2 | 3
}

const EXIT_CODES = { valid: 0, invalid: 1, unconfirmed: 3 } as const

/** Runs the command. `colour`: standard output is a terminal that shows colour. */
export const runCli = (
  args: ReadonlyArray<string>,
  environment: { readonly version: string; readonly colour: boolean }
): Outcome => {
  try {
    if (args[0] === "statement") return { ...runStatement(args.slice(1)), stderr: "" }
    const command = readArguments(args)
    switch (command.command) {
      case "help":
        return said(HELP)
      case "version":
        return said(`treemark-verify ${environment.version}\n`)
      case "completions":
        return said(COMPLETIONS[command.shell])
      case "verify":
        return reported(verifySubject(command), command.json, environment.colour)
    }
  } catch (error) {
    if (error instanceof UnusableInput) return refused(error, args.includes("--json"))
    throw error
  }
}

const verifySubject = (command: Arguments & { command: "verify" }): Report => {
  const input = inputOf(command.subject)
  return verify({
    ...input,
    expectedAuthor: command.author,
    authors: command.authors === undefined ? undefined : readAuthors(readAuthorsFile(command.authors)),
    checkpoints: command.checkpoints.map((path) => readCheckpoint(readCheckpointFile(path))),
    asset: command.asset === undefined ? undefined : measureFile(command.asset, needsUnixfs(assetCidOf(input)))
  })
}

const inputOf = (subject: Subject): VerifyInput => {
  switch (subject.kind) {
    case "proof":
      return proofInput(readBounded(subject.proof, PROOF_LIMIT, "a proof"))
    case "signed-tree":
      return treeInput(readTree(subject.tree), subject)
    case "recorded-tree":
      return treeInput(readTree(subject.tree), { record: readRecordFile(subject.record) })
    case "record":
      return { record: readRecord(readRecordFile(subject.record)) }
  }
}

const readTree = (path: string): Uint8Array => readBounded(path, TREE_LIMIT, "an asset tree")
const readRecordFile = (path: string): Uint8Array => readBounded(path, RECORD_LIMIT, "a commit record")
const readAuthorsFile = (path: string): Uint8Array => readBounded(path, AUTHORS_LIMIT, "an authors file")
const readCheckpointFile = (path: string): Uint8Array => readBounded(path, CHECKPOINT_LIMIT, "a checkpoint")

const assetCidOf = ({ tree }: VerifyInput): string | undefined => {
  const json = tree === undefined ? undefined : readJsonObject(tree)
  return json?.ok === true ? textMember(json.value, "assetCid") : undefined
}

const said = (stdout: string): Outcome => ({ stdout, stderr: "", exitCode: 0 })

const reported = (report: Report, json: boolean, colour: boolean): Outcome => ({
  stdout: json ? `${printableJson(report)}\n` : render(report, { colour }),
  stderr: "",
  exitCode: EXIT_CODES[report.verdict]
})

const refused = ({ code, message, problems }: UnusableInput, json: boolean): Outcome => ({
  stdout: json ? `${printableJson({ error: { code, message, problems } })}\n` : "",
  stderr: `treemark-verify: ${printable(message, 4000)}\n`,
  exitCode: 2
})

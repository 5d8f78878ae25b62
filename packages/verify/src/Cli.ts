/**
 * `treemark-verify`, apart from the process it runs in: arguments in, what to print and the exit code out (0 valid, 1 invalid,
 * 2 unusable input or usage, 3 unconfirmed).
 */
import {
  type Explanation,
  type FileNames,
  type JsonObject,
  needsUnixfs,
  RECORD_LIMIT,
  type Report,
  readJsonObject,
  recoverSigner,
  TREE_LIMIT,
  textMember,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { type Arguments, readArguments, type Subject } from "./Arguments.ts"
import type { Backend } from "./backends/Backend.ts"
import { COMPLETIONS, HELP } from "./Help.ts"
import { measureFile, ofFile, readBounded, readProofFile } from "./Inputs.ts"
import { EXIT_CODES, type Outcome, refused } from "./Outcome.ts"
import { printableJson } from "./Printable.ts"
import { questionOf } from "./Question.ts"
import { render } from "./Render.ts"
import { foreseen } from "./Unforeseen.ts"
import { proofInput, readRecord, treeInput } from "./Verification.ts"

export interface Environment {
  readonly version: string
  /** Standard output is a terminal that shows colour. */
  readonly colour: boolean
  /** The backend that was asked for with --backend; without one noble is used, and not mentioned. */
  readonly backend?: Backend
  /** What --explain needs; loaded only for it. */
  readonly explaining?: Explaining
}

export interface Explaining {
  readonly explain: (input: VerifyInput, report: Report, names: FileNames) => ReadonlyArray<Explanation>
  readonly render: (explanations: ReadonlyArray<Explanation>, options: { readonly colour: boolean }) => string
}

/** Runs the command. */
export const runCli = (args: ReadonlyArray<string>, environment: Environment): Outcome => {
  try {
    const command = readArguments(args)
    switch (command.command) {
      case "help":
        return said(HELP)
      case "version":
        return said(`treemark-verify ${environment.version}\n`)
      case "completions":
        return said(COMPLETIONS[command.shell])
      case "verify":
        return verified(command, environment)
    }
  } catch (error) {
    return refused(foreseen(error), args.includes("--json"))
  }
}

type VerifyCommand = Arguments & { readonly command: "verify" }

const verified = (command: VerifyCommand, environment: Environment): Outcome => {
  const input = inputOf(command, environment.backend)
  const report = verify(input)
  const explanations = command.explain ? environment.explaining?.explain(input, report, namesOf(command)) : undefined
  return reported(report, { tree: treeOf(input), explanations, json: command.json }, environment)
}

const inputOf = (command: VerifyCommand, backend: Backend | undefined): VerifyInput => {
  const input = subjectInput(command.subject)
  return {
    ...input,
    recover: backend && ((text, signature) => recoverSigner(text, signature, backend.recoverKey)),
    recoverKey: backend?.recoverKey,
    ...questionOf(command.asked),
    asset:
      command.asset === undefined
        ? undefined
        : measureFile(command.asset, needsUnixfs(textMember(treeOf(input), "assetCid")))
  }
}

const namesOf = ({ asked: { authors, checkpoints }, asset, subject }: VerifyCommand): FileNames => {
  const given = { asset, authors, checkpoints }
  switch (subject.kind) {
    case "proof":
      return { proof: subject.proof, ...given }
    case "signed-tree":
      return { tree: subject.tree, ...given }
    case "recorded-tree":
      return { tree: subject.tree, record: subject.record, ...given }
    case "record":
      return { record: subject.record, ...given }
  }
}

const subjectInput = (subject: Subject): VerifyInput => {
  switch (subject.kind) {
    case "proof":
      return proofInput(readProofFile(subject.proof))
    case "signed-tree":
      return treeInput(readTree(subject.tree), subject)
    case "recorded-tree":
      return treeInput(readTree(subject.tree), { record: readRecordFile(subject.record) })
    case "record":
      return { record: readRecordFile(subject.record) }
  }
}

const readTree = (path: string): Uint8Array => readBounded(path, TREE_LIMIT, "an asset tree")
const readRecordFile = (path: string): JsonObject =>
  ofFile(path, () => readRecord(readBounded(path, RECORD_LIMIT, "a commit record")))

const treeOf = ({ tree }: VerifyInput): JsonObject | undefined => {
  const json = tree === undefined ? undefined : readJsonObject(tree)
  return json?.ok === true ? json.value : undefined
}

const said = (stdout: string): Outcome => ({ stdout, stderr: "", exitCode: 0 })

interface Told {
  readonly tree: JsonObject | undefined
  readonly explanations: ReadonlyArray<Explanation> | undefined
  readonly json: boolean
}

const reported = (
  report: Report,
  { explanations, json, tree }: Told,
  { backend, colour, explaining }: Environment
): Outcome => ({
  stdout: json
    ? `${printableJson({ ...report, ...(backend && { backend: backend.name }), ...(explanations && { explanations }) })}\n`
    : [
        render(report, { colour, tree }),
        backend && `The signature's arithmetic was done by the backend ${backend.name}.\n`,
        explanations && explaining?.render(explanations, { colour })
      ]
        .filter((part) => part !== undefined)
        .join("\n"),
  stderr: "",
  exitCode: EXIT_CODES[report.verdict]
})

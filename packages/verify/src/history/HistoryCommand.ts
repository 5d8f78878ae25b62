/** `treemark-verify history`: verifies an exported history and says where it breaks. A file of its own in the release. */
import { statSync } from "node:fs"
import { loadBackend } from "../backends/Backend.ts"
import type { BackendName } from "../backends/BackendName.ts"
import { makeVerifier, type Verifier } from "../bulk/Verifier.ts"
import { EXIT_CODES, refused } from "../Outcome.ts"
import { questionOf } from "../Question.ts"
import { writeText } from "../Streams.ts"
import { foreseen } from "../Unforeseen.ts"
import { openCar } from "./CarSource.ts"
import { openFolder } from "./FolderSource.ts"
import { HISTORY_HELP, type HistoryArguments, readHistoryArguments } from "./HistoryArguments.ts"
import type { HistorySource } from "./HistorySource.ts"
import { type HistoryText, jsonText, plainText } from "./HistoryText.ts"
import type { Recorders } from "./Recorders.ts"
import { findings, recordersIn, summarize } from "./VerifyHistory.ts"

const OUT = 1
const ERR = 2

/** Writes a part of what is said; 1 is standard output, 2 standard error. */
export type Say = (file: 1 | 2, text: string) => unknown

/** Runs the command (`args`: what follows `history`) and gives its exit code. */
export const runHistory = async (args: ReadonlyArray<string>, say: Say = writeText): Promise<0 | 1 | 2 | 3> => {
  try {
    const command = readHistoryArguments(args)
    if (command !== "help") return await verifyHistory(command, say)
    say(OUT, HISTORY_HELP)
    return 0
  } catch (error) {
    const { exitCode, stderr, stdout } = refused(foreseen(error), args.includes("--json"))
    say(OUT, stdout)
    say(ERR, stderr)
    return exitCode
  }
}

const verifyHistory = async (command: HistoryArguments, say: Say): Promise<0 | 1 | 2 | 3> => {
  const backend = await loadBackend(command.backend)
  const question = questionOf(command)
  const verifier = makeVerifier(backend, question)
  const source = isFolder(command.input) ? openFolder(command.input) : openCar(command.input)
  const recorders = recordersIn(source, { recorders: command.recorders, authors: question.authors })
  try {
    const text = command.json ? jsonText() : plainText()
    return tellHistory(source, { verifier, recorders, backend: backend.name, text, say })
  } finally {
    source.close()
  }
}

export interface Telling {
  readonly verifier: Pick<Verifier, "verifyBytes">
  readonly recorders: Recorders
  readonly backend: BackendName
  readonly text: HistoryText
  readonly say: Say
}

/** Commit by commit. What fails on the way ends the document as a whole one, with the error in it. */
export const tellHistory = (
  source: HistorySource,
  { backend, recorders, say, text, verifier }: Telling
): 0 | 1 | 2 | 3 => {
  const summary = summarize()
  say(OUT, text.head(source.index, recorders))
  try {
    for (const finding of findings(source, verifier, recorders)) {
      summary.add(finding)
      say(OUT, text.commit(finding))
    }
    const strays = source.strays()
    const sum = summary.end(strays)
    say(OUT, text.end(strays, sum, backend))
    return EXIT_CODES[sum.verdict]
  } catch (error) {
    const refusal = foreseen(error)
    say(OUT, text.broken(refusal))
    say(ERR, refused(refusal, false).stderr)
    return 2
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

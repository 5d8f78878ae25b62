/** `treemark-verify history`: verifies an exported history and says where it breaks. A file of its own in the release. */
import { statSync } from "node:fs"
import { loadBackend } from "../backends/Backend.ts"
import { makeVerifier } from "../bulk/Verifier.ts"
import { EXIT_CODES, refused } from "../Outcome.ts"
import { questionOf } from "../Question.ts"
import { writeText } from "../Streams.ts"
import { UnusableInput } from "../UnusableInput.ts"
import { openCar } from "./CarSource.ts"
import { openFolder } from "./FolderSource.ts"
import { HISTORY_HELP, type HistoryArguments, readHistoryArguments } from "./HistoryArguments.ts"
import { jsonText, plainText } from "./HistoryText.ts"
import { findings, summarize } from "./VerifyHistory.ts"

const OUT = 1
const ERR = 2

/** Runs the command (`args`: what follows `history`) and gives its exit code. */
export const runHistory = async (args: ReadonlyArray<string>): Promise<0 | 1 | 2 | 3> => {
  try {
    const command = readHistoryArguments(args)
    if (command !== "help") return await verifyHistory(command)
    writeText(OUT, HISTORY_HELP)
    return 0
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error
    const { exitCode, stderr, stdout } = refused(error, args.includes("--json"))
    writeText(OUT, stdout)
    writeText(ERR, stderr)
    return exitCode
  }
}

const verifyHistory = async (command: HistoryArguments): Promise<0 | 1 | 3> => {
  const backend = await loadBackend(command.backend)
  const verifier = makeVerifier(backend, questionOf(command))
  const source = isFolder(command.input) ? openFolder(command.input) : openCar(command.input)
  try {
    const text = command.json ? jsonText() : plainText()
    const summary = summarize()
    writeText(OUT, text.head(source.index))
    for (const finding of findings(source, verifier)) {
      summary.add(finding)
      writeText(OUT, text.commit(finding))
    }
    const strays = source.strays()
    const sum = summary.end(strays)
    writeText(OUT, text.end(strays, sum, backend.name))
    return EXIT_CODES[sum.verdict]
  } finally {
    source.close()
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

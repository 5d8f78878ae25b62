/** `treemark-verify bulk`: reads the proofs, has them verified by all cores, writes the results in order, and ends with the worst. */
import { printable, printableLine } from "../Printable.ts"
import { questionOf } from "../Question.ts"
import { isTerminal, write, writeText } from "../Streams.ts"
import { foreseen } from "../Unforeseen.ts"
import { type BulkArguments, readBulkArguments } from "./BulkArguments.ts"
import { BULK_HELP } from "./BulkHelp.ts"
import type { Answer, Chunk } from "./Chunk.ts"
import { openInput } from "./Input.ts"
import { Pool } from "./Pool.ts"
import { makeProgress } from "./Progress.ts"
import { jsonSummary, plainSummary, type Summary } from "./Summary.ts"
import { exitCodeOf, NOTHING, sum, totalOf } from "./Tally.ts"

const OUT = 1
const ERR = 2

/** Runs the command (`args`: what follows `bulk`) and gives its exit code. */
export const runBulk = async (args: ReadonlyArray<string>): Promise<0 | 1 | 2 | 3> => {
  try {
    const command = readBulkArguments(args)
    if (command !== "help") return await verifyAll(command)
    writeText(OUT, BULK_HELP)
    return 0
  } catch (error) {
    if (error instanceof ReaderGone) return 2
    const { code, message, problems } = foreseen(error)
    if (args.includes("--json")) writeText(OUT, printableLine({ error: { code, message, problems } }))
    writeText(ERR, `treemark-verify: ${printable(message, 4000)}\n`)
    return 2
  }
}

/** Nobody reads the results any more (`| head`): the rest is not verified, and nothing more is said. */
class ReaderGone extends Error {}

const verifyAll = async (command: BulkArguments): Promise<0 | 1 | 2 | 3> => {
  const isWatched = isTerminal(ERR)
  const question = questionOf(command)
  let skipped = 0
  const input = openInput(command, {
    isCounted: isWatched,
    onSkipped: (message) => {
      skipped++
      progress?.clear()
      writeText(ERR, `treemark-verify: ${message}\n`)
    }
  })
  const progress = isWatched ? makeProgress(input.whole) : undefined
  const started = performance.now()
  let tally = NOTHING
  const onAnswer = (answer: Answer, chunk: Chunk, done: number): void => {
    if (chunk.kind === "lines") input.recycle(chunk.buffer)
    tally = sum(tally, answer.tally)
    skipped += answer.skipped
    if (answer.results.length > 0) {
      progress?.clear()
      if (!write(OUT, answer.results)) throw new ReaderGone()
    }
    progress?.update(tally, done)
  }
  const pool = await Pool.start(command.workers, { backend: command.backend, question, json: command.json }, onAnswer)
  try {
    for await (const chunk of input.chunks(() => pool.isHungry)) await pool.give(chunk)
    await pool.drained()
  } finally {
    input.close()
    await pool.stop()
  }
  progress?.clear()
  const exitCode = totalOf(tally) === 0 && !input.isPart ? 2 : exitCodeOf(tally)
  const summary: Summary = {
    ...tally,
    total: totalOf(tally),
    skipped,
    seconds: (performance.now() - started) / 1000,
    backend: pool.backend,
    workers: command.workers,
    exitCode
  }
  if (command.json && !writeText(OUT, jsonSummary(summary))) throw new ReaderGone()
  if (!command.json) writeText(ERR, plainSummary(summary))
  return exitCode
}

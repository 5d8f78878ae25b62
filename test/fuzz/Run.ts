/**
 * Fuzzing: proofs, mutated or made by a forger, through the verifier, and statements and histories through theirs; each case from a seed and its
 * number alone. What must hold of each: never an exception, never a second of work, nothing raw for the terminal; and nothing claimed that the
 * independent judge does not find, too. Of a proof that a forger made whole, the judge and the report must say the very same.
 */
import { seeded } from "../core/proof/Seeded.ts"
import { corpus, type Original } from "./Corpus.ts"
import { forge } from "./Forge.ts"
import { historyCase } from "./Histories.ts"
import { mutate } from "./Mutate.ts"
import type { Dice } from "./MutateValue.ts"
import { judgeProof } from "./RunProof.ts"
import { statementCase } from "./Statements.ts"

export interface Failure {
  readonly number: number
  readonly what: string
  readonly problem: string
}

export interface Case {
  /** What was done, for a person. */
  readonly what: string
  /** The input, to look at. */
  readonly bytes: Uint8Array
  /** Runs the product on it. */
  readonly run: () => Outcome
}

export interface Outcome {
  /** The verdict, or why there is none. */
  readonly outcome: string
  readonly problems: ReadonlyArray<string>
}

/** Case `number` of `seed`, again. */
export const caseOf = (seed: number, number: number): Case => {
  const dice = seeded(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b))
  for (let warm = 0; warm < 3; warm++) dice(2)
  const kind = dice(16)
  if (kind === 0) return statementCase(dice)
  if (kind === 1) return historyCase(dice)
  return kind < 8 ? forgedCase(dice) : mutatedCase(dice)
}

const mutatedCase = (dice: Dice): Case => {
  const original = pickOriginal(dice)
  const mutated = mutate(original.text, pickOriginal(dice).text, dice)
  const { bytes, mustFail } = mutated
  const run = () => judgeProof(bytes, { reader: original.reader, mustFail, isMutated: true, isForged: false })
  return { what: `${original.kind}: ${mutated.what}`, bytes, run }
}

const pickOriginal = (dice: Dice): Original => corpus[dice(corpus.length)]!

/** Made whole, or changed afterwards. */
const forgedCase = (dice: Dice): Case => {
  const { file, reader, what } = forge(dice)
  const text = JSON.stringify(file)
  if (dice(4) > 0) {
    const bytes = Buffer.from(text)
    return {
      what: `forged: ${what}`,
      bytes,
      run: () => judgeProof(bytes, { reader, mustFail: false, isMutated: false, isForged: true })
    }
  }
  const mutated = mutate(text, pickOriginal(dice).text, dice)
  const { bytes, mustFail } = mutated
  const run = () => judgeProof(bytes, { reader, mustFail, isMutated: true, isForged: true })
  return { what: `forged: ${what}: ${mutated.what}`, bytes, run }
}

/** Runs cases from `first` on until `isDone`; every failure is told at once. */
export const fuzz = (
  seed: number,
  isDone: (cases: number) => boolean,
  onFailure: (failure: Failure) => void,
  first = 0
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = { cases: 0 }
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  for (let number = first; !isDone(number - first); number++) {
    count("cases")
    const { run, what } = caseOf(seed, number)
    const { outcome, problems } = judged(run)
    count(outcome)
    for (const problem of problems) onFailure({ number, what, problem })
  }
  return counts
}

/** An exception is a problem like any other. */
const judged = (run: () => Outcome): Outcome => {
  try {
    return run()
  } catch (error) {
    return { outcome: "exception", problems: [`exception: ${error instanceof Error ? error.stack : String(error)}`] }
  }
}

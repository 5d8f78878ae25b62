/** What is asked of many proofs alike, and the options that say so: whose signature, whom you know, which blocks you trust. */
import { AUTHORS_LIMIT, CHECKPOINT_LIMIT, isAddressText, type VerifyInput } from "@treemark/core/verify"
import { readAuthors, readCheckpoint } from "../given/Options.ts"
import { readBounded } from "../Inputs.ts"
import type { UnusableInput } from "../UnusableInput.ts"

export type Question = Pick<VerifyInput, "expectedAuthor" | "authors" | "checkpoints">

export const QUESTION_OPTIONS = {
  author: { type: "string" },
  authors: { type: "string" },
  checkpoint: { type: "string", multiple: true }
} as const

export interface Asked {
  readonly author: string | undefined
  readonly authors: string | undefined
  readonly checkpoints: ReadonlyArray<string>
}

interface Values {
  readonly author?: string | undefined
  readonly authors?: string | undefined
  readonly checkpoint?: Array<string> | undefined
}

/** The options' values, checked; `usage` makes the error for wrong ones. */
export const askedOf = ({ author, authors, checkpoint }: Values, usage: (message: string) => UnusableInput): Asked => {
  if (author !== undefined && !isAddressText(author)) {
    throw usage(`--author is an address: 0x and 40 hex digits; this is "${author}".`)
  }
  const checkpoints = checkpoint ?? []
  if ([authors, ...checkpoints].includes("-")) throw usage("Standard input (-) can stand for the proofs only.")
  return { author, authors, checkpoints }
}

/** Reads the files once. Throws {@link UnusableInput} for one that is not understood. */
export const questionOf = ({ author, authors, checkpoints }: Asked): Question => ({
  expectedAuthor: author,
  authors: authors === undefined ? undefined : readAuthors(readBounded(authors, AUTHORS_LIMIT, "an authors file")),
  checkpoints: checkpoints.map((path) => readCheckpoint(readBounded(path, CHECKPOINT_LIMIT, "a checkpoint")))
})

/**
 * Text in a request. "Characters" are Unicode code points: an emoji family of 7 code points counts 7. Half of a surrogate
 * pair has no UTF-8 form, so no hash could be taken of it, and it is refused (decisions.md, section 4).
 */
import { Schema } from "effect"

/** The limit of interface.md for `assetCreator`, `licenseName` and `custom.generatedBy`. */
export const LONGEST_NAME = 21

/** How many characters (code points) `text` has. */
export const countCharacters = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** What is wrong with a text of more than `longest` characters; `undefined` when it fits. */
export const lengthProblem = (text: string, longest: number): string | undefined => {
  const count = countCharacters(text)
  return count <= longest ? undefined : `must be at most ${longest} characters; this one has ${count}`
}

/** What is wrong with a text that contains half of a surrogate pair; `undefined` when it is well formed. */
export const surrogateProblem = (text: string): string | undefined =>
  text.isWellFormed()
    ? undefined
    : "must be well-formed Unicode; this text contains half of a surrogate pair, as when an emoji is cut in two"

/** Well-formed text of any length. */
export const Text = Schema.String.check(Schema.makeFilter(surrogateProblem, { toJsonSchema: () => [{}, true] }))

/** Well-formed text of at most `longest` characters. */
export const textUpTo = (longest: number) =>
  Text.check(
    Schema.makeFilter((text: string) => lengthProblem(text, longest), {
      toJsonSchema: () => ({ maxLength: longest }),
      arbitraryConstraint: { maxCodePoints: longest }
    })
  )

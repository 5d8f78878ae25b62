/** Each code with its weight and its words, for whoever shows them. */
import { type Code, MEANINGS } from "./Meanings.ts"
import { type Weight, weightOf } from "./Weights.ts"

export { CHECKS, type CheckName, type Code } from "./Meanings.ts"

/** What a code says of its check, the verdict it leads to, and the sentence for people. */
export interface CodeMeaning extends Weight {
  readonly meaning: string
}

const codes = () =>
  Object.fromEntries(
    Object.entries(MEANINGS).map(([code, meaning]) => [code, { ...weightOf(code as Code), meaning }])
  ) as Record<Code, CodeMeaning>

/** Every code with how much it weighs and what it means. */
export const CODES: Readonly<Record<Code, CodeMeaning>> = /* @__PURE__ */ codes()

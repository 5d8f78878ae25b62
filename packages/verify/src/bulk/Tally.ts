/** What became of all proofs so far, and the exit code that says the worst of it: invalid, then unusable, then unconfirmed. */
import type { Outcome } from "./Verifier.ts"

export const KINDS = ["valid", "unconfirmed", "invalid", "unusable"] as const
export type Kind = (typeof KINDS)[number]
export type Tally = { readonly [Name in Kind]: number }

export const NOTHING: Tally = { valid: 0, unconfirmed: 0, invalid: 0, unusable: 0 }

export const kindOf = (outcome: Outcome): Kind => ("verdict" in outcome ? outcome.verdict : "unusable")

export const sum = (left: Tally, right: Tally): Tally => ({
  valid: left.valid + right.valid,
  unconfirmed: left.unconfirmed + right.unconfirmed,
  invalid: left.invalid + right.invalid,
  unusable: left.unusable + right.unusable
})

export const totalOf = (tally: Tally): number => KINDS.reduce((total, kind) => total + tally[kind], 0)

/** 1 when anything is invalid; else 2 when anything was unusable; else 3 when anything is unconfirmed; else 0. */
export const exitCodeOf = (tally: Tally): 0 | 1 | 2 | 3 => {
  if (tally.invalid > 0) return 1
  if (tally.unusable > 0) return 2
  return tally.unconfirmed > 0 ? 3 : 0
}

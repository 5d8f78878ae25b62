/**
 * The period of a statement as callers write it: dates (`2026-11-01`, midnight UTC) or moments (`2026-11-01T12:30:00Z`). It begins
 * with `from` and ends before `to`.
 */
import { FieldProblem, InvalidFields } from "@treemark/core"
import { Effect } from "effect"

/** As asked; what is left out is the whole history. */
export interface Asked {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Milliseconds since 1970: from the first moment, to the moment after the last. */
export interface Period {
  readonly from: number
  readonly to: number
}

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

const EXPECTED = "must be a date such as 2026-11-01 (midnight UTC), or a moment such as 2026-11-01T12:30:00Z"

/** The period asked for, its open ends taken from `whole`. A statement never reaches beyond what has happened. */
export const periodOf = (asked: Asked, whole: Period): Effect.Effect<Period, InvalidFields> => {
  const problems: Array<FieldProblem> = []
  const moment = (name: "from" | "to"): number => {
    const text = asked[name]
    if (text === undefined || text === "") return whole[name]
    const found = MOMENT.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isNaN(found)) problems.push(new FieldProblem({ path: `/${name}`, message: EXPECTED }))
    return found
  }
  const from = moment("from")
  const to = Math.min(moment("to"), whole.to)
  if (problems.length === 0 && from >= to) {
    problems.push(
      new FieldProblem({ path: "/from", message: "must be before the end of the period, and not in the future" })
    )
  }
  const [first, ...others] = problems
  return first === undefined
    ? Effect.succeed({ from, to })
    : Effect.fail(new InvalidFields({ problems: [first, ...others] }))
}

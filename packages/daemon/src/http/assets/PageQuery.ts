/** The query of a list: how many, and from where. */
import { FieldProblem, InvalidFields } from "@treemark/core"
import { Effect, Schema } from "effect"

const MOST = 100
const USUAL = 50

export const PAGE_QUERY = {
  limit: Schema.optionalKey(
    Schema.String.annotate({ description: `How many to give, 1 to ${MOST}; ${USUAL} by default` })
  ),
  cursor: Schema.optionalKey(Schema.String.annotate({ description: "The `next` of the page before" }))
}

/** Reads the query; `cursor` is the form that a cursor of this list has. */
export const pageAsked = (query: { readonly limit?: string; readonly cursor?: string }, cursor: RegExp) => {
  const problems: Array<FieldProblem> = []
  const limit = query.limit === undefined ? USUAL : /^\d{1,3}$/u.test(query.limit) ? Number(query.limit) : 0
  if (limit < 1 || limit > MOST) {
    problems.push(
      new FieldProblem({ path: "/limit", message: `(in the query) must be a whole number from 1 to ${MOST}` })
    )
  }
  if (query.cursor !== undefined && !cursor.test(query.cursor)) {
    problems.push(
      new FieldProblem({
        path: "/cursor",
        message: "(in the query) must be the `next` of an answer of this list, as it was"
      })
    )
  }
  const [first, ...others] = problems
  return first === undefined
    ? Effect.succeed({ limit, cursor: query.cursor })
    : Effect.fail(new InvalidFields({ problems: [first, ...others] }))
}

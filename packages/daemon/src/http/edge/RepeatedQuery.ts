/** A query that gives the same name more than once: no operation takes a list, so which of the two is meant cannot be told. */
import type { ApiProblem } from "../ApiErrors.ts"

/** What to answer to a query that could not be read. */
export const repeatedQuery = (url: string): ApiProblem => {
  const names = [...new URLSearchParams(url.split("?", 2)[1] ?? "").keys()]
  const repeated = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
  return {
    code: "invalid_fields",
    detail: "The query gives a name more than once, and it is not clear which value is meant. Give each name once.",
    errors: repeated.map((name) => ({ path: `/${name}`, message: "(in the query) must be given once" }))
  }
}

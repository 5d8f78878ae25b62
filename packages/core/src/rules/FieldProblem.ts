/** One broken rule of a request body: where, as a JSON pointer (RFC 6901), and what would be right. */
import { Schema } from "effect"

export class FieldProblem extends Schema.Class<FieldProblem>("@treemark/core/rules/FieldProblem")({
  path: Schema.String,
  message: Schema.String
}) {}

/** A request body that breaks rules; every broken one is named, none more than once, ordered by path. */
export class InvalidFields extends Schema.TaggedError<InvalidFields>()("InvalidFields", {
  problems: Schema.NonEmptyArray(FieldProblem)
}) {
  override get message() {
    const places = this.problems.map(({ path, message }) => `${path === "" ? "the body" : path} ${message}`).join("; ")
    return `The request breaks ${this.problems.length === 1 ? "a rule" : `${this.problems.length} rules`}: ${places}. Nothing was charged.`
  }
}

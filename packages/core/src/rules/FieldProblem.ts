/**
 * What a request body breaks: each broken rule as a JSON pointer (RFC 6901) and what would be right; and how the issues of a
 * Schema become these. The answer is the same whatever the order of the body's members.
 */
import { Effect, JsonPointer, Schema, SchemaAST, type SchemaIssue } from "effect"
import { compareUtf8 } from "../json/Utf8.ts"
import { nearestName } from "./NearestName.ts"

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

/** Refuses a request for one field: what it says is known to be wrong only when more than the body is known. */
export const refuseField = (path: string, message: string): Effect.Effect<never, InvalidFields> =>
  Effect.fail(new InvalidFields({ problems: [new FieldProblem({ path, message })] }))

/** More are counted, not listed: a body of 64 KiB can break thousands of rules, and the answer must stay small. */
const MOST_LISTED = 100

/** The broken rules behind a failed decoding of a request body. `SchemaError.issue` is such an issue. */
export const fieldProblems = (issue: SchemaIssue.Issue): readonly [FieldProblem, ...Array<FieldProblem>] => {
  const found = new Map(flatten(issue, "").map((problem) => [JSON.stringify([problem.path, problem.message]), problem]))
  const sorted = [...found.values()].sort((a, b) => compareUtf8(a.path, b.path) || compareUtf8(a.message, b.message))
  const [first, ...others] = sorted.slice(0, MOST_LISTED).map(withSuggestion)
  const listed: [FieldProblem, ...Array<FieldProblem>] = [first!, ...others]
  const unlisted = sorted.length - listed.length
  return unlisted === 0
    ? listed
    : [new FieldProblem({ path: "", message: `breaks ${unlisted} more rules than are listed here` }), ...listed]
}

/** An unknown field gets the nearest known name only when it is listed: finding it takes the most time of all. */
const withSuggestion = ({ path, message, unknownTo }: Found): FieldProblem => {
  const nearest = unknownTo === undefined ? undefined : nearestName(lastStep(path), namesOf(unknownTo))
  return new FieldProblem({
    path,
    message: nearest === undefined ? message : `${message}; the nearest one is "${nearest}"`
  })
}

const lastStep = (path: string): string => JsonPointer.unescapeToken(path.slice(path.lastIndexOf("/") + 1))

const namesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

/**
 * Decodes a request body with `schema`: every broken rule in one failure, fields that the schema does not know refused. `across` adds the
 * rules between fields, which hold whatever else is broken.
 */
export const decodeBody = <A, I>(
  schema: Schema.Codec<A, I>,
  across: (body: { readonly [field: string]: unknown }) => ReadonlyArray<FieldProblem> = () => []
): ((input: unknown) => Effect.Effect<A, InvalidFields>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  return (input) => {
    const further = isMembers(input) ? across(input) : []
    return Effect.matchEffect(decode(input), {
      onFailure: ({ issue }) => refusal([...fieldProblems(issue), ...further]),
      onSuccess: (body) => (further.length === 0 ? Effect.succeed(body) : refusal(further))
    })
  }
}

const isMembers = (input: unknown): input is { readonly [field: string]: unknown } =>
  typeof input === "object" && input !== null && !Array.isArray(input)

const refusal = (problems: ReadonlyArray<FieldProblem>): Effect.Effect<never, InvalidFields> => {
  const [first, ...others] = [...problems].sort((a, b) => compareUtf8(a.path, b.path))
  return Effect.fail(new InvalidFields({ problems: [first!, ...others] }))
}

interface Found {
  readonly path: string
  readonly message: string
  /** For an unknown field: the type that does not know it. */
  readonly unknownTo?: SchemaAST.AST
}

/** `message` is the one of a broken filter further out. */
const flatten = (issue: SchemaIssue.Issue, path: string, message?: string): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Filter":
      return flatten(issue.issue, path, message ?? textOf(issue.filter.annotations?.message))
    case "Encoding":
      return flatten(issue.issue, path, message)
    case "Pointer":
      return flatten(issue.issue, issue.path.reduce(pointerInto, path), message)
    case "Composite":
      return issue.issues.flatMap((inner) => flatten(inner, path, message))
    case "AnyOf":
      return issue.issues.length > 0
        ? issue.issues.flatMap((inner) => flatten(inner, path, message))
        : [{ path, message: message ?? expectedOf(issue.ast) }]
    case "UnexpectedKey":
      return [{ path, message: "is not a field of this request", unknownTo: issue.ast }]
    default:
      return [{ path, message: message ?? messageOf(issue) }]
  }
}

const pointerInto = (path: string, step: PropertyKey): string => `${path}/${JsonPointer.escapeToken(String(step))}`

const messageOf = (issue: Exclude<SchemaIssue.Leaf, SchemaIssue.UnexpectedKey>): string => {
  switch (issue._tag) {
    case "MissingKey":
      return textOf(issue.annotations?.messageMissingKey) ?? "is required"
    case "InvalidType":
      return expectedOf(issue.ast)
    case "InvalidValue":
    case "Forbidden":
      return textOf(issue.annotations?.message) ?? "is not valid"
    case "OneOf":
      return "is not valid"
  }
}

/** What a value of this type is, for somebody who sent another: the schema's own message, or the JSON type's name. */
const expectedOf = (ast: SchemaAST.AST): string => {
  const own = textOf(ast.annotations?.message)
  if (own !== undefined) return own
  switch (ast._tag) {
    case "String":
      return "must be a string"
    case "Number":
      return "must be a number"
    case "Boolean":
      return "must be true or false"
    case "Objects":
      return "must be a JSON object"
    case "Union":
      return ast.types.length === 0 ? "must be left out" : expectedOf(SchemaAST.toEncoded(ast.types[0]!))
    default:
      return "is of another type than this field"
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

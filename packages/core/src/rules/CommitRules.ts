/** Request → rules: what a caller sent becomes a commit request, or the list of all the rules it breaks. */
import { CommitRequest } from "./CommitRequest.ts"
import { decodeBody, FieldProblem } from "./FieldProblem.ts"

/** Fields that make sense together only: what is missing beside what was given. */
const togetherProblems = (body: { readonly [field: string]: unknown }): ReadonlyArray<FieldProblem> => {
  const isGiven = (field: string): boolean => body[field] !== undefined && body[field] !== null
  if (isGiven("actSignature")) {
    return ["actTimestamp", "assetTreeSignature"]
      .filter((field) => !isGiven(field))
      .map((field) => new FieldProblem({ path: `/${field}`, message: BESIDE_ACT[field] ?? "is required" }))
  }
  if (!isGiven("actTimestamp")) return []
  const message = "is the time of an act that the author signed: give actSignature, too, or leave it out"
  return [new FieldProblem({ path: "/actTimestamp", message })]
}

const BESIDE_ACT: { readonly [field: string]: string } = {
  actTimestamp: "is required beside actSignature: the timestampCreated of the act that was signed",
  assetTreeSignature: "is required beside actSignature: who signs an act elsewhere signs the asset tree there, too"
}

/** Decodes a JSON value as a {@link CommitRequest}; fails with every broken rule at once, as JSON pointers. */
export const decodeCommitRequest = decodeBody(CommitRequest, togetherProblems)

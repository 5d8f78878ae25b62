/** Request → rules: what a caller sent becomes a commit request, or the list of all the rules it breaks. */
import { CommitRequest } from "./CommitRequest.ts"
import { decodeBody } from "./FieldProblem.ts"

/** Decodes a JSON value as a {@link CommitRequest}; fails with every broken rule at once, as JSON pointers. */
export const decodeCommitRequest = decodeBody(CommitRequest)

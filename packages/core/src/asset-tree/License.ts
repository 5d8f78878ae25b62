/**
 * The licence member of an asset tree. When neither name nor document was given both are null, meaning that no licence is
 * specified (interface.md, commit request, rule 1).
 */
import type { CommitRequest } from "../rules/CommitRequest.ts"

export type License = {
  readonly name: string | null
  readonly document: string | null
}

export const licenseOf = (request: Pick<CommitRequest, "licenseName" | "licenseDocument">): License => ({
  name: request.licenseName ?? null,
  document: request.licenseDocument ?? null
})

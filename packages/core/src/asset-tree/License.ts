/**
 * The licence member of an asset tree. When neither name nor document was given both are null, meaning that no licence is
 * specified (interface.md, commit request, rule 1).
 */
export type License = {
  readonly name: string | null
  readonly document: string | null
}

export const licenseOf = (request: { readonly licenseName?: string; readonly licenseDocument?: string }): License => ({
  name: request.licenseName ?? null,
  document: request.licenseDocument ?? null
})

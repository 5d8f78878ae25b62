/** The library's function for statements; nothing is fetched and nothing is configured. */
import { parseStatement, type StatementReport, verifyStatement } from "@treemark/core/verify"
import { UnusableInput } from "./UnusableInput.ts"

/**
 * Checks a statement file, given as the bytes or the text of its JSON. `service`: whose statement you expect, the address of the
 * service's wallet. Throws {@link UnusableInput} for a file that is no statement.
 */
export const checkStatement = (
  file: Uint8Array | string,
  options: { readonly service?: string | undefined } = {}
): StatementReport => {
  const reading = parseStatement(typeof file === "string" ? new TextEncoder().encode(file) : file)
  if (!reading.ok) throw new UnusableInput(reading.code, reading.message, reading.problems)
  return verifyStatement(reading.statement, { expectedService: options.service })
}

/** The library's function for statements; nothing is fetched and nothing is configured. */
import { isAddressText, parseStatement, type StatementReport, verifyStatement } from "@treemark/core/verify"
import { wrongFile } from "./files/WrongFile.ts"
import { type GivenText, textBytes } from "./given/Bytes.ts"
import { guarded } from "./Unforeseen.ts"
import { UnusableInput } from "./UnusableInput.ts"

/**
 * Checks a statement file, given as the bytes or the text of its JSON. `service`: whose statement you expect, the address of the
 * service's wallet. Throws {@link UnusableInput} for a file that is no statement, and nothing else.
 */
export const checkStatement = (
  file: GivenText,
  options: { readonly service?: string | undefined } = {}
): StatementReport =>
  guarded(() => {
    const service: unknown = options?.service
    if (service !== undefined && !(typeof service === "string" && isAddressText(service))) {
      throw new UnusableInput("author_malformed", "The service you expect must be an address: 0x and 40 hex digits.")
    }
    const bytes = textBytes(file, "A statement")
    const reading = parseStatement(bytes)
    if (reading.ok) return verifyStatement(reading.statement, { expectedService: service })
    const message = reading.code === "statement_too_large" ? undefined : wrongFile(bytes, "statement")
    throw new UnusableInput(reading.code, message ?? reading.message, reading.problems)
  })

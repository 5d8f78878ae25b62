/** What a command prints, and its exit code: 0 valid, 1 invalid, 2 unusable input or usage, 3 unconfirmed. */
import { printable, printableJson } from "./Printable.ts"
import type { UnusableInput } from "./UnusableInput.ts"

export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: 0 | 1 | 2 | 3
}

export const EXIT_CODES = { valid: 0, invalid: 1, unconfirmed: 3 } as const

/** What is said of input that cannot be used; with `json` as one JSON document, too. */
export const refused = ({ code, message, problems }: UnusableInput, json: boolean): Outcome => ({
  stdout: json ? `${printableJson({ error: { code, message, problems } })}\n` : "",
  stderr: `treemark-verify: ${printable(message, 4000)}\n`,
  exitCode: 2
})

/** What a check of a statement came upon, and how it recovers the signer of a text. */
import type { recoverSigner } from "../asset-tree/Signature.ts"
import type { StatementCode } from "./StatementCodes.ts"

/** One place that fails. */
export interface Finding {
  readonly code: StatementCode
  readonly path: string
  readonly expected?: string
  readonly actual?: string
}

/** Recovers the signer of a text, as `recoverSigner` does. */
export type RecoverText = typeof recoverSigner

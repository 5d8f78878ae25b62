/** Where a history lies: a folder, or a CAR. Both give its index and the proofs that the index names, and say what else is there. */
import type { HistoryProblem } from "./HistoryCodes.ts"
import type { HistoryIndex } from "./HistoryIndex.ts"

export type FoundProof =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: HistoryProblem }

export interface HistorySource {
  /** Undefined when the index itself does not hold; `strays` says why. */
  readonly index: HistoryIndex | undefined
  /** The bytes of the proof that the index names `name`. */
  readonly proof: (name: string) => FoundProof
  /** What does not hold beside the commits, once all proofs have been asked for: what the index does not name, names twice, and so on. */
  readonly strays: () => ReadonlyArray<HistoryProblem>
  readonly close: () => void
}

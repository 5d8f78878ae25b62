/** The backend `wasm`: libsecp256k1 as WebAssembly, from the optional package tiny-secp256k1. Runs on every platform. */
import type { RecoverKey } from "@treemark/core/verify"

/** `undefined` when the package is not installed, or WebAssembly is switched off. */
export const loadWasm = async (): Promise<RecoverKey | undefined> => {
  try {
    const { recover } = await import("tiny-secp256k1")
    return (digest, compact, recoveryId) => recover(digest, compact, recoveryId, false) ?? undefined
  } catch {
    return undefined
  }
}

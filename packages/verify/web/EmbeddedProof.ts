/**
 * The proof inside this very page (proofPage in packages/verify/src/ProofPage.ts puts it there), and inside another such page that
 * somebody drops here. It travels as base64 in a data block, which no browser runs, so whatever it says stays data.
 */
import { byId } from "./Element.ts"

export interface EmbeddedProof {
  readonly fileName: string
  readonly bytes: Uint8Array
}

/** The proof that this page carries; undefined for a page without one, or with a damaged one. */
export const embeddedProof = (): EmbeddedProof | undefined =>
  readBlock(byId("embedded-proof", HTMLScriptElement).textContent ?? "")

/** The proof in the text of a page like this one. */
export const proofInPage = (page: string): EmbeddedProof | undefined => {
  const block = /<script type="application\/json" id="embedded-proof">([^<]*)<\/script>/.exec(page)
  return block === null ? undefined : readBlock(block[1]!)
}

const readBlock = (text: string): EmbeddedProof | undefined => {
  try {
    const block: unknown = JSON.parse(text)
    if (typeof block !== "object" || block === null) return undefined
    const { fileName, proof } = block as { readonly fileName?: unknown; readonly proof?: unknown }
    if (typeof fileName !== "string" || typeof proof !== "string") return undefined
    return { fileName, bytes: Uint8Array.from(atob(proof), (character) => character.charCodeAt(0)) }
  } catch {
    return undefined
  }
}

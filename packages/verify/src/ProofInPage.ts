/**
 * The proof inside of a page that somebody else wrote, or says that ProofPage.ts wrote: found as text, never run, in one pass. A page with two
 * such blocks is refused, because a browser and this reader could disagree about which of them counts.
 */
import { PROOF_LIMIT, parseBase64 } from "@treemark/core/verify"
import { PROOF_BLOCK } from "./ProofPage.ts"
import { UnusableInput } from "./UnusableInput.ts"

/** Largest page that is read: the verifier, and a proof of the most bytes in base64. */
export const PAGE_LIMIT = 2 * 1024 * 1024 + Math.ceil(PROOF_LIMIT / 3) * 4

const LESS_THAN = 0x3c

/** Whether a file is markup: it begins with `<`, after blanks and a byte order mark. No JSON does. */
export const isPage = (bytes: Uint8Array): boolean => {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (isBlank(bytes[at])) at++
  return bytes[at] === LESS_THAN
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** The bytes of the proof in a page. Throws {@link UnusableInput} for a page without one, or with one that cannot be taken out. */
export const proofInPage = (page: Uint8Array): Uint8Array => {
  if (page.length > PAGE_LIMIT) {
    throw new UnusableInput("proof_too_large", "A page with a proof has at most 23 MiB; this one is larger.")
  }
  const text = new TextDecoder().decode(page)
  const at = text.indexOf(PROOF_BLOCK)
  if (at === -1) {
    throw new UnusableInput(
      "page_without_proof",
      "This is a web page without a Treemark proof in it. Give the proof's own file (its name ends in .proof.json), or the page as it was sent to you, saved whole."
    )
  }
  if (text.indexOf(PROOF_BLOCK, at + 1) !== -1) {
    throw damaged("it holds more than one, and which of them its sender means cannot be told")
  }
  const start = at + PROOF_BLOCK.length
  const end = text.indexOf("<", start)
  if (end === -1 || !text.startsWith("</script>", end)) throw damaged("the block that holds it has no end")
  const block = text.slice(start, end)
  if (block.trim() === "null") {
    throw new UnusableInput(
      "page_without_proof",
      "This is Treemark's page for checking proofs, with no proof in it. Open it in a browser and add the proof there, or give the proof's own file here."
    )
  }
  const proof = proofOf(block)
  if (proof === undefined) throw damaged("what stands in its place is not one")
  return proof
}

const damaged = (why: string): UnusableInput =>
  new UnusableInput(
    "page_damaged",
    `The proof in this page cannot be taken out: ${why}. Ask for the page again, or for the proof's own file.`
  )

const proofOf = (block: string): Uint8Array | undefined => {
  try {
    const { proof } = JSON.parse(block)
    return typeof proof === "string" ? parseBase64(proof) : undefined
  } catch {
    return undefined
  }
}

/**
 * A proof inside the page that verifies it: one HTML file that a recipient opens, with nothing to install (web/). The proof's exact bytes go
 * in as base64 in a data block, so nothing in them can end the block or become part of the page, and the page's policy, which names
 * its code by hash, stays as it was.
 */
import { base64Of } from "@treemark/core/verify"

/** What stands before the proof; nothing else in the page looks like it. */
export const PROOF_BLOCK = '<script type="application/json" id="embedded-proof">'
const PLACE = `${PROOF_BLOCK}null</script>`

/**
 * `page`: the page as it was built; `proof`: the bytes of a proof file, whatever they are; `fileName`: under which the page saves them.
 *
 * @throws TypeError when `page` has no place for a proof, or has one already.
 */
export const proofPage = (page: string, proof: Uint8Array, fileName: string): string => {
  const at = page.indexOf(PLACE)
  if (at === -1) throw new TypeError("This page has no empty place for a proof. Take dist/verify.html as it was built.")
  const data = JSON.stringify({ fileName, proof: base64Of(proof) }).replaceAll("<", "\\u003c")
  return `${page.slice(0, at)}${PROOF_BLOCK}${data}</script>${page.slice(at + PLACE.length)}`
}

/**
 * A proof that a link names (`?proof=ADDRESS`). Only where a daemon serves the page, whose policy then lets it reach its own origin, and only from that
 * very origin: no other address is asked, no redirect followed, no more read than a proof can have, and nothing is told of who asks.
 */
import { PROOF_LIMIT } from "@treemark/core/verify"
import type { Problem } from "./Sorting.ts"

/** What the link to this page names; undefined when it names nothing. */
export const linkedProof = (): string | undefined => new URLSearchParams(location.search).get("proof") ?? undefined

/** Whether the policy of this copy of the page lets it reach where it came from. */
export const isServed = (): boolean => {
  const policy = document.querySelector<HTMLMetaElement>('meta[http-equiv="Content-Security-Policy"]')?.content ?? ""
  return /^https?:$/.test(location.protocol) && policy.includes("connect-src 'self'")
}

/** The bytes at the address, or why they are not there. */
export const proofAt = async (address: string): Promise<Uint8Array | Problem> => {
  if (!isServed()) return refused("notServed", address)
  const url = URL.parse(address, location.href)
  // A blob: address has the origin of the page that made it, so the scheme counts, too.
  if (url === null || url.origin !== location.origin || url.protocol !== location.protocol) {
    return refused("otherOrigin", address)
  }
  try {
    const answer = await fetch(url, {
      mode: "same-origin",
      redirect: "error",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store"
    })
    const bytes = answer.ok && answer.body !== null ? await bounded(answer.body) : undefined
    return bytes ?? refused("addressFailed", address)
  } catch {
    return refused("addressFailed", address)
  }
}

/** All bytes, or undefined as soon as there are more than a proof can have. */
const bounded = async (body: ReadableStream<Uint8Array>): Promise<Uint8Array | undefined> => {
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let size = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer())
    size += value.length
    if (size > PROOF_LIMIT) {
      await reader.cancel()
      return undefined
    }
    parts.push(value.slice())
  }
}

const refused = (key: "notServed" | "otherOrigin" | "addressFailed", address: string): Problem => ({
  headline: "notOpened",
  sentences: [{ key, values: { address } }, { key: "saveFirst" }]
})

/** The header `Prefer` (RFC 7240): the one preference known here is `return=quote`; others are ignored, as the RFC wants. */

/** What `Preference-Applied` says when a quote was given. */
export const QUOTE = "return=quote"

/** Whether the caller wants to know what the call would cost, instead of the call. Of several `return`s the first counts. */
export const prefersQuote = (prefer: string | undefined): boolean => {
  const named = (prefer ?? "")
    .split(",")
    .map((preference) => /^\s*([^\s=;]+)\s*(?:=\s*"?([^\s";]*)"?)?/.exec(preference))
    .find((found) => found?.[1]?.toLowerCase() === "return")
  return named?.[2]?.toLowerCase() === "quote"
}

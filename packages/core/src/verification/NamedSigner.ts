/**
 * Who the signer is by the verifier's own authors file, and whether its key was valid then. The time that counts is the block's when the commit
 * is on the ledger; otherwise the one that the commit record claims, which a thief of the key could choose: it may put a
 * key out of its dates, but it never lifts a revocation.
 */
import type { KnownAuthor } from "./AuthorsFile.ts"
import type { Code } from "./Codes.ts"
import { type Evidence, signerOf } from "./Evidence.ts"
import { type Check, type Compared, passed, stopped } from "./Report.ts"

/** Unix seconds, and whether a block's timestamp says so. */
export interface CommitTime {
  readonly seconds: number
  readonly isProven: boolean
}

export interface NamedSigner {
  readonly check: Check
  /** The signer's name, when the check passes. */
  readonly name: string | null
}

export const namedSigner = (evidence: Evidence, time: CommitTime | undefined): NamedSigner => {
  const authors = evidence.input.authors
  const signer = signerOf(evidence)
  if (authors === undefined) return unnamed("authors_not_given")
  if (authors.size === 0) return unnamed("authors_empty")
  if (signer === undefined) return unnamed("signer_unknown")
  const known = authors.get(signer)
  if (known === undefined) return unnamed("signer_not_listed", { actual: signer })
  const fitting = known.find((author) => problemOf(author, time) === undefined)
  const shown = fitting ?? known[0]!
  const compared = { expected: periodText(shown), actual: timeText(time) }
  return fitting === undefined
    ? unnamed(problemOf(shown, time) ?? "signer_not_listed", compared)
    : { check: passed("signer-named", compared), name: fitting.name }
}

/** The time in ISO 8601, UTC. */
export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z")

const unnamed = (code: Code, compared: Compared = {}): NamedSigner => ({
  check: stopped("signer-named", code, compared),
  name: null
})

const problemOf = ({ from, until, revoked }: KnownAuthor, time: CommitTime | undefined): Code | undefined => {
  if (revoked !== undefined && !(time?.isProven === true && time.seconds < revoked.at)) return "signer_revoked"
  if (from === undefined && until === undefined) return undefined
  if (time === undefined) return "signing_time_unknown"
  if (from !== undefined && time.seconds < from) return "signer_not_yet_valid"
  return until !== undefined && time.seconds >= until ? "signer_expired" : undefined
}

const periodText = ({ name, from, until, revoked }: KnownAuthor): string => {
  const bounds = [
    from === undefined ? "" : `, valid from ${isoTime(from)}`,
    until === undefined ? "" : `, valid until ${isoTime(until)}`,
    revoked === undefined ? "" : `, revoked ${isoTime(revoked.at)}`,
    revoked?.reason === undefined ? "" : ` (${revoked.reason})`
  ]
  return `${name}${bounds.join("")}`
}

const timeText = (time: CommitTime | undefined): string =>
  time === undefined
    ? "no time is known"
    : `${isoTime(time.seconds)}, ${time.isProven ? "the block's timestamp" : "as the commit record claims"}`

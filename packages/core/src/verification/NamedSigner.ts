/**
 * Who the signer is by the verifier's own authors file, and whether its key was valid then. A key's dates are judged by the block's time, when the
 * commit is on the ledger, and by nothing else: the time that a commit record claims is written by whoever has the key, and so by its thief.
 */
import { type AuthorsFile, authorLines, type KnownAuthor, type Revocation, revocationOf } from "./AuthorsFile.ts"
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
  const [first, ...others] = authorLines(authors, signer)
  const revoked = revocationOf(authors, signer)
  if (first === undefined) {
    if (isRevoked(revoked, time))
      return unnamed("signer_revoked", { expected: revokedText(revoked), actual: timeText(time) })
    return isWithoutAuthors(authors) ? unnamed("authors_roles_only") : unnamed("signer_not_listed", { actual: signer })
  }
  const fitting = [first, ...others].find((line) => keyProblem(line, revoked, time) === undefined)
  const shown = fitting ?? first
  const compared = { expected: periodText(shown, revoked), actual: timeText(time) }
  const problem = keyProblem(shown, revoked, time)
  return problem === undefined
    ? { check: passed("signer-named", compared), name: shown.name }
    : unnamed(problem, compared)
}

const isWithoutAuthors = (authors: AuthorsFile): boolean =>
  [...authors.keys()].every((address) => authorLines(authors, address).length === 0)

/** The time in ISO 8601, UTC. */
export const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z")

const unnamed = (code: Code, compared: Compared = {}): NamedSigner => ({
  check: stopped("signer-named", code, compared),
  name: null
})

/** Why a line does not show its key to be good at `time`. */
export const keyProblem = (
  { from, until }: KnownAuthor,
  revoked: Revocation | undefined,
  time: CommitTime | undefined
): Code | undefined => {
  if (isRevoked(revoked, time)) return "signer_revoked"
  if (from === undefined && until === undefined) return undefined
  if (time === undefined) return "signing_time_unknown"
  if (!time.isProven) return "signing_time_claimed"
  if (from !== undefined && time.seconds < from) return "signer_not_yet_valid"
  return until !== undefined && time.seconds >= until ? "signer_expired" : undefined
}

/** Unless the commit is proven to be older. */
const isRevoked = (revoked: Revocation | undefined, time: CommitTime | undefined): boolean =>
  revoked !== undefined && !(time?.isProven === true && time.seconds < revoked.at)

const periodText = ({ name, from, until }: KnownAuthor, revoked: Revocation | undefined): string => {
  const bounds = [
    from === undefined ? "" : `, valid from ${isoTime(from)}`,
    until === undefined ? "" : `, valid until ${isoTime(until)}`,
    revoked === undefined ? "" : `, ${revokedText(revoked)}`
  ]
  return `${name}${bounds.join("")}`
}

const revokedText = (revoked: Revocation | undefined): string =>
  revoked === undefined
    ? ""
    : `revoked ${isoTime(revoked.at)}${revoked.reason === undefined ? "" : ` (${revoked.reason})`}`

const timeText = (time: CommitTime | undefined): string =>
  time === undefined
    ? "no time is known"
    : `${isoTime(time.seconds)}, ${time.isProven ? "the block's timestamp" : "as the commit record claims"}`

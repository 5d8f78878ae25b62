/** The three answers in words: what the answer is, what it means, and what to do next; for somebody who never heard of keys and hashes. */
import { type JsonObject, type Report, textMember } from "@treemark/core/verify"
import { unprovenReason } from "../src/answers/Tone.ts"
import type { Key } from "./Language.ts"
import type { Sentence, Value } from "./Say.ts"
import { meaningOf } from "./Words.ts"

export interface Answer {
  /** How it looks: it settles the question well, leaves it open, warns, or says that something does not hold. */
  readonly state: "yes" | "open" | "warn" | "no"
  readonly says: Sentence
  readonly means: ReadonlyArray<Sentence>
  readonly next: Sentence
}

/** Is it the same file? */
export const fileAnswer = ({ answers }: Report): Answer => {
  const [state, key] = FILE[answers.file]
  return plain(state, key)
}

const FILE: Readonly<Record<Report["answers"]["file"], readonly [Answer["state"], FileKey]>> = {
  same: ["yes", "fileSame"],
  different: ["warn", "fileDifferent"],
  "not-given": ["open", "fileNotGiven"],
  "not-comparable": ["warn", "fileNotComparable"]
}

type FileKey = "fileSame" | "fileDifferent" | "fileNotGiven" | "fileNotComparable"

const plain = (state: Answer["state"], key: FileKey | "whoNobody" | "whoContract" | "whenNone"): Answer => ({
  state,
  says: { key },
  means: [{ key: `${key}Means` }],
  next: { key: `${key}Next` }
})

/** Who signed it, and does the person know that key? `tree`: the members of the asset tree, where it reads. */
export const whoAnswer = (report: Report, tree: JsonObject | undefined): Answer => {
  const { answers, author, signer, signerName } = report
  if (answers.who === "nobody" || signer === null) {
    return plain("no", hasCode(report, "contract_wallet_signature") ? "whoContract" : "whoNobody")
  }
  const values = { signer, name: signerName ?? signer, author: author ?? "–" }
  const told = (state: Answer["state"], says: Key, means: ReadonlyArray<Key>, next: Key): Answer => ({
    state,
    says: { key: says, values },
    means: [...means.map((key): Sentence => ({ key, values })), ...callsThemselves(answers.who, tree)],
    next: { key: next }
  })
  switch (answers.who) {
    case "expected":
      return told("yes", "whoExpected", ["whoExpectedMeans"], "whoExpectedNext")
    case "named":
      return told("yes", "whoNamed", ["whoNamedMeans"], "whoNamedNext")
    case "not-the-author":
      return hasCode(report, "expected_author_differs")
        ? told("warn", "whoNotExpected", ["whoNotExpectedMeans"], "whoNotExpectedNext")
        : told("warn", "whoNotAuthor", ["whoNotAuthorMeans"], "whoNotAuthorNext")
    case "unknown":
      return unknown(report, told)
  }
}

/** A key that the person's own list does not speak for: because it warns of it, or does not know it. */
const unknown = (
  report: Report,
  told: (state: Answer["state"], says: Key, means: ReadonlyArray<Key>, next: Key) => Answer
): Answer => {
  if (hasCode(report, "signer_revoked")) return told("warn", "whoRevoked", ["whoRevokedMeans"], "whoTimeNext")
  if (OUT_OF_TIME.some((code) => hasCode(report, code))) {
    return told("warn", "whoOutOfTime", ["whoOutOfTimeMeans"], "whoTimeNext")
  }
  const says = hasCode(report, "signer_not_listed") ? "whoNotListed" : "whoUnknown"
  return told(says === "whoUnknown" ? "open" : "warn", says, ["whoUnknownMeans"], "whoUnknownNext")
}

const OUT_OF_TIME = ["signer_not_yet_valid", "signer_expired", "signing_time_unknown", "signing_time_claimed"]

const hasCode = ({ checks }: Report, wanted: string): boolean => checks.some(({ code }) => code === wanted)

/** A name inside the file says nothing of whose key it is; it is told where the key is not the person's to vouch for. */
const callsThemselves = (who: Report["answers"]["who"], tree: JsonObject | undefined): ReadonlyArray<Sentence> => {
  const name = textMember(tree, "assetCreator")
  return name === undefined || who === "named" ? [] : [{ key: "whoCalls", values: { name } }]
}

/** Since when is that proven? */
export const whenAnswer = (report: Report): Answer => {
  const { answers, ledger, time, witnesses } = report
  if (answers.when === "none" || time === null) return plain("open", "whenNone")
  const values = { time: { time } }
  if (answers.when === "claimed") {
    const reason = unprovenReason(report)
    return {
      state: reason === undefined ? "open" : "warn",
      says: { key: "whenClaimed", values },
      means: [{ key: reason === undefined ? "whenClaimedMeans" : meaningOf(reason) }],
      next: { key: "whenClaimedNext" }
    }
  }
  const place = { block: String(ledger?.blockNumber), chain: String(ledger?.chainId) }
  const names = witnesses.map(({ name, signer }): Value => name ?? signer ?? { key: "whenUnsigned" })
  return {
    state: "yes",
    says: { key: "whenProven", values },
    means: [
      { key: "whenProvenMeans", values: place },
      ...(names.length === 0 ? [] : [{ key: "whenWitnesses", values: { witnesses: names } } as const])
    ],
    next: { key: "whenProvenNext" }
  }
}

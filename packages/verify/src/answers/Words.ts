/**
 * The three answers in words, for the terminal: what each is, what it means and what to do next, for somebody who never heard of keys and hashes.
 * Every value of the file goes through `printable`.
 */
import { CODES, type JsonObject, type Report, textMember } from "@treemark/core/verify"
import { printable } from "../Printable.ts"
import { hasCode, isKnown, isOnlyAnotherFile, reasonsOf, type Tone, toneOf, unprovenReason } from "./Tone.ts"

export interface Answer {
  readonly asks: string
  /** It settles the question well, leaves it open, warns, or says that something does not hold. */
  readonly state: "yes" | "open" | "warn" | "no"
  readonly says: string
  readonly means: string
  readonly next: string
}

type Said = Omit<Answer, "asks">

const said = (state: Answer["state"], says: string, means: string, next: string): Said => ({ state, says, means, next })

/** The three answers. `tree`: the members of the asset tree, where it reads. */
export const answersIn = (report: Report, tree: JsonObject | undefined): ReadonlyArray<Answer> => [
  { asks: "Is it the same file?", ...FILE[report.answers.file] },
  { asks: "Who signed it, and do you know that key?", ...who(report, tree) },
  { asks: "Since when is that proven?", ...when(report) }
]

const FILE: Readonly<Record<Report["answers"]["file"], Said>> = {
  same: said(
    "yes",
    "Yes, byte for byte.",
    "The file that you gave has exactly the fingerprint that the record names.",
    "Keep the file and the proof together, both unchanged."
  ),
  different: said(
    "warn",
    "No. It is another file.",
    "At least one byte is different. Messengers, mail programs and editors often save a picture anew, so a copy that looks the same is another file. This alone is no sign of forgery, and it does not tell whether what you see was altered.",
    "Ask the sender for the original, sent as a document or straight from the camera, and give that one."
  ),
  "not-given": said(
    "open",
    "Not compared: no file was given.",
    "The record describes a file by its fingerprint. Whether yours is that file shows only when you give it.",
    "Give it with --asset FILE."
  ),
  "not-comparable": said(
    "warn",
    "That cannot be told.",
    "Nothing sound in this record ties it to the content of your file.",
    "Ask the sender for a proof that names the file's sha256."
  )
}

const who = (report: Report, tree: JsonObject | undefined): Said => {
  const { answers, author, signer, signerName } = report
  if (answers.who === "nobody" || signer === null) {
    return hasCode(report, "contract_wallet_signature") ? CONTRACT_WALLET : NOBODY
  }
  const key = printable(signer)
  switch (answers.who) {
    case "expected":
      return said(
        "yes",
        `The key that you expect: ${key}`,
        `The signature was made with this key, which you named with --author.${calls(tree)}`,
        "Be sure that you have this address from the person, and not from whoever sent you the proof."
      )
    case "named":
      return said(
        "yes",
        `${printable(signerName ?? key)}, as your authors file says.`,
        `The signature was made with the key ${key}. Your file gives this key to this name.`,
        "Be sure that the file is your own, or from somebody you trust."
      )
    case "not-the-author":
      return hasCode(report, "expected_author_differs")
        ? said(
            "warn",
            `Not the key that you expect. The key that signed: ${key}`,
            `The signature is good, but of another key than the one that you named with --author.${calls(tree)}`,
            "Compare the two addresses digit by digit. Ask the person whether they use another key."
          )
        : said(
            "warn",
            `Not the author that it names. The key that signed: ${key}`,
            `The file says that ${author === null ? "nobody" : printable(author)} is the author, and somebody else signed it.${calls(tree)}`,
            `If you know and trust this signer, say so with --author ${key}. Otherwise ask the author.`
          )
    case "unknown":
      return unknownKey(report, key, tree)
  }
}

const CONTRACT_WALLET = said(
  "no",
  "A contract's wallet, which cannot be checked here.",
  "Such a signature is checked by asking a contract on its chain, and treemark-verify asks nobody.",
  "Have an engineer check it with a node of that chain."
)

const NOBODY = said(
  "no",
  "That cannot be told.",
  "No signature holds over this record, so nobody vouches for it.",
  "Do not rely on any name in this file. Ask the sender for the proof as it was made."
)

const PROVE_TIME =
  "Give a --checkpoint, which can prove when the record was made; or ask the person to sign with a key that is good."

const unknownKey = (report: Report, key: string, tree: JsonObject | undefined): Said => {
  if (hasCode(report, "signer_revoked")) {
    return said(
      "warn",
      `A key that your authors file calls revoked: ${key}`,
      "Nothing proves that the record is older than that, so a thief of the key could have made it.",
      PROVE_TIME
    )
  }
  if (hasCode(report, "signer_not_yet_valid", "signer_expired", "signing_time_unknown", "signing_time_claimed")) {
    return said(
      "warn",
      `A key that your authors file names for another time: ${key}`,
      "Your file says from when to when the key is good, and nothing proves that the record was made then.",
      PROVE_TIME
    )
  }
  const isMissed = hasCode(report, "signer_not_listed")
  return said(
    isMissed ? "warn" : "open",
    `${isMissed ? "A key that is not in your authors file" : "A key that you have not confirmed"}: ${key}`,
    `Somebody who holds this key signed the record. Who that is, no proof can say: anybody can make a key, and write any name into a file.${calls(tree)}`,
    "Ask the person whom you believe to be the signer for their address, in a way that you trust: face to face, by phone, on their own website. Then give it with --author 0x…"
  )
}

/** A name inside the file says nothing of whose key it is. */
const calls = (tree: JsonObject | undefined): string => {
  const name = textMember(tree, "assetCreator")
  return name === undefined || name === ""
    ? ""
    : ` In the file the signer calls themselves "${printable(name)}"; nobody has checked that.`
}

const when = (report: Report): Said => {
  const { answers, ledger, time, witnesses } = report
  if (answers.when === "none" || time === null) {
    return said(
      "open",
      "Nothing says when.",
      "The file names no time.",
      "Ask the sender for a proof that names its place on the ledger."
    )
  }
  if (answers.when === "claimed") {
    const reason = unprovenReason(report)
    if (reason !== undefined) {
      return said(
        "warn",
        `Not proven by what you gave. The file says: ${time}`,
        CODES[reason].meaning,
        "Give what settles this, from somebody you trust: another --checkpoint FILE, or --contract CHAINID:0x… for a contract that you know."
      )
    }
    return said(
      "open",
      `Not proven. The file says: ${time}`,
      "Anybody can write any time into a file. Nothing that you trust shows this one.",
      "Give a checkpoint (hashes of the ledger's blocks, from somebody you trust) with --checkpoint FILE."
    )
  }
  const names = witnesses.map(witnessText)
  return said(
    "yes",
    `Since ${time} at the latest.`,
    `Block ${ledger?.blockNumber} of chain ${ledger?.chainId} holds this record, so it existed then.${names.length === 0 ? "" : ` That the block is on the ledger is the word of: ${names.join(", ")}.`}`,
    "Be sure that you have the checkpoint from somebody you trust, and not from whoever sent you the proof."
  )
}

export const witnessText = ({ name, signer }: Report["witnesses"][number]): string => {
  if (signer === null) return "a checkpoint file that nobody signed"
  return name === null ? signer : `${printable(name)} (${signer})`
}

/** What comes before everything else, in one or two sentences. */
export const headlineOf = (report: Report): string => {
  const tone = toneOf(report)
  return HEADLINES[tone](report)
}

const HEADLINES: Readonly<Record<Tone, (report: Report) => string>> = {
  full: ({ answers, signerName }) =>
    answers.who === "named" && signerName !== null
      ? `This is the file, and ${printable(signerName)} signed the record of it.`
      : "This is the file, and the key that you expect signed the record of it.",
  open: (report) => {
    const { file } = report.answers
    if (file === "same") return "This is the file that was signed, but you have not confirmed whose key signed it."
    if (file === "not-comparable") return "Whether this is the file cannot be told."
    return isKnown(report)
      ? "The record holds. Your file was not compared yet."
      : "The record holds. Two questions are open: your file, and whose key this is."
  },
  amber: (report) =>
    isOnlyAnotherFile(report)
      ? "This is not the file that was signed. The record itself holds: it describes another file than yours."
      : "Not confirmed. What the signature covers has not changed; who stands behind it, or where it is, is the open question.",
  bad: (report) => {
    const [first] = reasonsOf(report)
    return `Do not rely on this.${first === undefined ? "" : ` ${CODES[first].meaning}`}`
  }
}

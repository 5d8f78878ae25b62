/** BIP-39 words (https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki), English list: words ↔ entropy of 16 to 32 bytes. */
import { entropyToMnemonic, mnemonicToEntropy } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { Redacted, Result } from "effect"
import { WordsInvalid } from "./SeedErrors.ts"

const LENGTHS = [12, 15, 18, 21, 24]
const known = new Set(wordlist)

/** The words of `entropy`: 32 bytes make 24. */
export const wordsOf = (entropy: Redacted.Redacted<Uint8Array>): Redacted.Redacted<string> =>
  Redacted.make(entropyToMnemonic(Redacted.value(entropy), wordlist), { label: "seed words" })

/** The entropy of `words`; case and spacing do not matter. The refusal says where, never which word was typed. */
export const entropyOf = (
  words: Redacted.Redacted<string>
): Result.Result<Redacted.Redacted<Uint8Array>, WordsInvalid> => {
  const list = Redacted.value(words)
    .normalize("NFKD")
    .trim()
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
  if (!LENGTHS.includes(list.length)) {
    return refuse(`their number is ${list.length}, not 12, 15, 18, 21 or 24`)
  }
  const unknown = list.flatMap((word, index) => (known.has(word) ? [] : [index + 1]))
  if (unknown.length > 0) {
    return refuse(`not in the word list: ${unknown.length === 1 ? "word" : "words"} ${unknown.join(", ")}`)
  }
  try {
    const entropy = mnemonicToEntropy(list.join(" "), wordlist)
    return Result.succeed(Redacted.make(entropy, { label: "seed entropy" }))
  } catch {
    return refuse("the checksum does not fit, so a word is wrong or two are swapped")
  }
}

const refuse = (reason: string) => Result.fail(new WordsInvalid({ reason }))

/**
 * The text of an access token, 53 characters: `tmk_`, 43 base62 digits (256 random bits, most significant first), and 6 base62
 * digits with the CRC-32 of the 47 characters before them. The CRC tells a mistyped or cut token from an unknown one without a
 * look-up: it finds every wrong character and every pair of swapped neighbours. It is no secret and proves nothing.
 * What is stored is the sha256 of the whole text; 256 random bits need no slow hash.
 */
import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import { Redacted, Result, Schema } from "effect"

const PREFIX = "tmk_"
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_BYTES = 32
const RANDOM_DIGITS = 43
const CHECK_DIGITS = 6
const LENGTH = PREFIX.length + RANDOM_DIGITS + CHECK_DIGITS
const FORM = /^tmk_[0-9A-Za-z]{49}$/

/** sha256 of a token's text, 64 lower-case hex digits: what the store keeps and looks up. */
export const TokenHash = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{64}$/u, { message: "must be 64 lower-case hexadecimal digits" })
).pipe(Schema.brand("TokenHash"))
export type TokenHash = typeof TokenHash.Type

/** The text cannot be a token, whatever the store holds. Its message never repeats the text. */
export class TokenMalformed extends Schema.TaggedError<TokenMalformed>()("TokenMalformed", {
  reason: Schema.Literals(["prefix", "length", "characters", "checksum"])
}) {
  override get message() {
    return {
      prefix: `An access token starts with ${PREFIX}; this text does not. Send the token as it was shown when it was made.`,
      length: `An access token has ${LENGTH} characters; this one was cut or something was added. Copy it again, whole.`,
      characters: `An access token has only letters and digits after ${PREFIX}; this one has others. Copy it again.`,
      checksum: "A character of this access token is wrong: its checksum does not fit. Copy it again."
    }[this.reason]
  }
}

/** The token of 32 random bytes; throws a `RangeError` for another length. */
export const makeToken = (random: Uint8Array): Redacted.Redacted<string> => {
  if (random.length !== RANDOM_BYTES) {
    throw new RangeError(`A token is made of ${RANDOM_BYTES} random bytes; here are ${random.length}.`)
  }
  const body = PREFIX + base62(BigInt(`0x${Buffer.from(random).toString("hex")}`), RANDOM_DIGITS)
  return Redacted.make(body + checksumOf(body), { label: "access token" })
}

/** The hash to look up, or why the text cannot be a token. */
export const parseToken = (token: Redacted.Redacted<string>): Result.Result<TokenHash, TokenMalformed> => {
  const text = Redacted.value(token)
  if (!text.startsWith(PREFIX)) return refuse("prefix")
  if (text.length !== LENGTH) return refuse("length")
  if (!FORM.test(text)) return refuse("characters")
  if (checksumOf(text.slice(0, -CHECK_DIGITS)) !== text.slice(-CHECK_DIGITS)) return refuse("checksum")
  return Result.succeed(hashOfToken(token))
}

/** sha256 of the whole text of `token`. */
export const hashOfToken = (token: Redacted.Redacted<string>): TokenHash =>
  TokenHash.make(createHash("sha256").update(Redacted.value(token), "utf8").digest("hex"))

const refuse = (reason: TokenMalformed["reason"]) => Result.fail(new TokenMalformed({ reason }))

const checksumOf = (body: string): string => base62(BigInt(crc32(body)), CHECK_DIGITS)

const base62 = (value: bigint, digits: number): string => {
  let text = ""
  for (let rest = value; text.length < digits; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text
  return text
}

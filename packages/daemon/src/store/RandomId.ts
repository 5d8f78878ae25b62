/**
 * Names for things: a prefix that tells the kind, and 20 hex digits, such as `acc_0f8c…`: 80 random bits, or the time and 32 random bits for
 * what is made again and again, so that what was made together stands together in every index of the store.
 */
import { Clock, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

const BYTES = 10
const RANDOM_BYTES = 4
const TIME_DIGITS = 2 * (BYTES - RANDOM_BYTES)

type Random = SecureRandom.SecureRandom["Service"]

/** `prefix`, an underscore and 20 lower-case hex digits. */
export const randomId = (prefix: string, random: Random): Effect.Effect<string> =>
  Effect.map(random.randomBytes(BYTES), (bytes) => `${prefix}_${Hex.encode(bytes)}`)

/** The same, in the order in which they are made, but for those of one millisecond. Whoever may see one could guess others: it opens nothing. */
export const orderedId = (prefix: string, random: Random): Effect.Effect<string> =>
  Effect.zipWith(
    Clock.currentTimeMillis,
    random.randomBytes(RANDOM_BYTES),
    (at, bytes) => `${prefix}_${at.toString(16).padStart(TIME_DIGITS, "0")}${Hex.encode(bytes)}`
  )

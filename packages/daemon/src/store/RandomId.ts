/** Names for things: a prefix that tells the kind, and 80 random bits as 20 hex digits, such as `acc_0f8c…`. */
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

const BYTES = 10

/** `prefix`, an underscore and 20 lower-case hex digits. */
export const randomId = (prefix: string, random: SecureRandom.SecureRandom["Service"]): Effect.Effect<string> =>
  Effect.map(random.randomBytes(BYTES), (bytes) => `${prefix}_${Hex.encode(bytes)}`)

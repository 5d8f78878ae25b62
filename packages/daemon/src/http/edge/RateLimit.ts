/**
 * Token buckets: one per address for everything it asks, one per account for what its tokens ask. A bucket holds at most `burst`
 * calls and refills at `perSecond`. The defaults stop a program that runs wild, nobody else; they count in memory, per listener.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { Refused } from "../ApiErrors.ts"

export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

export const Rates = Context.Reference<{ readonly address: Rate; readonly account: Rate }>(
  "@treemark/daemon/http/edge/RateLimit/Rates",
  {
    defaultValue: () => ({
      address: { perSecond: 10_000, burst: 20_000 },
      account: { perSecond: 1_000, burst: 2_000 }
    })
  }
)

/** Past this, the buckets that were not used for longest are forgotten. */
const MOST_BUCKETS = 10_000

interface Bucket {
  calls: number
  at: number
}

export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Takes one call from the bucket of `who`, or fails with 429 and the seconds to wait. */
    readonly take: (kind: "address" | "account", who: string) => Effect.Effect<void, Refused<"too_many_requests">>
  }
>()("@treemark/daemon/http/edge/RateLimit") {
  static readonly layer = Layer.effect(
    RateLimit,
    Effect.gen(function* () {
      const rates = yield* Rates
      const buckets = new Map<string, Bucket>()

      const take = Effect.fnUntraced(function* (kind: "address" | "account", who: string) {
        const { burst, perSecond } = rates[kind]
        const key = `${kind} ${who}`
        const now = yield* Clock.currentTimeMillis
        const bucket = buckets.get(key) ?? { calls: burst, at: now }
        const calls = Math.min(burst, bucket.calls + (Math.max(0, now - bucket.at) / 1000) * perSecond)
        buckets.delete(key)
        buckets.set(key, { calls: calls < 1 ? calls : calls - 1, at: now })
        if (buckets.size > MOST_BUCKETS) buckets.delete(buckets.keys().next().value!)
        if (calls >= 1) return
        const wait = Math.ceil((1 - calls) / perSecond)
        return yield* new Refused({
          code: "too_many_requests",
          detail: `More than ${perSecond} calls per second came from this ${kind}. Nothing was charged; call again in ${wait} s.`,
          headers: { "retry-after": String(wait) }
        })
      })
      return RateLimit.of({ take })
    })
  )
}

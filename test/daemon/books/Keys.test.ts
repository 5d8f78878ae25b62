/** A key is claimed by one call, which then alone is charged for its work. */
import { assert, describe, it } from "@effect/vitest"
import type { Call } from "@treemark/core"
import { Effect } from "effect"
import { makeKeys } from "../../../packages/daemon/src/books/Keys.ts"
import { openAccount, withBank } from "./Bank.ts"

describe("a key", () => {
  it.live("is claimed once, and whoever comes second is told that it is in use", () =>
    withBank(
      Effect.gen(function* () {
        const { accountId } = yield* openAccount("alice", 0n)
        const keys = yield* makeKeys
        const key = { accountId, operation: "commit", key: "one", fingerprint: "f".repeat(64) } as const
        const call = (id: string): Call => ({ id, isNew: true, key })
        assert.isUndefined(yield* keys.claim(call("cmt_1"), 1))
        assert.strictEqual((yield* keys.claim(call("cmt_2"), 2))?._tag, "IdempotencyKeyInUse")
        assert.isUndefined(yield* keys.claim({ ...call("cmt_3"), key: { ...key, key: "two" } }, 3))
      })
    )
  )
})

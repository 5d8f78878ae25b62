/**
 * `Idempotency-Key` on paid calls (draft-ietf-httpapi-idempotency-key-header): a key is bound to the account, the operation and
 * a fingerprint of the body. The same call again gets the stored answer; another body is refused; a running one is told so.
 */
import type { AccountId, Call, IdempotencyKeyInUse, Operation, StorageUnavailable } from "@treemark/core"
import { Context, type Effect, Schema } from "effect"

export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  key: Schema.String
}) {
  override get message() {
    return `The Idempotency-Key "${this.key}" was used before with another body. Use a new key for a new call; the same key is for repeating the same call.`
  }
}

/** An answer as it was given, so that it can be given again. `body` is JSON text. */
export interface StoredAnswer {
  readonly status: number
  readonly body: string
  /** Headers of its own, such as the receipt. */
  readonly headers?: { readonly [name: string]: string }
}

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /**
     * Runs `call` unless this key was answered before; then gives the stored answer with `replayed` true.
     * `call` is told under which id its work is known: the same for every repetition of the key, fresh without a key. It claims the key
     * and keeps the answer in the transactions of its work (Keys); one that fails frees the key.
     */
    readonly run: <E, R>(
      request: {
        readonly accountId: AccountId
        readonly operation: Operation
        readonly key: string | undefined
        /** sha256 hex of the body. */
        readonly fingerprint: string
      },
      call: (call: Call) => Effect.Effect<StoredAnswer, E, R>
    ) => Effect.Effect<
      { readonly answer: StoredAnswer; readonly replayed: boolean },
      E | IdempotencyKeyInUse | IdempotencyKeyReused | StorageUnavailable,
      R
    >
  }
>()("@treemark/daemon/books/Idempotency") {}

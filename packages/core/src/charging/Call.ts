/**
 * A paid call as its work knows it. With an `Idempotency-Key` the work has the same id for every repetition; the key is claimed in the
 * step that sets money aside, and answered in the step that takes it.
 */
import { Schema } from "effect"
import type { AccountId } from "../identity/Caller.ts"
import type { Operation } from "../money/PriceList.ts"

export interface Call {
  readonly id: string
  readonly key: CallKey | undefined
  /** Whether no call had this key before; one without a key is always new. */
  readonly isNew: boolean
}

/** A key belongs to an account and an operation, and stands for one body. */
export interface CallKey {
  readonly accountId: AccountId
  readonly operation: Operation
  readonly key: string
  /** sha256 of the body, in hex. */
  readonly fingerprint: string
}

export class IdempotencyKeyInUse extends Schema.TaggedError<IdempotencyKeyInUse>()("IdempotencyKeyInUse", {
  key: Schema.String
}) {
  override get message() {
    return `A call with the Idempotency-Key "${this.key}" is still running. Wait for it, then repeat the call with the same key to get its answer.`
  }
}

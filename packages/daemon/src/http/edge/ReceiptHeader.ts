/** The answer of an operation that was charged: with its receipt, on every replay of it too. */
import type { Caller, Operation } from "@treemark/core"
import { Effect, Option } from "effect"
import { headersOf } from "../../books/Keys.ts"
import { Receipts } from "../../books/Receipts.ts"
import { storedAnswer } from "./IdempotencyKey.ts"

/** `value`, with the receipt of the work behind it. */
export const receiptedAnswer = Effect.fnUntraced(function* (
  caller: Caller,
  operation: Operation,
  workId: string,
  value: unknown
) {
  const receipt = yield* (yield* Receipts).ofWork(caller.accountId, operation, workId)
  return storedAnswer(value, headersOf(Option.getOrUndefined(receipt)))
})

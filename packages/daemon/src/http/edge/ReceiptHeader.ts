/** `Treemark-Receipt`: the signed receipt of a charged call, on its answer and on every replay of it (docs/statement-format.md). */
import type { Caller, Operation } from "@treemark/core"
import { Effect, Option } from "effect"
import { Receipts } from "../../books/Receipts.ts"
import { storedAnswer } from "./IdempotencyKey.ts"

export const RECEIPT_HEADER = "treemark-receipt"

/** The answer to keep for work that was charged: `value`, with the work's receipt. */
export const receiptedAnswer = Effect.fnUntraced(function* (
  caller: Caller,
  operation: Operation,
  workId: string,
  value: unknown
) {
  const receipt = yield* (yield* Receipts).ofWork(caller.accountId, operation, workId)
  return storedAnswer(
    value,
    Option.match(receipt, { onNone: () => ({}), onSome: (compact) => ({ [RECEIPT_HEADER]: compact }) })
  )
})

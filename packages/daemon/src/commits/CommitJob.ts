/** A commit's job as the outbox tells it what happens to its transaction: each a step of core's machine, with its history. */
import { Effect } from "effect"
import type { Job } from "../evm/OutboxTransaction.ts"
import { replacedDetail } from "./CommitHistory.ts"
import type { CommitEventName } from "./CommitStates.ts"
import { makeCommitTransitions } from "./CommitTransitions.ts"

export const makeCommitJob = Effect.map(makeCommitTransitions, ({ tell }) => {
  const event = (what: CommitEventName, txHash: string, detail: string | null = null) => ({ what, txHash, detail })
  /** The job of the commit `id`. */
  return (id: string): Job => ({
    id,
    sent: (hash) => tell(id, { _tag: "taken" }, { history: event("sent", hash) }),
    lost: (state, hash, reason) => {
      const history = event(state, hash, reason)
      const noMore = state === "refused" ? { nonce: null, raw_tx: null, tx_hash: null } : {}
      const happening = state === "refused" ? ({ _tag: "not_taken" } as const) : ({ _tag: "nonce_spent" } as const)
      const told = tell(id, happening, { columns: { ...noMore, error: reason }, history })
      return Effect.map(told, ({ hasChanged }) => hasChanged)
    },
    replaced: (next, from, to) =>
      tell(
        id,
        { _tag: "replace" },
        {
          columns: { raw_tx: next.raw, tx_hash: next.hash },
          history: event("replaced", next.hash, replacedDetail(from, to))
        }
      )
  })
})

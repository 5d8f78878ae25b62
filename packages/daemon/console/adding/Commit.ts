/** One commit under its key: asked for again with the same key for as long as its end is not known, so that it is made and charged once. */
import { answerTo, Problem } from "../Api.ts"
import type { Committed } from "../Types.ts"
import type { CommitRequest } from "./Request.ts"

const AGAIN = { times: 20, after: 3_000 }

/** Commits, and waits until the end is known. `isKnown`: it had been committed before under this key, and nothing was charged. */
export const commitOnce = async (
  request: CommitRequest,
  key: string
): Promise<{ readonly committed: Committed; readonly isKnown: boolean }> => {
  const headers = { "idempotency-key": key }
  for (let time = 0; ; time++) {
    try {
      const answer = await answerTo("/commit", { method: "POST", body: request, headers })
      const isKnown = time === 0 && answer.headers.has("idempotency-replayed")
      return { committed: (await answer.json()) as Committed, isKnown }
    } catch (error) {
      const isOpen = error instanceof Problem && ["commit_pending", "idempotency_key_in_use"].includes(error.code)
      if (!isOpen || time >= AGAIN.times) throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN.after))
    }
  }
}

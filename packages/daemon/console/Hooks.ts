/** What views share: asking the daemon when they are shown, and hearing of changes of the queue. */
import { useCallback, useEffect, useState } from "preact/hooks"
import { ask, Problem } from "./Api.ts"
import { queue } from "./adding/Queue.ts"

export type Asked<A> =
  | { readonly is: "waiting" }
  | { readonly is: "here"; readonly value: A }
  | { readonly is: "failed"; readonly problem: Problem }

export const problemOf = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, "unreachable", String((error as Error)?.message ?? error))

/** Asks for `path` once the view is shown, and again when asked to; what was here stays until there is something newer. */
export const useAnswer = <A>(path: string): readonly [asked: Asked<A>, again: () => void] => {
  const [asked, setAsked] = useState<Asked<A>>({ is: "waiting" })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const leaving = new AbortController()
    ask<A>(path, { signal: leaving.signal }).then(
      (value) => setAsked({ is: "here", value }),
      (error: unknown) => leaving.signal.aborted || setAsked({ is: "failed", problem: problemOf(error) })
    )
    return () => leaving.abort()
  }, [path, round])
  return [asked, useCallback(() => setRound((before) => before + 1), [])]
}

/** The view is drawn anew whenever the queue changes. */
export const useQueue = (): typeof queue => {
  const [, setTurn] = useState(0)
  useEffect(() => queue.listen(() => setTurn((before) => before + 1)), [])
  return queue
}

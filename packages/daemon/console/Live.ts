/**
 * Hears from the daemon when something of the account was registered or committed, by whomever, and goes on where it was after a connection that
 * ended. Read with fetch, because an EventSource cannot send what tells the daemon that it is this page.
 */
import { answerTo, Problem } from "./Api.ts"

const AGAIN = 5_000
/** Many events at once are one reason to look. */
const QUIET = 300

/** Calls back soon after something happened, until the answer is called. */
export const whenChanged = (changed: () => void): (() => void) => {
  const leaving = new AbortController()
  let last: string | undefined
  let waiting: ReturnType<typeof setTimeout> | undefined
  const heard = (text: string) => {
    const ids = [...text.matchAll(/^id: (\d+)$/gm)]
    if (ids.length === 0) return
    last = ids.at(-1)?.[1]
    clearTimeout(waiting)
    waiting = setTimeout(changed, QUIET)
  }
  const listen = async () => {
    const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last }
    const answer = await answerTo("/events", { headers, signal: leaving.signal })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ""; reader !== undefined; ) {
      const { done, value } = await reader.read()
      if (done) return
      const whole = (rest + value).split("\n\n")
      rest = whole.pop() ?? ""
      heard(whole.join("\n\n"))
    }
  }
  const goOn = async () => {
    while (!leaving.signal.aborted) {
      const error: unknown = await listen().then(
        () => undefined,
        (failed: unknown) => failed
      )
      if (error instanceof Problem && error.status === 401) return
      await new Promise((resolve) => setTimeout(resolve, AGAIN))
    }
  }
  void goOn()
  return () => {
    clearTimeout(waiting)
    leaving.abort()
  }
}

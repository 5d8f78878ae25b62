/** A tool that waits to be paired: its code is typed, what it asks for is shown, and only then somebody decides. */
import { useState } from "preact/hooks"
import { ask, type Problem } from "../Api.ts"
import { problemOf } from "../Hooks.ts"
import { words } from "../Language.ts"
import { Trouble } from "../Parts.tsx"
import { Say } from "../Say.tsx"
import type { Asking } from "../Types.ts"

const MEANINGS = { read: "scopeRead", register: "scopeRegister", commit: "scopeCommit" } as const

const isScope = (word: string): word is keyof typeof MEANINGS => word in MEANINGS

/** What a token may do, in the person's words. */
export const scopesText = (scopes: string | null): string =>
  (scopes ?? "")
    .split(" ")
    .filter(isScope)
    .map((scope) => words(MEANINGS[scope]))
    .join("; ")

export const PairForm = ({ code, paired }: { readonly code: string | undefined; readonly paired: () => void }) => {
  const [text, setText] = useState(code ?? "")
  const [limit, setLimit] = useState("")
  const [asking, setAsking] = useState<Asking | undefined>(undefined)
  const [decided, setDecided] = useState<{ readonly tool: string; readonly isApproved: boolean } | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const call = (path: string, body: object): Promise<Asking | undefined> => {
    setProblem(undefined)
    return ask<Asking>(path, { method: "POST", body: { userCode: text, ...body } }).catch((error: unknown) => {
      const found = problemOf(error)
      setProblem(found)
      // A limit that cannot be read can be typed again; whatever else it is, the code has to be.
      if (found.code !== "invalid_fields") setAsking(undefined)
      return undefined
    })
  }
  const look = (event: Event) => {
    event.preventDefault()
    setDecided(undefined)
    void call("/console/pairings/find", {}).then(setAsking)
  }
  const decide = (approve: boolean) =>
    void call("/console/pairings/decide", {
      approve,
      ...(approve && limit.trim() !== "" ? { dailyLimit: limit.trim() } : {})
    }).then((found) => {
      if (found === undefined) return
      setAsking(undefined)
      setText("")
      setLimit("")
      setDecided({ tool: found.name, isApproved: approve })
      paired()
    })
  return (
    <section class="card" aria-labelledby="pair-title">
      <h2 id="pair-title">{words("pairTitle")}</h2>
      {problem && <Trouble problem={problem} />}
      <output>{decided && <Say of={decided.isApproved ? "pairApproved" : "pairDenied"} tool={decided.tool} />}</output>
      {asking === undefined ? (
        <form onSubmit={look} class="narrow">
          <p class="soft">{words("pairHint")}</p>
          <label for="user-code">{words("pairCode")}</label>
          <input
            id="user-code"
            type="text"
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="BCDFG-HJKLM"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <button type="submit">{words("pairLook")}</button>
        </form>
      ) : (
        <div id="asking" class="narrow">
          <h3>
            <Say of="pairAsks" tool={asking.name} />
          </h3>
          <p>{asking.origin === null ? words("pairProgram") : <Say of="pairOrigin" origin={asking.origin} />}</p>
          <ul>
            {asking.scopes.map((scope) => (
              <li key={scope}>{words(MEANINGS[scope])}</li>
            ))}
          </ul>
          <label for="daily-limit">{words("pairLimit")}</label>
          <input
            id="daily-limit"
            type="text"
            inputmode="decimal"
            autocomplete="off"
            aria-describedby="daily-limit-hint"
            value={limit}
            onInput={({ currentTarget }) => setLimit(currentTarget.value)}
          />
          <p class="soft" id="daily-limit-hint">
            {words("pairLimitHint")}
          </p>
          <div class="actions">
            <button type="button" class="main" onClick={() => decide(true)}>
              {words("pairApprove")}
            </button>
            <button type="button" onClick={() => decide(false)}>
              {words("pairDeny")}
            </button>
          </div>
        </div>
      )}
    </section>
  )
}

/** What somebody meets who is not signed in: how to get in, and nothing of anybody's. */
import { useState } from "preact/hooks"
import { words } from "../Language.ts"
import { Heading } from "../Parts.tsx"
import { Say } from "../Say.tsx"

const COMMAND = "npx @treemark/daemon open"

export const SignInView = ({
  isRefused,
  signIn
}: {
  readonly isRefused: boolean
  readonly signIn: (code: string) => void
}) => {
  const [text, setText] = useState("")
  const submit = (event: Event) => {
    event.preventDefault()
    const code = text.trim().replace(/^.*#code=/, "")
    if (code !== "") signIn(code)
  }
  return (
    <div class="narrow">
      <Heading>{words("signInTitle")}</Heading>
      {isRefused && (
        <div class="card notice" role="alert">
          <h2>{words("codeRefused")}</h2>
          <p>{words("codeRefusedMeans")}</p>
        </div>
      )}
      <p class="lead">{words("signInHow")}</p>
      <pre>
        <code>{COMMAND}</code>
      </pre>
      <p class="soft">
        <Say of="signInWhy" />
      </p>
      <form class="card" onSubmit={submit}>
        <label for="code">{words("codeLabel")}</label>
        <input
          id="code"
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="main">
          {words("signIn")}
        </button>
      </form>
    </div>
  )
}

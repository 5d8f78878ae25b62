/** The console: who is signed in, where they are, and the view of that place. */
import { useEffect, useState } from "preact/hooks"
import { currentSession, type Session, signIn, signOut, whenOver } from "./Api.ts"
import { type Asked, problemOf, useQueue } from "./Hooks.ts"
import { choose, LANGUAGES, language, words } from "./Language.ts"
import type { Key } from "./languages/English.ts"
import { Trouble } from "./Parts.tsx"
import { hrefOf, useRoute, VIEWS, type View } from "./Route.ts"
import { AccountView } from "./views/AccountView.tsx"
import { AddView } from "./views/AddView.tsx"
import { AssetsView, forgetList } from "./views/AssetsView.tsx"
import { AssetView } from "./views/AssetView.tsx"
import { NodeView } from "./views/NodeView.tsx"
import { SignInView } from "./views/SignInView.tsx"
import { ToolsView } from "./views/ToolsView.tsx"

const NAMES: Readonly<Record<View, Key>> = {
  assets: "viewAssets",
  add: "viewAdd",
  account: "viewAccount",
  tools: "viewTools",
  node: "viewNode"
}

/** The code in the address works once, so it is taken out of the address before anything else happens. */
const codeInAddress = (): string | undefined => {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, "", location.pathname)
  return code
}

const enter = (code: string | undefined): Promise<Session | undefined> =>
  code === undefined ? currentSession() : signIn(code)

export const App = () => {
  const [asked, setAsked] = useState<Asked<Session | undefined>>({ is: "waiting" })
  const [tag, setTag] = useState(language().tag)
  const route = useRoute()

  const begin = (code: string | undefined) =>
    enter(code).then(
      (value) => setAsked({ is: "here", value }),
      (error: unknown) => setAsked({ is: "failed", problem: problemOf(error) })
    )
  useEffect(() => {
    whenOver(() => {
      forgetList()
      setAsked({ is: "here", value: undefined })
    })
    void begin(codeInAddress())
    const changed = () => {
      const code = codeInAddress()
      if (code !== undefined) void begin(code)
    }
    addEventListener("hashchange", changed)
    return () => removeEventListener("hashchange", changed)
  }, [])
  useEffect(() => {
    document.documentElement.lang = tag
    document.title = `${words(NAMES[route.view])} · Treemark`
  }, [tag, route.view])

  // The list of assets goes on where it was; whatever else is gone to is seen from its beginning.
  useEffect(() => {
    if (route.view !== "assets" || route.asset !== undefined) scrollTo(0, 0)
  }, [route.view, route.asset])

  const speak = (chosen: string) => {
    choose(chosen)
    setTag(chosen)
  }
  const session = asked.is === "here" ? asked.value : undefined
  return (
    <div key={tag} class="frame">
      <button type="button" class="skip" onClick={skip}>
        {words("skip")}
      </button>
      <header>
        <a class="brand" href={hrefOf("assets")}>
          <span class="leaf" aria-hidden="true">
            T
          </span>{" "}
          Treemark
        </a>
        {session && <Places view={route.view} />}
        <div class="who">
          <label>
            <span class="hidden">{words("language")}</span>
            <select value={tag} onChange={({ currentTarget }) => speak(currentTarget.value)}>
              {LANGUAGES.map((one) => (
                <option key={one.tag} value={one.tag} lang={one.tag}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {asked.is === "waiting" && (
          <p role="status" class="soft">
            {words("loading")}
          </p>
        )}
        {asked.is === "failed" && asked.problem.status !== 401 && (
          <Trouble problem={asked.problem} again={() => void begin(undefined)} />
        )}
        {asked.is !== "waiting" && session === undefined && (
          <SignInView
            isRefused={asked.is === "failed" && asked.problem.code === "code_refused"}
            signIn={(code) => void begin(code)}
          />
        )}
        {session && (
          <Place
            session={session}
            view={route.view}
            asset={route.asset}
            code={route.code}
            leave={() => location.reload()}
          />
        )}
      </main>
      <footer>
        <a href="/verify">{words("toVerify")}</a> <a href="/docs">{words("toDocs")}</a>
      </footer>
    </div>
  )
}

/** No link, because the address keeps the view. */
const skip = (): void => document.getElementById("main")?.focus()

const Places = ({ view }: { readonly view: View }) => {
  const queue = useQueue()
  const open = queue.items.filter(({ state }) => state !== "done").length
  return (
    <nav aria-label={words("places")}>
      {VIEWS.map((one) => (
        <a key={one} href={hrefOf(one)} aria-current={one === view ? "page" : undefined}>
          {words(NAMES[one])}
          {one === "add" && queue.isBusy && <span class="count"> {open}</span>}
        </a>
      ))}
    </nav>
  )
}

interface PlaceProps {
  readonly session: Session
  readonly view: View
  readonly asset: string | undefined
  readonly code: string | undefined
  readonly leave: () => void
}

const Place = ({ asset, code, leave, session, view }: PlaceProps) => {
  const signOutOf = (everywhere: boolean) => signOut(everywhere).finally(leave)
  switch (view) {
    case "assets":
      return asset === undefined ? <AssetsView /> : <AssetView key={asset} assetCid={asset} session={session} />
    case "add":
      return <AddView session={session} />
    case "account":
      return <AccountView signOut={(everywhere) => void signOutOf(everywhere)} />
    case "tools":
      return <ToolsView code={code} />
    case "node":
      return <NodeView />
  }
}

/** Where the person is: the part of the address behind `#`, so that every view has a link and the back button works. */
import { useEffect, useState } from "preact/hooks"

export const VIEWS = ["assets", "add", "account", "tools", "node"] as const
export type View = (typeof VIEWS)[number]

export interface Route {
  readonly view: View
  /** The asset that is looked at. */
  readonly asset: string | undefined
  /** The code of a tool that waits to be paired. */
  readonly code: string | undefined
}

const read = (): Route => {
  const [name, more] = location.hash.replace(/^#\/?/, "").split("/")
  const view = VIEWS.find((known) => known === name) ?? "assets"
  const word = more !== undefined && /^[\w-]+$/.test(more) ? more : undefined
  return { view, asset: view === "assets" ? word : undefined, code: view === "tools" ? word : undefined }
}

export const hrefOf = (view: View, asset?: string): string => `#/${view}${asset === undefined ? "" : `/${asset}`}`

export const useRoute = (): Route => {
  const [route, setRoute] = useState(read)
  useEffect(() => {
    const changed = () => setRoute(read())
    addEventListener("hashchange", changed)
    return () => removeEventListener("hashchange", changed)
  }, [])
  return route
}

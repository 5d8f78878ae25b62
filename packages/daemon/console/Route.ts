/** Where the person is: the part of the address behind `#`, so that every view has a link and the back button works. */
import { useEffect, useState } from "preact/hooks"

export const VIEWS = ["assets", "add", "account", "tools", "node"] as const
export type View = (typeof VIEWS)[number]

export interface Route {
  readonly view: View
  /** The asset that is looked at. */
  readonly asset: string | undefined
}

const read = (): Route => {
  const [name, asset] = location.hash.replace(/^#\/?/, "").split("/")
  const view = VIEWS.find((known) => known === name) ?? "assets"
  return { view, asset: view === "assets" && asset !== undefined && /^\w+$/.test(asset) ? asset : undefined }
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

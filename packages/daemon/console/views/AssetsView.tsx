/** All assets of the account, newest first: more are fetched as the end comes near, and only tiles in sight exist. */
import { useEffect, useRef, useState } from "preact/hooks"
import { ask, type Problem } from "../Api.ts"
import { Grid } from "../Grid.tsx"
import { problemOf } from "../Hooks.ts"
import { dayText, numberText, words } from "../Language.ts"
import { whenChanged } from "../Live.ts"
import { Heading, Trouble } from "../Parts.tsx"
import { Tile } from "../pictures/Preview.tsx"
import { hrefOf } from "../Route.ts"
import { Say, Strange, seen } from "../Say.tsx"
import type { Asset, AssetPage } from "../Types.ts"

const PAGE = 100
/** Typing ends before a search begins. */
const PATIENCE = 250

interface List {
  readonly query: string
  readonly assets: ReadonlyArray<Asset>
  /** Where it goes on; null at the end, undefined before the first page. */
  readonly next: string | null | undefined
  readonly problem?: Problem
}

const emptyList = (query: string): List => ({ query, assets: [], next: undefined })

/** What was shown last, and where the page stood: whoever looks at an asset and comes back is where they were. */
let left = { list: emptyList(""), scrolledTo: 0 }

/** What belongs to nobody who signs in next. */
export const forgetList = (): void => {
  left = { list: emptyList(""), scrolledTo: 0 }
}

const pageOf = (query: string, cursor?: string, signal?: AbortSignal): Promise<AssetPage> => {
  const where = new URLSearchParams({
    limit: String(PAGE),
    ...(query === "" ? {} : { q: query }),
    ...(cursor === undefined ? {} : { cursor })
  })
  return ask<AssetPage>(`/assets?${where}`, signal === undefined ? {} : { signal })
}

/** The list for a search, and how to get more of it. */
const useAssets = (query: string): readonly [list: List, more: () => void] => {
  const [list, setList] = useState<List>(left.list)
  const asking = useRef<AbortController | undefined>(undefined)
  left.list = list
  const load = (before: List) => {
    asking.current?.abort()
    const leaving = new AbortController()
    asking.current = leaving
    pageOf(before.query, before.next ?? undefined, leaving.signal).then(
      ({ assets, next }) => {
        asking.current = undefined
        setList(({ assets: known }) => ({
          query: before.query,
          assets: before.next === undefined ? assets : [...known, ...assets],
          next
        }))
      },
      (error: unknown) => {
        if (leaving.signal.aborted) return
        asking.current = undefined
        setList({ ...before, problem: problemOf(error) })
      }
    )
  }
  /** What came since stands in front, what changed is as it is now; the place in the list stays. */
  const refresh = () =>
    pageOf(query).then(
      ({ assets, next }) =>
        setList((before) => {
          if (before.query !== query) return before
          const fresh = new Set(assets.map(({ assetCid }) => assetCid))
          const others = before.assets.filter(({ assetCid }) => !fresh.has(assetCid))
          return { query, assets: [...assets, ...others], next: others.length === 0 ? next : before.next }
        }),
      () => undefined
    )
  useEffect(() => {
    const isKnown = list.query === query && list.next !== undefined
    const waiting = setTimeout(() => (isKnown ? refresh() : load(emptyList(query))), query === "" ? 0 : PATIENCE)
    return () => {
      clearTimeout(waiting)
      asking.current?.abort()
      asking.current = undefined
    }
  }, [query])
  useEffect(() => whenChanged(() => void refresh()), [query])
  const more = () => {
    if (asking.current === undefined && typeof list.next === "string" && list.problem === undefined) load(list)
  }
  return [list, more]
}

export const AssetsView = () => {
  const [query, setQuery] = useState(left.list.query)
  const [list, more] = useAssets(query)
  useEffect(() => {
    scrollTo(0, left.scrolledTo)
    const moved = () => {
      left.scrolledTo = scrollY
    }
    addEventListener("scroll", moved, { passive: true })
    return () => removeEventListener("scroll", moved)
  }, [])
  return (
    <>
      <div class="top">
        <Heading>{words("viewAssets")}</Heading>
        <a class="button main" href={hrefOf("add")}>
          {words("addFiles")}
        </a>
      </div>
      <label class="search">
        <span class="hidden">{words("search")}</span>
        <input
          type="search"
          placeholder={words("search")}
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
      </label>
      {list.problem && <Trouble problem={list.problem} again={() => location.reload()} />}
      {list.next === null && list.assets.length === 0 && <None query={query} />}
      <Grid
        items={list.assets}
        keyOf={({ assetCid }) => assetCid}
        tile={(asset) => <AssetTile asset={asset} />}
        more={more}
      />
      <p class="soft" role="status">
        {list.next === null
          ? list.assets.length > 0 && words("assetsInAll", { count: numberText(list.assets.length) })
          : list.problem === undefined && words("loading")}
      </p>
    </>
  )
}

const None = ({ query }: { readonly query: string }) =>
  query === "" ? (
    <div class="card empty">
      <h2>{words("noAssets")}</h2>
      <p>{words("noAssetsMeans")}</p>
      <a class="button main" href={hrefOf("add")}>
        {words("addFiles")}
      </a>
    </div>
  ) : (
    <p class="card empty">
      <Say of="noneFound" query={query} />
    </p>
  )

const AssetTile = ({ asset }: { readonly asset: Asset }) => {
  const name = asset.name ?? asset.assetCid
  return (
    <a href={hrefOf("assets", asset.assetCid)} title={seen(name)}>
      <span class="picture">
        <Tile asset={asset} />
      </span>
      <span class="name">
        <Strange text={name} longest={80} />
      </span>
      <span class="soft">
        {dayText(asset.registeredAt)} ·{" "}
        {asset.commits === 0
          ? words("notCommitted")
          : words(asset.commits === 1 ? "oneCommit" : "commits", { count: asset.commits })}
      </span>
    </a>
  )
}

/** All assets of the account, newest first: more are fetched as the end comes into sight. */
import { useEffect, useRef, useState } from "preact/hooks"
import { ask, type Problem } from "../Api.ts"
import { problemOf } from "../Hooks.ts"
import { dayText, numberText, words } from "../Language.ts"
import { whenChanged } from "../Live.ts"
import { Heading, Preview, Trouble } from "../Parts.tsx"
import { hrefOf } from "../Route.ts"
import { Say, Strange, seen } from "../Say.tsx"
import type { Asset, AssetPage } from "../Types.ts"

const PAGE = 60
/** Typing ends before a search begins. */
const PATIENCE = 250

interface List {
  readonly assets: ReadonlyArray<Asset>
  /** Where it goes on; null at the end, undefined before the first page. */
  readonly next: string | null | undefined
  readonly problem?: Problem
}

const EMPTY: List = { assets: [], next: undefined }

/** The list for a search, and how to get more of it. */
const useAssets = (query: string): readonly [list: List, more: () => void] => {
  const [list, setList] = useState<List>(EMPTY)
  const asking = useRef<AbortController | undefined>(undefined)
  const load = (before: List) => {
    asking.current?.abort()
    const leaving = new AbortController()
    asking.current = leaving
    const where = new URLSearchParams({
      limit: String(PAGE),
      ...(query === "" ? {} : { q: query }),
      ...(typeof before.next === "string" ? { cursor: before.next } : {})
    })
    ask<AssetPage>(`/assets?${where}`, { signal: leaving.signal }).then(
      ({ assets, next }) => {
        asking.current = undefined
        setList({ assets: [...before.assets, ...assets], next })
      },
      (error: unknown) => {
        if (leaving.signal.aborted) return
        asking.current = undefined
        setList({ ...before, problem: problemOf(error) })
      }
    )
  }
  useEffect(() => {
    const waiting = setTimeout(() => load(EMPTY), query === "" ? 0 : PATIENCE)
    return () => {
      clearTimeout(waiting)
      asking.current?.abort()
      asking.current = undefined
    }
  }, [query])
  /** What came since stands in front, what changed is as it is now; the place in the list stays. */
  useEffect(
    () =>
      whenChanged(() => {
        const where = new URLSearchParams({ limit: String(PAGE), ...(query === "" ? {} : { q: query }) })
        ask<AssetPage>(`/assets?${where}`).then(
          ({ assets, next }) =>
            setList((before) => {
              const known = new Set(assets.map(({ assetCid }) => assetCid))
              const others = before.assets.filter(({ assetCid }) => !known.has(assetCid))
              return { assets: [...assets, ...others], next: others.length === 0 ? next : before.next }
            }),
          () => undefined
        )
      }),
    [query]
  )
  const more = () => {
    if (asking.current === undefined && typeof list.next === "string") load(list)
  }
  return [list, more]
}

export const AssetsView = () => {
  const [query, setQuery] = useState("")
  const [list, more] = useAssets(query)
  const end = useRef<HTMLDivElement>(null)
  const latest = useRef(more)
  latest.current = more
  useEffect(() => {
    const watcher = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current()
      },
      { rootMargin: "800px" }
    )
    if (end.current !== null) watcher.observe(end.current)
    return () => watcher.disconnect()
  }, [list])
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
      {list.problem && <Trouble problem={list.problem} />}
      {list.next === null && list.assets.length === 0 && <None query={query} />}
      <ul class="tiles">
        {list.assets.map((asset) => (
          <Tile key={asset.assetCid} asset={asset} />
        ))}
      </ul>
      <div ref={end} />
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

const Tile = ({ asset }: { readonly asset: Asset }) => {
  const name = asset.name ?? asset.assetCid
  return (
    <li>
      <a href={hrefOf("assets", asset.assetCid)} title={seen(name)}>
        <span class="picture">
          <Preview assetCid={asset.assetCid} encodingFormat={asset.encodingFormat} name={seen(name)} />
        </span>
        <span class="name">
          <Strange text={name} longest={80} />
        </span>
        <span class="soft">
          {dayText(asset.registeredAt)} ·{" "}
          {words(asset.commits === 1 ? "oneCommit" : "commits", { count: asset.commits })}
        </span>
      </a>
    </li>
  )
}

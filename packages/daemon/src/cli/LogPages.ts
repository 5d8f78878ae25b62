/** The commits of an asset as the daemon tells them, page by page: a long history is never held whole by the daemon. */
import type { NetworkRole } from "@treemark/core"
import { Effect } from "effect"
import type { LogEntry } from "../admin/HistoryApi.ts"
import type { Admin } from "./Admin.ts"
import { type LoggedCommit, placeText } from "./LogText.ts"

const PAGE = 200

interface Asked {
  readonly assetCid: string
  readonly network: NetworkRole
  /** Only so many of the newest. */
  readonly limit: number | undefined
  /** Wallets whose word for what was done is taken. */
  readonly recorders: ReadonlyArray<string>
}

/** Hands `use` the commits page by page, oldest first, and answers all of them with the network they are on. */
export const readLog = Effect.fnUntraced(function* <E, R>(
  { client }: Admin["Service"],
  { assetCid, limit, network, recorders }: Asked,
  use: (page: ReadonlyArray<LoggedCommit>) => Effect.Effect<void, E, R>
) {
  const page = (query: { readonly after?: string; readonly before?: string; readonly limit: number }) =>
    client.history.log({
      params: { assetCid },
      query: {
        ...query,
        network,
        from: limit === undefined ? "oldest" : "newest",
        ...(recorders.length === 0 ? {} : { recorders: recorders.join() })
      }
    })
  const all: Array<LoggedCommit> = []
  if (limit !== undefined) {
    const newest: Array<LogEntry> = []
    for (let first: LogEntry | undefined; ; first = newest[0]) {
      const wanted = Math.min(limit - newest.length, PAGE)
      const { commits, network } = yield* page({
        limit: wanted,
        ...(first === undefined ? {} : { before: placeText(first) })
      })
      newest.unshift(...commits)
      if (commits.length === wanted && newest.length < limit) continue
      const named = newest.map((entry, at) => ({ ...entry, index: null, name: `~${newest.length - 1 - at}` }))
      yield* use(named)
      return { network, commits: named }
    }
  }
  for (let last: LoggedCommit | undefined; ; last = all.at(-1)) {
    const { commits, network } = yield* page({ limit: PAGE, ...(last === undefined ? {} : { after: placeText(last) }) })
    const numbered = commits.map((entry, at) => {
      const index = all.length + at + 1
      return { ...entry, index, name: String(index) }
    })
    yield* use(numbered)
    all.push(...numbered)
    if (commits.length < PAGE) return { network, commits: all }
  }
})

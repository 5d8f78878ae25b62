/**
 * `GET /assets/{assetCid}/commits`: the asset's history as the ledger has it. Whole, or page by page: a page is named by the place on the
 * ledger that it begins after or ends before, so commits that come meanwhile never move it.
 */
import {
  FieldProblem,
  type HistoryRange,
  InvalidFields,
  Ledger,
  type LedgerCommit,
  type LedgerPlace,
  type NetworkRole,
  parseCid
} from "@treemark/core"
import { Effect, Option, Schema } from "effect"
import { refusingAs } from "../edge/Problems.ts"
import { ASSET_COMMITS_PROBLEMS } from "./AssetsApi.ts"

const JsonObject = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
const decodeRecord = Schema.decodeUnknownOption(JsonObject)

interface Query {
  readonly testnet?: string
  readonly limit?: string
  readonly after?: string
  readonly before?: string
}

export const assetCommits = Effect.fn("handlers.assetCommits")(function* ({
  params,
  query
}: {
  readonly params: { readonly assetCid: string }
  readonly query: Query
}) {
  const { network, page } = yield* checked(params.assetCid, query)
  const ledger = yield* Ledger
  if (page === undefined) {
    const commits = yield* ledger.history(network, params.assetCid)
    return { commits: commits.map(viewOf) }
  }
  const found = yield* ledger.history(network, params.assetCid, oneMore(page))
  return pageOf(found, page)
}, refusingAs(ASSET_COMMITS_PROBLEMS))

const MOST_COMMITS = 1_000

/** One more than the page holds tells whether there is another page. */
const oneMore = ({ limit, ...page }: HistoryRange): HistoryRange => ({
  ...page,
  limit: limit === undefined ? undefined : limit + 1
})

const pageOf = (found: ReadonlyArray<LedgerCommit>, { after, before, from, limit = found.length }: HistoryRange) => {
  const isBackwards = from === "newest"
  const isMore = found.length > limit
  const shown = isBackwards ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit)
  const [first, last] = [shown[0], shown.at(-1)]
  const hasOlder = isBackwards ? isMore : after !== undefined
  const hasNewer = isBackwards || isMore || before !== undefined
  return {
    commits: shown.map(viewOf),
    next: last !== undefined && hasNewer ? placeText(last) : null,
    previous: first !== undefined && hasOlder ? placeText(first) : null
  }
}

const placeText = ({ blockNumber, logIndex }: LedgerPlace): string => `${blockNumber}:${logIndex}`

const placeOf = (text: string): LedgerPlace | undefined => {
  const [, block, index] = /^(\d{1,15}):(\d{1,9})$/u.exec(text) ?? []
  return block === undefined ? undefined : { blockNumber: Number(block), logIndex: Number(index) }
}

const limitOf = (text: string): number | undefined => {
  const limit = /^\d{1,4}$/u.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= MOST_COMMITS ? limit : undefined
}

interface Asked {
  readonly network: NetworkRole
  /** Undefined: the whole history. */
  readonly page: HistoryRange | undefined
}

const checked = (assetCid: string, query: Query): Effect.Effect<Asked, InvalidFields> => {
  const problems: Array<FieldProblem> = []
  const read = <A>(name: string, text: string | undefined, value: A | undefined, wanted: string): A | undefined => {
    if (text !== undefined && value === undefined) {
      problems.push(new FieldProblem({ path: `/${name}`, message: `(in the query) must be ${wanted}` }))
    }
    return value
  }
  if (parseCid(assetCid) === undefined) {
    problems.push(new FieldProblem({ path: "/assetCid", message: "(in the path) must be a CID, version 0 or 1" }))
  }
  const { testnet } = query
  const role = testnet === "true" ? "testnet" : "mainnet"
  read("testnet", testnet, testnet === "true" || testnet === "false" ? role : undefined, "true or false")
  const place = "a place on the ledger, BLOCK:INDEX, such as 12:0"
  const after = read("after", query.after, placeOf(query.after ?? ""), place)
  const before = read("before", query.before, placeOf(query.before ?? ""), place)
  const limit = read("limit", query.limit, limitOf(query.limit ?? ""), `a whole number from 1 to ${MOST_COMMITS}`)
  const [first, ...others] = problems
  if (first !== undefined) return Effect.fail(new InvalidFields({ problems: [first, ...others] }))
  const isPage = limit !== undefined || after !== undefined || before !== undefined
  const from = after === undefined && before !== undefined ? "newest" : "oldest"
  return Effect.succeed({ network: role, page: isPage ? { after, before, limit, from } : undefined })
}

/** Anybody may write to the ledger, so the record of a commit can be any text. */
const viewOf = ({ txHash, blockNumber, recorder, commitData }: LedgerCommit) => ({
  txHash,
  blockNumber,
  recorder,
  ...Option.match(decodeRecord(commitData), {
    onNone: () => ({ commitData }),
    onSome: (commit) => ({ commit })
  })
})

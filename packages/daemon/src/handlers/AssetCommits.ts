/** `GET /assets/{assetCid}/commits`: the asset's history as the ledger has it. */
import { FieldProblem, InvalidFields, Ledger, type LedgerCommit, type NetworkRole, parseCid } from "@treemark/core"
import { Effect, Option, Schema } from "effect"
import { refusing } from "../edge/Problems.ts"

const JsonObject = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json))
const decodeRecord = Schema.decodeUnknownOption(JsonObject)

export const assetCommits = Effect.fn("handlers.assetCommits")(function* ({
  params,
  query
}: {
  readonly params: { readonly assetCid: string }
  readonly query: { readonly testnet?: string }
}) {
  const network = yield* checked(params.assetCid, query.testnet)
  const found = yield* (yield* Ledger).history(network, params.assetCid)
  return { commits: found.map(viewOf) }
}, refusing)

const checked = (assetCid: string, testnet: string | undefined): Effect.Effect<NetworkRole, InvalidFields> => {
  const problems: Array<FieldProblem> = []
  if (parseCid(assetCid) === undefined) {
    problems.push(new FieldProblem({ path: "/assetCid", message: "(in the path) must be a CID, version 0 or 1" }))
  }
  if (testnet !== undefined && testnet !== "true" && testnet !== "false") {
    problems.push(new FieldProblem({ path: "/testnet", message: "(in the query) must be true or false" }))
  }
  const [first, ...others] = problems
  if (first !== undefined) return Effect.fail(new InvalidFields({ problems: [first, ...others] }))
  return Effect.succeed(testnet === "true" ? "testnet" : "mainnet")
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

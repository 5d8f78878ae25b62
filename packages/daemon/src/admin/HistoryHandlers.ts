/** What the commands about histories do: each handler decodes, calls the use case and encodes. Nothing is changed or charged. */
import { type ContentStore, type Ledger, type LedgerPlace, toEip55 } from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Networks } from "../evm/Networks.ts"
import type { HdWallets } from "../wallets/HdWallets.ts"
import { AdminApi } from "./AdminApi.ts"
import { refused } from "./AdminRefused.ts"
import { diffOf } from "./AssetDiff.ts"
import { logOf, proofAt } from "./AssetHistory.ts"

export const historyHandlers = HttpApiBuilder.group(AdminApi, "history", (handlers) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<ContentStore | HdWallets | Ledger | Networks>()
    return handlers.handleAll({
      log: ({ params, query: { after, before, from, limit, network, recorders = "" } }) =>
        logOf(
          network,
          params.assetCid,
          {
            limit,
            from,
            after: after === undefined ? undefined : placeOf(after),
            before: before === undefined ? undefined : placeOf(before)
          },
          recorders === "" ? [] : recorders.split(",").map(toEip55)
        ).pipe(Effect.provide(services), refused),
      proofOfCommit: ({ params, query }) =>
        proofAt(query.network, params.assetCid, placeOf(params.place)).pipe(Effect.provide(services), refused),
      diff: ({ params, query: { from, network, to } }) =>
        diffOf(network, params.assetCid, { from, to }).pipe(Effect.provide(services), refused)
    })
  })
)

const placeOf = (text: string): LedgerPlace => {
  const [blockNumber, logIndex] = text.split(":")
  return { blockNumber: Number(blockNumber), logIndex: Number(logIndex) }
}

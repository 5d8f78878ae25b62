/** Core's `Ledger` on an EVM chain: an ERC-7053 contract, reached by viem, written to through durable jobs (CarryCommit). Amounts are wei. */
import { amount, Ledger } from "@treemark/core"
import { Effect, Layer } from "effect"
import { Networks } from "../evm/Networks.ts"
import { ledgerUnavailable } from "../evm/RpcFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { makeCarryCommit } from "./CarryCommit.ts"
import { CommitTerms } from "./CommitTerms.ts"
import { LedgerIndex } from "./LedgerIndex.ts"

export const layer = Layer.effect(
  Ledger,
  Effect.gen(function* () {
    const networks = yield* Networks
    const terms = yield* CommitTerms
    const { carry } = yield* makeCarryCommit
    const committers = yield* makeCommitters
    const index = yield* LedgerIndex
    return Ledger.of({
      committerOf: (assetCid) => committers.of(assetCid).address,
      networkOf: (role) => {
        const { chainId, contract, name } = networks.role(role)
        return { name, chainId, contract }
      },
      quote: (role, commit) => Effect.map(terms.of(role, commit), ({ ceiling }) => amount(ceiling)),
      carry,
      history: (role, assetCid, range) => Effect.mapError(index.history(role, assetCid, range), ledgerUnavailable),
      explorerUrl: (role, txHash) => networks.role(role).explorerUrl(txHash)
    })
  })
).pipe(Layer.provide(LedgerIndex.layer))

/** A commit is charged by the terms it was begun with, on real books, whatever the prices are when it ends. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges, CommitPending, commitAsset, decodeCommitRequest, Prices } from "@treemark/core"
import { Effect, Layer } from "effect"
import { plainBody } from "../../core/Generators.ts"
import { commitPorts, GAS_CEILING, GAS_PAID, TX_HASH } from "../../layers/CommitPorts.ts"
import { balances, openAccount, TOKEN, withBank } from "./Bank.ts"

const PRICE = TOKEN / 10n
const registered = [{ assetCid: plainBody.assetCid, assetSha256: plainBody.assetSha256 }]
const privateKey = Buffer.from("46".repeat(32), "hex")

describe("a price that changes while a commit is under way", () => {
  it.live("does not change what the commit costs: the price it was begun with, and its gas", () =>
    withBank(
      Effect.gen(function* () {
        const alice = yield* openAccount("alice", TOKEN)
        const charges = yield* Charges
        const request = yield* decodeCommitRequest(plainBody)
        const commit = (ports: Parameters<typeof commitPorts>[0]) =>
          commitAsset({ caller: alice, request, commitId: "cmt_1" }).pipe(
            Effect.provideService(Charges, charges),
            Effect.provide(Layer.fresh(commitPorts(ports)))
          )
        const pending = Effect.fail(new CommitPending({ commitId: "cmt_1", txHash: TX_HASH }))
        yield* Effect.flip(commit({ registered, privateKey, ledger: pending }))
        assert.deepInclude(yield* balances, { "held-credits:alice": PRICE + GAS_CEILING })

        const dearer = { ...(yield* Prices), version: "later", commit: amount(2n * PRICE) }
        yield* commit({ registered, privateKey }).pipe(Effect.provideService(Prices, dearer))
        assert.deepStrictEqual(yield* balances, {
          "credits:alice": TOKEN - PRICE - GAS_PAID,
          gas: GAS_PAID,
          issued: -TOKEN,
          revenue: PRICE
        })
      })
    )
  )
})

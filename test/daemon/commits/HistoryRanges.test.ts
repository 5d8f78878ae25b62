/** Histories on a real node: ranges of them from either end, a contract that keeps an index, and a contract younger than its chain. */
import { assert, describe, it } from "@effect/vitest"
import type { HistoryRange, LedgerCommit } from "@treemark/core"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Hex } from "viem"
import { historyOf } from "../../../packages/daemon/src/commits/History.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import type { LedgerChain } from "../../../packages/daemon/src/evm/Profile.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { startProxy } from "./FaultyProxy.ts"
import { indexedLedgerCode, stranger } from "./ForeignCommits.ts"
import { anvilWithContract, assetCid, CONTRACT, chainAt, profileAt } from "./LedgerFixture.ts"

const ASSET = assetCid("asset")

/** Five commits of one asset: two alone, two in one block 2,500 blocks later, and one after 2,500 more; others in between. */
const ledgerOfFive = Effect.fnUntraced(function* (code?: Hex) {
  const anvil = yield* anvilWithContract()
  if (code !== undefined) yield* Effect.promise(() => anvil.steer.setCode({ address: CONTRACT as Hex, bytecode: code }))
  const proxy = yield* startProxy(anvil.url)
  const one = stranger(anvil.url, CONTRACT)
  const hashes = [yield* one.commit(ASSET, "one"), yield* one.commit(ASSET, "two")]
  yield* Effect.promise(() => anvil.steer.mine({ blocks: 2_500 }))
  yield* one.commit(assetCid("another"), "not this one")
  hashes.push(...(yield* one.commitTogether(ASSET, ["three", "four"])))
  yield* Effect.promise(() => anvil.steer.mine({ blocks: 2_500 }))
  hashes.push(yield* one.commit(ASSET, "five"))
  return { anvil, proxy, hashes }
})

/** The history as somebody reads it who knows `facts` of the chain. */
const reader =
  (url: string, facts: Partial<LedgerChain> = {}) =>
  (range?: HistoryRange) =>
    Effect.gen(function* () {
      const networks = yield* Networks
      return yield* historyOf(networks.role("mainnet"), ASSET, range)
    }).pipe(
      Effect.provide(
        Networks.layer({
          profile: {
            ...profileAt(url),
            roles: { mainnet: { ...chainAt("anvil", url), ...facts }, testnet: chainAt("t", url) }
          }
        }).pipe(Layer.provide(SecureRandom.layerWebCrypto))
      )
    )

const words = (commits: ReadonlyArray<LedgerCommit>): string => commits.map(({ commitData }) => commitData).join(" ")

describe.skipIf(isAnvilMissing)("the history of an asset", () => {
  it.live(
    "is read from either end, after and before any of its commits, two in one block apart",
    () =>
      Effect.gen(function* () {
        const { hashes, proxy } = yield* ledgerOfFive()
        const read = reader(proxy.url)
        const all = yield* read()
        assert.strictEqual(words(all), "one two three four five")
        assert.deepStrictEqual(
          all.map(({ txHash }) => txHash),
          hashes
        )
        assert.strictEqual(all[2]?.blockNumber, all[3]?.blockNumber)
        const [, , third, fourth, fifth] = all
        assert.strictEqual(words(yield* read({ limit: 2 })), "one two")
        assert.strictEqual(words(yield* read({ limit: 2, from: "newest" })), "four five")
        assert.strictEqual(words(yield* read({ after: third })), "four five")
        assert.strictEqual(words(yield* read({ after: third, limit: 1 })), "four")
        assert.strictEqual(words(yield* read({ before: fourth })), "one two three")
        assert.strictEqual(words(yield* read({ before: fourth, limit: 2, from: "newest" })), "two three")
        assert.strictEqual(words(yield* read({ after: third, before: fifth })), "four")
        assert.strictEqual(words(yield* read({ after: fifth })), "")

        const before = proxy.calls("eth_getLogs")
        yield* read({ limit: 1, from: "newest" })
        assert.strictEqual(proxy.calls("eth_getLogs") - before, 1)
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "is read block by block where the contract keeps their numbers, and searched where that does not work",
    () =>
      Effect.gen(function* () {
        const { proxy } = yield* ledgerOfFive(indexedLedgerCode())
        const read = reader(proxy.url, { get_commits: true })
        const questions = Effect.fnUntraced(function* (range?: HistoryRange) {
          const before = proxy.calls("eth_getLogs")
          return [words(yield* read(range)), proxy.calls("eth_getLogs") - before] as const
        })
        assert.deepStrictEqual(yield* questions(), ["one two three four five", 3])
        assert.deepStrictEqual(yield* questions({ limit: 2, from: "newest" }), ["four five", 2])
        assert.deepStrictEqual(yield* questions({ limit: 2 }), ["one two", 1])
        const [, second, third] = yield* read()
        assert.deepStrictEqual(yield* questions({ after: second, before: third }), ["", 2])

        proxy.plan = (method) =>
          method === "eth_call" ? { error: { code: 3, message: "execution reverted" } } : undefined
        assert.strictEqual(words(yield* read()), "one two three four five")
        const wrong = `0x${["20", "1", "64"].map((word) => word.padStart(64, "0")).join("")}`
        proxy.plan = (method) => (method === "eth_call" ? { result: wrong } : undefined)
        assert.strictEqual(words(yield* read()), "one two three four five")
      }).pipe(Effect.scoped),
    600_000
  )

  it.live(
    "is not looked for before the block the profile names as the contract's first",
    () =>
      Effect.gen(function* () {
        const { proxy } = yield* ledgerOfFive()
        const asked: Array<number> = []
        proxy.plan = (method, _, [filter]) => {
          if (method === "eth_getLogs") asked.push(Number((filter as { readonly fromBlock: string }).fromBlock))
          return undefined
        }
        const all = yield* reader(proxy.url)()
        const third = all[2]!.blockNumber
        asked.length = 0
        assert.strictEqual(words(yield* reader(proxy.url, { from_block: third })()), "three four five")
        assert.strictEqual(Math.min(...asked), third)
        assert.deepStrictEqual(yield* reader(proxy.url, { from_block: 1_000_000 })(), [])
      }).pipe(Effect.scoped),
    600_000
  )
})

/** Balances of one wallet as the chain's coin and as a real ERC-20 token, all in 10^-18 whatever the token's decimals. */
import { assert, describe, it } from "@effect/vitest"
import { type BalanceNetwork, NativeBalance, type WalletAddress, walletAddress } from "@treemark/core"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Balances from "../../../packages/daemon/src/evm/Balances.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import type { BalanceChain } from "../../../packages/daemon/src/evm/Profile.ts"
import { isAnvilMissing, startAnvil } from "../../layers/Anvil.ts"
import { ANVIL_CHAIN, profileAt, TOKEN, WALLETS } from "../commits/LedgerFixture.ts"
import { deployToken } from "./TestToken.ts"

const wallet = WALLETS.address(50)

const tokenNetwork = (name: string, url: string, token: string, decimals: number, chainId: number): BalanceChain => ({
  kind: "erc20",
  name,
  chain_id: chainId,
  rpc: Redacted.make(url),
  token: walletAddress(token),
  decimals
})

const balanceOn = Effect.fnUntraced(function* (name: string, of: WalletAddress = wallet) {
  const balances = yield* NativeBalance
  const network = balances.networks.find((one) => one.name === name)
  return yield* balances.on(network as BalanceNetwork, of)
})

describe.skipIf(isAnvilMissing)("balances", () => {
  it.live("of tokens with 6, 18 and 24 decimals stand beside the native ones, exact to 10^-18", () =>
    Effect.gen(function* () {
      const home = yield* startAnvil({ chainId: ANVIL_CHAIN })
      const elsewhere = yield* startAnvil({ chainId: 4_242 })
      const deploy = (decimals: number, supply: bigint) =>
        Effect.promise(() => deployToken(elsewhere.url, decimals, wallet, supply))
      const six = yield* deploy(6, 1_234_567n)
      const eighteen = yield* deploy(18, 7n)
      const twentyFour = yield* deploy(24, 1_999_999n)
      const networks = [
        tokenNetwork("six", elsewhere.url, six, 6, 4_242),
        tokenNetwork("eighteen", elsewhere.url, eighteen, 18, 4_242),
        tokenNetwork("twenty-four", elsewhere.url, twentyFour, 24, 4_242)
      ]
      const layer = Balances.layer.pipe(
        Layer.provide(Networks.layer({ profile: { ...profileAt(home.url), networks } }))
      )
      yield* Effect.gen(function* () {
        const balances = yield* NativeBalance
        assert.deepStrictEqual(
          balances.networks.map(({ name, chainId, kind }) => [name, chainId, kind]),
          [
            ["anvil", ANVIL_CHAIN, "native"],
            ["anvil too", ANVIL_CHAIN, "native"],
            ["six", 4_242, "erc20"],
            ["eighteen", 4_242, "erc20"],
            ["twenty-four", 4_242, "erc20"]
          ]
        )
        assert.strictEqual(yield* balances.onMainnet(WALLETS.address(1)), 10_000n * TOKEN)
        assert.strictEqual(yield* balanceOn("anvil too", WALLETS.address(1)), 10_000n * TOKEN)
        assert.strictEqual(yield* balanceOn("anvil"), 0n)
        assert.strictEqual(yield* balanceOn("six"), 1_234_567_000_000_000_000n)
        assert.strictEqual(yield* balanceOn("eighteen"), 7n)
        assert.strictEqual(yield* balanceOn("twenty-four"), 1n)
        assert.strictEqual(yield* balanceOn("six", WALLETS.address(51)), 0n)
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("fail, and name the network, when its node is gone or no token stands at the address", () =>
    Effect.gen(function* () {
      const home = yield* startAnvil({ chainId: ANVIL_CHAIN })
      const networks = [tokenNetwork("no token", home.url, wallet, 6, ANVIL_CHAIN)]
      const layer = Balances.layer.pipe(
        Layer.provide(Networks.layer({ profile: { ...profileAt(home.url), networks } }))
      )
      yield* Effect.gen(function* () {
        assert.include((yield* Effect.flip(balanceOn("no token"))).message, "The ledger of no token did not answer")
        yield* home.stop
        const gone = yield* Effect.flip((yield* NativeBalance).onMainnet(wallet))
        assert.include(gone.message, "The ledger of anvil did not answer as needed: the node at 127.0.0.1:")
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

describe("units of a token", () => {
  const Units = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))
  const Decimals = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))

  it.prop(
    "in 10^-18 never exceed what they are, and fall short by less than one unit of 10^-18",
    [Units, Decimals],
    ([units, decimals]) => {
      const native = Balances.toNativeUnits(units, decimals)
      const scale = 10n ** BigInt(decimals)
      assert.isTrue(native * scale <= units * TOKEN)
      assert.isTrue((native + 1n) * scale > units * TOKEN)
    }
  )
})

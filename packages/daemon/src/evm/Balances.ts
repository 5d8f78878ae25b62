/**
 * Core's `NativeBalance` over the networks of the profile: the chain's coin (eth_getBalance) or an ERC-20 token (balanceOf,
 * https://eips.ethereum.org/EIPS/eip-20), both in 10^-18 whatever the token's decimals.
 * On the mainnet, which anybody may ask about for nothing, a balance is kept for the block it was read at, and one look serves a crowd.
 */
import { type Amount, amount, LedgerUnavailable, NativeBalance, type WalletAddress } from "@treemark/core"
import { Effect, Layer } from "effect"
import { erc20Abi, type Hex } from "viem"
import { type BalanceSource, Networks } from "./Networks.ts"
import { ask, ledgerUnavailable, type RpcFailure } from "./RpcFailure.ts"
import { makeShared } from "./Shared.ts"

const DECIMALS = 18

/** `units` of a token with `decimals` in 10^-18: exact up to 18 decimals; beyond, what is smaller than 10^-18 is cut off. */
export const toNativeUnits = (units: bigint, decimals: number): Amount =>
  amount(decimals <= DECIMALS ? units * 10n ** BigInt(DECIMALS - decimals) : units / 10n ** BigInt(decimals - DECIMALS))

export const layer = Layer.effect(
  NativeBalance,
  Effect.gen(function* () {
    const networks = yield* Networks
    const mainnet = networks.balances[0]
    const onMainnet = mainnet === undefined ? undefined : keptForBlock(mainnet)
    return NativeBalance.of({
      networks: networks.balances.map(({ name, chainId, kind }) => ({ name, chainId, kind })),
      onMainnet: (wallet) => onMainnet?.(wallet) ?? balanceOn(undefined, "mainnet", wallet),
      on: (network, wallet) =>
        balanceOn(
          networks.balances.find(({ name }) => name === network.name),
          network.name,
          wallet
        )
    })
  })
)

/** Wallets whose balance is kept: those of one block, and no more than this. */
const MOST_KEPT = 10_000

/** What a wallet holds at the chain's newest block, which is asked for each time: a kept answer is never one of an older block. */
const keptForBlock = (source: BalanceSource) => {
  const { network } = source
  const heads = makeShared<bigint, RpcFailure>()
  const reads = makeShared<Amount, LedgerUnavailable>()
  let kept = { block: -1n, balances: new Map<WalletAddress, Amount>() }
  const head = ask(network, () => network.client.getBlockNumber({ cacheTime: 0 }))
  return Effect.fn("Balances.onMainnet")(
    function* (wallet: WalletAddress) {
      const { value: block } = yield* heads.ask("head", head)
      if (kept.block !== block || kept.balances.size >= MOST_KEPT) kept = { block, balances: new Map() }
      const { balances } = kept
      const known = balances.get(wallet)
      if (known !== undefined) return known
      const { value } = yield* reads.ask(`${block} ${wallet}`, balanceOn(source, network.name, wallet))
      balances.set(wallet, value)
      return value
    },
    Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
  )
}

const balanceOn = Effect.fn("Balances.balanceOn")(
  function* (source: BalanceSource | undefined, name: string, wallet: WalletAddress) {
    if (source === undefined)
      return yield* new LedgerUnavailable({ network: name, reason: "the profile does not list it." })
    const { network, token } = source
    const address = wallet as Hex
    if (token === undefined) return amount(yield* ask(network, () => network.client.getBalance({ address })))
    const units = yield* ask(network, () =>
      network.client.readContract({
        abi: erc20Abi,
        address: token.address as Hex,
        functionName: "balanceOf",
        args: [address]
      })
    )
    return toNativeUnits(units, token.decimals)
  },
  Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
)

/**
 * Core's `NativeBalance` over the networks of the profile: the chain's coin (eth_getBalance) or an ERC-20 token (balanceOf,
 * https://eips.ethereum.org/EIPS/eip-20), both in 10^-18 whatever the token's decimals.
 */
import { type Amount, amount, LedgerUnavailable, NativeBalance, type WalletAddress } from "@treemark/core"
import { Effect, Layer } from "effect"
import { erc20Abi, type Hex } from "viem"
import { type BalanceSource, Networks } from "./Networks.ts"
import { ask, ledgerUnavailable } from "./RpcFailure.ts"

const DECIMALS = 18

/** `units` of a token with `decimals` in 10^-18: exact up to 18 decimals; beyond, what is smaller than 10^-18 is cut off. */
export const toNativeUnits = (units: bigint, decimals: number): Amount =>
  amount(decimals <= DECIMALS ? units * 10n ** BigInt(DECIMALS - decimals) : units / 10n ** BigInt(decimals - DECIMALS))

export const layer = Layer.effect(
  NativeBalance,
  Effect.gen(function* () {
    const networks = yield* Networks
    const mainnet = networks.balances[0]
    return NativeBalance.of({
      networks: networks.balances.map(({ name, chainId, kind }) => ({ name, chainId, kind })),
      onMainnet: (wallet) => balanceOn(mainnet, "mainnet", wallet),
      on: (network, wallet) =>
        balanceOn(
          networks.balances.find(({ name }) => name === network.name),
          network.name,
          wallet
        )
    })
  })
)

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

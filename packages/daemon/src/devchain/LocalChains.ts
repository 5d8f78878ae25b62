/**
 * The embedded chains of a profile: opened for the roles it leaves to them, one file each in the data folder, and their faucet,
 * which is what `local` has instead of a market for tokens.
 */
import { join } from "node:path"
import {
  type Amount,
  amount,
  LedgerUnavailable,
  type NetworkRole,
  UNITS_PER_TOKEN,
  type WalletAddress
} from "@treemark/core"
import { Context, type Duration, Effect, Layer, Schedule, Scope } from "effect"
import { LOCAL_MAINNET_CHAIN_ID, LOCAL_TESTNET_CHAIN_ID } from "../evm/LocalNetwork.ts"
import type { Profile } from "../evm/Profile.ts"
import { makeCommitters } from "../wallets/Committers.ts"
import { chainThreads } from "./ChainThreads.ts"
import { EmbeddedChain, type EmbeddedChainError } from "./EmbeddedChain.ts"
import { LocalFaucet } from "./LocalFaucet.ts"

const CHAIN_IDS = { mainnet: LOCAL_MAINNET_CHAIN_ID, testnet: LOCAL_TESTNET_CHAIN_ID }
const ROLES: ReadonlyArray<NetworkRole> = ["mainnet", "testnet"]

/** When the chains' workers start: with the daemon, or, for a command without one, when something is asked of them. */
export const OpenChains = Context.Reference<"at start" | "when asked">(
  "@treemark/daemon/devchain/LocalChains/OpenChains",
  { defaultValue: () => "at start" }
)

/** What each committer holds on an embedded chain once it is open: gas for about a quarter of a million commits. */
const COMMITTER_FUNDS = amount(1_000n * UNITS_PER_TOKEN)

export class LocalChains extends Context.Service<
  LocalChains,
  {
    /** The chains; a role that the profile gives to a network elsewhere has none. */
    readonly chains: Readonly<Partial<Record<NetworkRole, EmbeddedChain>>>
    /** Sees to it that `wallet` holds at least `least` on the chain of `role`, in a block, when this returns. */
    readonly fund: (role: NetworkRole, wallet: WalletAddress, least: Amount) => Effect.Effect<void, LedgerUnavailable>
  }
>()("@treemark/daemon/devchain/LocalChains") {
  /** `rpcTimeout`: how long a call of the daemon to a chain may take; 10 s by default. */
  static readonly layer = (options: {
    readonly home: string
    readonly profile: Profile
    readonly rpcTimeout?: Duration.Duration
  }) =>
    Layer.effect(
      LocalChains,
      Effect.gen(function* () {
        const committers = yield* makeCommitters
        const openChains = yield* OpenChains
        const scope = yield* Effect.scope
        const threads = yield* chainThreads(options.rpcTimeout)
        const wanted = ROLES.filter((role) => options.profile.roles[role] === "embedded")
        const opened = yield* Effect.forEach(
          wanted,
          Effect.fnUntraced(function* (role) {
            const open = EmbeddedChain.open({
              path: join(options.home, `chain-${role}.db`),
              chainId: CHAIN_IDS[role],
              threads
            }).pipe(
              Effect.tap((chain) =>
                Effect.forEach(committers.all, ({ address }) => fund(chain, role, address, COMMITTER_FUNDS), {
                  concurrency: "unbounded",
                  discard: true
                })
              ),
              Scope.provide(scope)
            )
            const chain = openChains === "at start" ? yield* open : yield* whenAsked(CHAIN_IDS[role], open)
            return [role, chain] as const
          }),
          { concurrency: "unbounded" }
        )
        const chains: LocalChains["Service"]["chains"] = Object.fromEntries(opened)
        return LocalChains.of({ chains, fund: (role, wallet, least) => fund(chains[role], role, wallet, least) })
      })
    )

  /** The faucet for new accounts on the mainnet; it refuses where the mainnet is not an embedded chain. */
  static readonly layerFaucet = (profile: Profile) =>
    profile.roles.mainnet === "embedded"
      ? Layer.effect(
          LocalFaucet,
          Effect.map(LocalChains, ({ fund }) => ({ fund: (wallet, amount) => fund("mainnet", wallet, amount) }))
        )
      : LocalFaucet.layerRefusing(profile.name)
}

/** A chain that opens at the first call; it stays open for the scope that `open` was given. */
const whenAsked = Effect.fnUntraced(function* (
  chainId: number,
  open: Effect.Effect<EmbeddedChain, EmbeddedChainError | LedgerUnavailable>
) {
  const opened = yield* Effect.cached(open)
  const chain = Effect.runPromiseWith(yield* Effect.context<never>())
  return {
    chainId,
    request: async (call) => (await chain(opened)).request(call),
    handleJsonRpc: async (body, caller) => (await chain(opened)).handleJsonRpc(body, caller),
    onBlock: (listener) => {
      const listening = chain(opened).then(
        ({ onBlock }) => onBlock(listener),
        () => () => undefined
      )
      return () => {
        listening.then((stop) => stop())
      }
    }
  } satisfies EmbeddedChain
})

const fund = Effect.fn("LocalChains.fund")(function* (
  chain: EmbeddedChain | undefined,
  role: NetworkRole,
  wallet: WalletAddress,
  least: Amount
) {
  const network = `local ${role}`
  if (chain === undefined) return yield* new LedgerUnavailable({ network, reason: "it is not an embedded chain." })
  const call = (method: string, params: ReadonlyArray<unknown>) =>
    Effect.tryPromise({
      try: () => chain.request({ method, params }),
      catch: (cause) => new LedgerUnavailable({ network, reason: `its faucet did not pay: ${String(cause)}.` })
    })
  const held = BigInt(String(yield* call("eth_getBalance", [wallet, "latest"])))
  if (held >= least) return
  const hash = yield* call("treemark_fund", [wallet, `0x${(least - held).toString(16)}`])
  yield* call("eth_getTransactionReceipt", [hash]).pipe(
    Effect.repeat({ until: (receipt) => receipt !== null, schedule: Schedule.spaced("10 millis"), times: 1_000 })
  )
})

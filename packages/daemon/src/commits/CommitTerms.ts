/**
 * The terms of one commit: gas by eth_estimateGas and 20 %, at today's fees. What was quoted is what is signed: the terms are
 * kept a while, so that a commit can never cost more than the ceiling that was held for it. While gas costs more than the operator
 * allows, the terms are those of the cap: the commit waits until it costs less. Amounts are wei (10^-18).
 */
import { formatTokens, LedgerUnavailable, type NetworkRole, type WalletAddress } from "@treemark/core"
import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import type { Hex } from "viem"
import { type CommitContent, commitInput, commitInputSize } from "../evm/CommitContract.ts"
import { feesNow, type Terms, termsFor, withMargin } from "../evm/Fees.ts"
import { type LedgerNetwork, Networks } from "../evm/Networks.ts"
import { ask, ledgerUnavailable } from "../evm/RpcFailure.ts"
import { makeCommitters } from "../wallets/Committers.ts"

const KEPT_FOR = Duration.minutes(1)
const KEPT_AT_MOST = 256

/** How long commits share one look at the fees and at what the committer holds: blocks are seconds apart. */
const LOOK_KEPT_FOR = Duration.millis(250)

/** Keeps what succeeded; what failed is tried anew by the next who asks. */
const keeping =
  (time: Duration.Duration) =>
  (exit: Exit.Exit<unknown, unknown>): Duration.Duration =>
    Exit.isSuccess(exit) ? time : Duration.zero

export class CommitTerms extends Context.Service<
  CommitTerms,
  {
    /** The terms on which this commit would be sent; the same for the same commit for a minute. */
    readonly of: (role: NetworkRole, commit: CommitContent) => Effect.Effect<Terms, LedgerUnavailable>
  }
>()("@treemark/daemon/commits/CommitTerms") {
  static readonly layer = Layer.effect(
    CommitTerms,
    Effect.gen(function* () {
      const networks = yield* Networks
      const committers = yield* makeCommitters
      const withContract = new Set<NetworkRole>()

      const looks = yield* Cache.makeWith(
        (key: string) => {
          const [role, address] = JSON.parse(key) as [NetworkRole, Hex]
          const network = networks.role(role)
          return Effect.all([feesNow(network), ask(network, () => network.client.getBalance({ address }))], {
            concurrency: "unbounded"
          })
        },
        { capacity: KEPT_AT_MOST, timeToLive: keeping(LOOK_KEPT_FOR) }
      )

      const estimateGas = (network: LedgerNetwork, committer: WalletAddress, content: CommitContent) =>
        ask(network, () =>
          network.client.estimateGas({
            account: committer as Hex,
            to: network.contract as Hex,
            data: commitInput(content)
          })
        )

      /**
       * An embedded chain's contract stores nothing: what a commit costs there depends on how many words of input it has, but for the zero
       * bytes among them, for which the margin has room many times over. So commits of one size share an estimate.
       */
      const samples = new Map<string, CommitContent>()
      const estimates = yield* Cache.makeWith(
        (key: string) => {
          const [role, committer] = JSON.parse(key) as [NetworkRole, WalletAddress]
          return estimateGas(networks.role(role), committer, samples.get(key) ?? { assetCid: "", commitData: "" })
        },
        { capacity: KEPT_AT_MOST, timeToLive: keeping(KEPT_FOR) }
      )
      const gasOf = (network: LedgerNetwork, committer: WalletAddress, content: CommitContent) => {
        if (!network.embedded) return estimateGas(network, committer, content)
        const key = JSON.stringify([network.role, committer, commitInputSize(content)])
        samples.set(key, content)
        return Effect.ensuring(
          Cache.get(estimates, key),
          Effect.sync(() => samples.delete(key))
        )
      }

      const estimate = Effect.fnUntraced(
        function* (network: LedgerNetwork, content: CommitContent) {
          const committer = committers.of(content.assetCid).address
          if (!withContract.has(network.role)) {
            yield* checkContract(network)
            withContract.add(network.role)
          }
          const look = JSON.stringify([network.role, committer])
          const [gas, [fees, funds]] = yield* Effect.all([gasOf(network, committer, content), Cache.get(looks, look)], {
            concurrency: "unbounded"
          })
          const terms = termsFor(withMargin(gas), fees)
          if (funds >= terms.ceiling) return terms
          yield* Cache.invalidate(looks, look)
          return yield* emptyWallet(network, committer, funds, terms.ceiling)
        },
        Effect.catchTag("RpcFailure", (failure) => Effect.fail(ledgerUnavailable(failure)))
      )

      const cache = yield* Cache.makeWith(
        (key: string) => {
          const [role, assetCid, commitData] = JSON.parse(key) as [NetworkRole, string, string]
          return estimate(networks.role(role), { assetCid, commitData })
        },
        { capacity: KEPT_AT_MOST, timeToLive: keeping(KEPT_FOR) }
      )
      return CommitTerms.of({
        of: (role, { assetCid, commitData }) => Cache.get(cache, JSON.stringify([role, assetCid, commitData]))
      })
    })
  )
}

/** A call to an address without code succeeds and records nothing, so it is looked up before the first commit. */
const checkContract = Effect.fnUntraced(function* (network: LedgerNetwork) {
  const code = yield* ask(network, () => network.client.getCode({ address: network.contract as Hex }))
  if (code === undefined || code === "0x") {
    return yield* new LedgerUnavailable({
      network: network.name,
      reason: `there is no contract at ${network.contract} on chain ${network.chainId}. Correct the contract's address in the settings.`
    })
  }
})

const emptyWallet = (network: LedgerNetwork, wallet: WalletAddress, funds: bigint, needed: bigint) =>
  new LedgerUnavailable({
    network: network.name,
    reason: `the service's wallet ${wallet} holds ${formatTokens(funds)} there and the gas may cost ${formatTokens(needed)}. The operator has to send it native tokens.`
  })

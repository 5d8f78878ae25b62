/**
 * The ports of core in memory, for tests of the use cases alone: every call is written down in order, each port can be told to
 * fail. Only tests need them; the daemon's adapters have tests of their own with a real store and a real chain.
 */
import { Context, Effect, Layer, Option } from "effect"
import { signPersonalMessage } from "../../packages/core/src/asset-tree/Signature.ts"
import { Charges, type Hold, InsufficientFunds } from "../../packages/core/src/charging/Charges.ts"
import { CommitReceipt } from "../../packages/core/src/commit/CommitReceipt.ts"
import { type CommitMade, type CommitPlan, Commits } from "../../packages/core/src/commit/Commits.ts"
import { refuseRepeated } from "../../packages/core/src/commit/SignedAct.ts"
import { walletAddress } from "../../packages/core/src/identity/WalletAddress.ts"
import { Acts } from "../../packages/core/src/ledger/Acts.ts"
import { ContentStore, type StorageUnavailable } from "../../packages/core/src/ledger/ContentStore.ts"
import {
  type CommitOutcome,
  CommitPending,
  Ledger,
  type LedgerUnavailable
} from "../../packages/core/src/ledger/Ledger.ts"
import { Registration, Registry } from "../../packages/core/src/ledger/Registry.ts"
import { type Amount, amount } from "../../packages/core/src/money/Amount.ts"
import { Prices } from "../../packages/core/src/money/PriceList.ts"
import { Signer, SignerUnavailable } from "../../packages/core/src/signing/Signer.ts"

export const COMMITTER = walletAddress("0x114e5E0dce98180c98ADC62E9Ac6Ea7184417ecd")
export const GAS_CEILING = 6_000_000_000_000_000n
export const GAS_PAID = 4_000_000_000_000_000n
export const TX_HASH = `0x${"7a".repeat(32)}`

/** What happens to money, as `hold 0.1`-like lines, and everything the other ports were asked. */
export class Trace extends Context.Service<
  Trace,
  {
    readonly charges: Array<string>
    readonly stored: Map<string, Uint8Array>
    readonly commits: Array<{ readonly network: string; readonly commitId: string; readonly commitData: string }>
    readonly signed: Array<string>
  }
>()("@treemark/test/layers/CommitPorts/Trace") {
  static readonly layer = Layer.sync(Trace, () => ({ charges: [], stored: new Map(), commits: [], signed: [] }))
}

export interface CommitPorts {
  readonly registered: ReadonlyArray<{ readonly assetCid: string; readonly assetSha256: string }>
  readonly privateKey: Uint8Array
  readonly funds?: Amount
  readonly signer?: "broken"
  readonly store?: Effect.Effect<void, StorageUnavailable>
  readonly quote?: Effect.Effect<Amount, LedgerUnavailable>
  readonly ledger?: Effect.Effect<never, LedgerUnavailable | StorageUnavailable> | CommitPending
}

/** Holds, captures and releases are written down; a hold over `funds` is refused. */
export const chargesLayer = (funds: Amount = amount(10n ** 30n)) =>
  Layer.effect(
    Charges,
    Effect.gen(function* () {
      const { charges } = yield* Trace
      return {
        hold: (request) => {
          if (request.amount > funds) {
            return Effect.fail(new InsufficientFunds({ needed: request.amount, credits: funds, tokens: amount(0n) }))
          }
          charges.push(`hold ${request.operation} ${request.reference} ${request.amount}`)
          return Effect.map(Prices, (prices) => ({
            id: `hold-${request.reference}`,
            price: prices[request.operation],
            ...request
          }))
        },
        capture: (hold: Hold, captured: Amount) =>
          Effect.sync(() => void charges.push(`capture ${hold.reference} ${captured}`)),
        release: (hold: Hold) => Effect.sync(() => void charges.push(`release ${hold.reference}`))
      }
    })
  )

const signerLayer = (ports: CommitPorts) =>
  Layer.effect(
    Signer,
    Effect.gen(function* () {
      const { signed } = yield* Trace
      return {
        signChecksum: (_, checksum) => {
          if (ports.signer === "broken") return Effect.fail(new SignerUnavailable({ cause: new Error("locked") }))
          signed.push(checksum)
          return Effect.succeed(signPersonalMessage(checksum, ports.privateKey))
        }
      }
    })
  )

const registryLayer = (ports: CommitPorts) =>
  Layer.succeed(Registry, {
    find: (assetCid) => {
      const found = ports.registered.find((asset) => asset.assetCid === assetCid)
      return Effect.succeed(
        Option.map(
          Option.fromUndefinedOr(found),
          (asset) => new Registration({ ...asset, encodingFormat: "image/png", size: 1 })
        )
      )
    }
  })

const contentLayer = Layer.effect(
  ContentStore,
  Effect.map(Trace, ({ stored }) => ({
    put: (cid, bytes) => Effect.sync(() => void stored.set(cid, bytes)),
    get: (cid) => Effect.succeed(Option.fromUndefinedOr(stored.get(cid))),
    locationOf: (cid) => `http://127.0.0.1:7053/ipfs/${cid}`
  }))
)

const ledgerLayer = (ports: CommitPorts) =>
  Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const { commits } = yield* Trace
      return {
        committerOf: () => COMMITTER,
        networkOf: (network) => NETWORKS[network],
        quote: () => ports.quote ?? Effect.succeed(amount(GAS_CEILING)),
        carry: ({ commitData, commitId, network }) =>
          Effect.suspend(() => {
            commits.push({ network, commitId, commitData })
            const { ledger } = ports
            return ledger === undefined || isPending(ledger) ? Effect.succeed(outcome) : ledger
          }),
        history: () => Effect.succeed([]),
        explorerUrl: (network, txHash) => `http://127.0.0.1:7053/explorer/${network}/tx/${txHash}`
      }
    })
  )

const isPending = (ledger: CommitPorts["ledger"]): ledger is CommitPending => ledger instanceof CommitPending

/** Money, trees and acts of commits: what is begun holds, what is concluded captures, what the ledger refuses gives everything back. */
const commitsLayer = (ports: CommitPorts) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { charges, stored } = yield* Trace
      const ledger = yield* Ledger
      const funds = ports.funds ?? amount(10n ** 30n)
      const made = new Map<string, CommitMade>()
      const plans = new Map<string, CommitPlan>()
      const holders = new Map<string, string>()
      const actOf = ({
        actSignature,
        network
      }: {
        readonly actSignature: string | undefined
        readonly network: string
      }) => `${network} ${actSignature}`
      const release = (commitId: string) =>
        Effect.sync(() => {
          charges.push(`release ${commitId}`)
          const plan = plans.get(commitId)
          if (plan !== undefined) holders.delete(actOf(plan))
        })
      const begin = Effect.fnUntraced(function* (plan: CommitPlan) {
        const { actSignature, assetCid, call, commitData, network, terms, tree } = plan
        if (terms.amount > funds) {
          return yield* new InsufficientFunds({ needed: terms.amount, credits: funds, tokens: amount(0n) })
        }
        if (actSignature !== undefined && (holders.get(actOf(plan)) ?? call.id) !== call.id)
          return yield* refuseRepeated
        if (ports.store !== undefined) yield* ports.store
        if (actSignature !== undefined) holders.set(actOf(plan), call.id)
        stored.set(tree.cid, tree.bytes)
        plans.set(call.id, plan)
        charges.push(`hold commit ${call.id} ${terms.amount}`)
        return { commitId: call.id, network, assetCid, assetTreeCid: tree.cid, commitData, transaction: undefined }
      })
      const commits = Commits.of({
        begin,
        again: (commitId) => Effect.succeed(Option.fromUndefinedOr(made.get(commitId))),
        attend: (work, carrying) =>
          isPending(ports.ledger)
            ? Effect.andThen(Effect.ignore(ledger.carry(work)), ports.ledger)
            : Effect.tapError(carrying, () => release(work.commitId)),
        conclude: ({ assetCid, assetTreeCid, commitId, network }, { gasPaid, txHash }) =>
          Effect.sync(() => {
            charges.push(`capture ${commitId} ${(plans.get(commitId)?.terms.price ?? 0n) + gasPaid}`)
            const explorer = ledger.explorerUrl(network, txHash)
            const answer = new CommitReceipt({ txHash, assetCid, assetTreeCid, explorer })
            made.set(commitId, { answer, receipt: undefined })
            return { answer, receipt: undefined }
          })
      })
      const acts = Acts.of({ holderOf: (act) => Effect.sync(() => holders.get(actOf(act))) })
      return Context.make(Commits, commits).pipe(Context.add(Acts, acts))
    })
  )

const NETWORKS = {
  mainnet: { name: "local", chainId: 7053001, contract: COMMITTER },
  testnet: { name: "local testnet", chainId: 7053002, contract: COMMITTER }
}

const outcome: CommitOutcome = {
  txHash: TX_HASH,
  place: { blockNumber: 1, blockHash: `0x${"00".repeat(32)}` },
  logIndex: 0,
  reason: null,
  gasUsed: 40_000n,
  gasPaid: amount(GAS_PAID),
  watched: false
}

/** Every port of a commit, and the trace of what they were asked. */
export const commitPorts = (ports: CommitPorts) =>
  commitsLayer(ports).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        chargesLayer(ports.funds),
        signerLayer(ports),
        registryLayer(ports),
        contentLayer,
        ledgerLayer(ports)
      )
    ),
    Layer.provideMerge(Trace.layer)
  )

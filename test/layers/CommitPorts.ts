/**
 * The ports of core in memory, for tests of the use cases alone: every call is written down in order, each port can be told to
 * fail. Only tests need them; the daemon's adapters have tests of their own with a real store and a real chain.
 */
import { Context, Effect, Layer, Option } from "effect"
import { signPersonalMessage } from "../../packages/core/src/asset-tree/Signature.ts"
import { Charges, type Hold, InsufficientFunds } from "../../packages/core/src/charging/Charges.ts"
import { walletAddress } from "../../packages/core/src/identity/WalletAddress.ts"
import { type ActClaim, Acts } from "../../packages/core/src/ledger/Acts.ts"
import { ContentStore, type StorageUnavailable } from "../../packages/core/src/ledger/ContentStore.ts"
import {
  type CommitPending,
  Ledger,
  LedgerEntry,
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
  readonly ledger?: Effect.Effect<never, LedgerUnavailable | CommitPending | StorageUnavailable>
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

const contentLayer = (ports: CommitPorts) =>
  Layer.effect(
    ContentStore,
    Effect.gen(function* () {
      const { stored } = yield* Trace
      return {
        put: (cid, bytes) =>
          Effect.andThen(
            ports.store ?? Effect.void,
            Effect.sync(() => void stored.set(cid, bytes))
          ),
        get: (cid) => Effect.succeed(Option.fromUndefinedOr(stored.get(cid))),
        locationOf: (cid) => `http://127.0.0.1:7053/ipfs/${cid}`
      }
    })
  )

/** A ledger that records charges what it recorded, as the port has it. */
const ledgerLayer = (ports: CommitPorts) =>
  Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const { charges, commits } = yield* Trace
      return {
        committerOf: () => COMMITTER,
        networkOf: (network) => NETWORKS[network],
        quote: () => ports.quote ?? Effect.succeed(amount(GAS_CEILING)),
        record: (network, { commitId, commitData }) => {
          commits.push({ network, commitId, commitData })
          if (ports.ledger !== undefined) return ports.ledger
          return Effect.map(Prices, (prices) => {
            charges.push(`capture ${commitId} ${prices.commit + GAS_PAID}`)
            return entry
          })
        },
        history: () => Effect.succeed([]),
        explorerUrl: (network, txHash) => `http://127.0.0.1:7053/explorer/${network}/tx/${txHash}`
      }
    })
  )

const NETWORKS = {
  mainnet: { name: "local", chainId: 7053001, contract: COMMITTER },
  testnet: { name: "local testnet", chainId: 7053002, contract: COMMITTER }
}

/** Each act is one commit's, until that one frees it. */
const actsLayer = Layer.sync(Acts, () => {
  const holders = new Map<string, string>()
  const keyOf = ({ actSignature, network }: Omit<ActClaim, "commitId">) => `${network} ${actSignature}`
  return {
    holderOf: (act) => Effect.sync(() => holders.get(keyOf(act))),
    claim: (claim) =>
      Effect.sync(() => {
        const holder = holders.get(keyOf(claim)) ?? claim.commitId
        holders.set(keyOf(claim), holder)
        return holder === claim.commitId
      }),
    release: (claim) => Effect.sync(() => void holders.delete(keyOf(claim)))
  }
})

const entry = new LedgerEntry({
  network: "local",
  chainId: 7053001,
  contract: COMMITTER,
  txHash: TX_HASH,
  blockNumber: 1,
  blockHash: `0x${"00".repeat(32)}`,
  logIndex: 0,
  recorder: COMMITTER,
  gasPaid: amount(GAS_PAID)
})

/** Every port of a commit, and the trace of what they were asked. */
export const commitPorts = (ports: CommitPorts) =>
  Layer.mergeAll(
    chargesLayer(ports.funds),
    signerLayer(ports),
    registryLayer(ports),
    contentLayer(ports),
    ledgerLayer(ports),
    actsLayer
  ).pipe(Layer.provideMerge(Trace.layer))

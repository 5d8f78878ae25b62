/**
 * The ports of core in memory (`@treemark/core/memory`) with what tests need around them: what each was asked is written down in order, and
 * each can be told to fail. The daemon's adapters have tests of their own with a real store and a real chain.
 */
import { Context, Effect, Layer } from "effect"
import type { Charges } from "../../packages/core/src/charging/Charges.ts"
import { Commits } from "../../packages/core/src/commit/Commits.ts"
import { walletAddress } from "../../packages/core/src/identity/WalletAddress.ts"
import { ContentStore, type StorageUnavailable } from "../../packages/core/src/ledger/ContentStore.ts"
import { CommitPending, Ledger, type LedgerUnavailable } from "../../packages/core/src/ledger/Ledger.ts"
import { Registration } from "../../packages/core/src/ledger/Registry.ts"
import { booksInMemory, MemoryBooks } from "../../packages/core/src/memory/MemoryBooks.ts"
import { chargesInMemory } from "../../packages/core/src/memory/MemoryCharges.ts"
import { commitsInMemory } from "../../packages/core/src/memory/MemoryCommits.ts"
import { contentInMemory, registryInMemory, signerInMemory } from "../../packages/core/src/memory/MemoryContent.ts"
import { ledgerInMemory } from "../../packages/core/src/memory/MemoryLedger.ts"
import { type Amount, amount } from "../../packages/core/src/money/Amount.ts"
import { Signer, SignerUnavailable } from "../../packages/core/src/signing/Signer.ts"

export const COMMITTER = walletAddress("0x114e5E0dce98180c98ADC62E9Ac6Ea7184417ecd")
export const GAS_CEILING = 6_000_000_000_000_000n
export const GAS_PAID = 4_000_000_000_000_000n
export const TX_HASH = `0x${"7a".repeat(32)}`

/** What happened to money, as `hold 0.1`-like lines, and everything the other ports were asked. */
export class Trace extends Context.Service<
  Trace,
  {
    readonly charges: ReadonlyArray<string>
    readonly stored: Map<string, Uint8Array>
    readonly commits: Array<{ readonly network: string; readonly commitId: string; readonly commitData: string }>
    readonly signed: Array<string>
  }
>()("@treemark/test/layers/CommitPorts/Trace") {
  static readonly layer = Layer.effect(
    Trace,
    Effect.map(MemoryBooks, ({ movements }) => ({
      get charges() {
        return movements.map(({ amount, kind, operation, reference }) => {
          if (kind === "hold") return `hold ${operation} ${reference} ${amount}`
          return kind === "capture" ? `capture ${reference} ${amount}` : `release ${reference}`
        })
      },
      stored: new Map(),
      commits: [],
      signed: []
    }))
  )
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

const traced = (funds: Amount = amount(10n ** 30n)) =>
  Trace.layer.pipe(Layer.provideMerge(booksInMemory(() => ({ credits: funds }))))

/** Charges by books whose accounts have `funds` in credits, and their trace. */
export const chargesLayer = (funds?: Amount): Layer.Layer<Charges | Trace | MemoryBooks> =>
  chargesInMemory.pipe(Layer.provideMerge(traced(funds)))

const signerLayer = (ports: CommitPorts) =>
  Layer.effect(
    Signer,
    Effect.gen(function* () {
      const { signed } = yield* Trace
      const { signChecksum } = yield* Signer
      return {
        signChecksum: (caller, checksum) => {
          if (ports.signer === "broken") return Effect.fail(new SignerUnavailable({ cause: new Error("locked") }))
          signed.push(checksum)
          return signChecksum(caller, checksum)
        }
      }
    })
  ).pipe(Layer.provide(signerInMemory(() => ports.privateKey)))

const contentLayer = (ports: CommitPorts) =>
  Layer.effect(
    ContentStore,
    Effect.gen(function* () {
      const { stored } = yield* Trace
      const content = yield* ContentStore
      return {
        ...content,
        put: (cid, bytes) =>
          (ports.store ?? Effect.void).pipe(
            Effect.andThen(content.put(cid, bytes)),
            Effect.tap(() => Effect.sync(() => stored.set(cid, bytes)))
          )
      }
    })
  ).pipe(Layer.provide(contentInMemory((cid) => `http://127.0.0.1:7053/ipfs/${cid}`)))

const NETWORKS = {
  mainnet: { name: "local", chainId: 7053001, contract: COMMITTER },
  testnet: { name: "local testnet", chainId: 7053002, contract: COMMITTER }
}

const ledgerLayer = (ports: CommitPorts) =>
  Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const { commits } = yield* Trace
      const ledger = yield* Ledger
      return {
        ...ledger,
        quote: (network, commit) => ports.quote ?? ledger.quote(network, commit),
        carry: (work) =>
          Effect.suspend(() => {
            const { commitData, commitId, network } = work
            commits.push({ network, commitId, commitData })
            if (ports.ledger !== undefined && !isPending(ports.ledger)) return ports.ledger
            return Effect.map(ledger.carry(work), (outcome) => ({ ...outcome, txHash: TX_HASH }))
          }),
        history: () => Effect.succeed([])
      }
    })
  ).pipe(
    Layer.provide(
      ledgerInMemory({
        committer: COMMITTER,
        networks: NETWORKS,
        gasCeiling: amount(GAS_CEILING),
        gasPaid: amount(GAS_PAID),
        explorerUrl: (network, txHash) => `http://127.0.0.1:7053/explorer/${network}/tx/${txHash}`
      })
    )
  )

const isPending = (ledger: CommitPorts["ledger"]): ledger is CommitPending => ledger instanceof CommitPending

/** Commits that nobody's patience outlasts, where the ledger is told to be pending. */
const pendingLayer = (ports: CommitPorts) =>
  Layer.effect(
    Commits,
    Effect.gen(function* () {
      const commits = yield* Commits
      const { carry } = yield* Ledger
      const { ledger } = ports
      if (!isPending(ledger)) return commits
      return { ...commits, attend: (work) => Effect.andThen(Effect.ignore(carry(work)), ledger) }
    })
  )

/** Every port of a commit, and the trace of what they were asked. */
export const commitPorts = (ports: CommitPorts) =>
  pendingLayer(ports).pipe(
    Layer.provideMerge(commitsInMemory),
    Layer.provideMerge(
      Layer.mergeAll(
        signerLayer(ports),
        contentLayer(ports),
        ledgerLayer(ports),
        registryInMemory(
          ports.registered.map((asset) => new Registration({ ...asset, encodingFormat: "image/png", size: 1 }))
        )
      )
    ),
    Layer.provideMerge(chargesLayer(ports.funds))
  )

/**
 * Where the layers of the daemon meet, below HTTP: store and wallets, networks and chains, books, content, jobs, and core's ports
 * over them. `Server.ts` puts the listeners on top; a command without a daemon uses the same services in its own process.
 */
import { join } from "node:path"
import { NodeCrypto } from "@effect/platform-node"
import { amount, type NetworkRole, Provider, UNITS_PER_TOKEN } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import * as AccessTokenStore from "./accounts/AccessTokenStore.ts"
import * as AccountStore from "./accounts/AccountStore.ts"
import * as AbandonedHolds from "./books/AbandonedHolds.ts"
import * as ChargesSql from "./books/ChargesSql.ts"
import * as FundsSql from "./books/FundsSql.ts"
import { Holds } from "./books/Holds.ts"
import * as IdempotencySql from "./books/IdempotencySql.ts"
import { Postings } from "./books/Postings.ts"
import { WalletDebt } from "./books/WalletDebt.ts"
import * as AssetStore from "./content/AssetStore.ts"
import * as BlockFolder from "./content/BlockFolder.ts"
import { CommitJobs } from "./jobs/CommitJobs.ts"
import { CommitSettlement } from "./jobs/CommitSettlement.ts"
import { FinishedCommits } from "./jobs/FinishedCommits.ts"
import { Outbox } from "./jobs/Outbox.ts"
import * as TransferJobs from "./jobs/TransferJobs.ts"
import * as Balances from "./ledger/Balances.ts"
import { CommitTerms } from "./ledger/CommitTerms.ts"
import * as EvmLedger from "./ledger/EvmLedger.ts"
import { Explorer } from "./ledger/Explorer.ts"
import { LocalChains } from "./ledger/embedded/LocalChains.ts"
import { Networks } from "./ledger/Networks.ts"
import { type Profile, profileOf } from "./ledger/Profile.ts"
import { Settings } from "./Settings.ts"
import * as Migrations from "./store/Migrations.ts"
import * as Sqlite from "./store/Sqlite.ts"
import { HdWallets, SERVICE_WALLET } from "./wallets/HdWallets.ts"
import { Seed } from "./wallets/Seed.ts"
import * as WalletSigner from "./wallets/WalletSigner.ts"

/** The data store of a data folder. */
export const storeFile = (home: string): string => join(home, "treemark.db")

/** What readers call this daemon, without a path: known only once the port is. */
export class PublicUrl extends Context.Service<PublicUrl, string>()("@treemark/daemon/Services/PublicUrl") {}

/** What the service's wallet holds on an embedded chain when the daemon starts: gas for about a quarter of a million commits. */
const COMMITTER_FUNDS = amount(1_000n * UNITS_PER_TOKEN)

const storage = (settings: Settings["Service"]) =>
  HdWallets.layer.pipe(
    Layer.provideMerge(
      Seed.layerOfStore({ home: settings.home, password: Option.getOrUndefined(settings.seedPassword) })
    ),
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(Sqlite.layer({ filename: storeFile(settings.home) })),
    Layer.provideMerge(NodeCrypto.layerSecureRandom)
  )

const networks = (settings: Settings["Service"], profile: Profile) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { chains } = yield* LocalChains
      const url = yield* PublicUrl
      const source = (role: NetworkRole) => {
        const chain = chains[role]
        return chain === undefined ? {} : { [role]: { ...chain, explorer: () => `${url}/explorer/${role}/tx/HASH` } }
      }
      return Networks.layer({
        profile,
        embedded: { ...source("mainnet"), ...source("testnet") },
        rpcTimeout: settings.rpcTimeout,
        maxFeeGwei: settings.maxFeeGwei
      })
    })
  ).pipe(Layer.provideMerge(LocalChains.layer({ home: settings.home, profile })))

/** The committer can pay gas from the first commit on; only embedded chains have tokens to give away. */
const fundCommitter = Layer.effectDiscard(
  Effect.gen(function* () {
    const { chains, fund } = yield* LocalChains
    const committer = (yield* HdWallets).address(SERVICE_WALLET)
    yield* Effect.forEach(
      Object.keys(chains) as ReadonlyArray<NetworkRole>,
      (role) => fund(role, committer, COMMITTER_FUNDS),
      {
        concurrency: "unbounded",
        discard: true
      }
    )
  })
)

const books = AbandonedHolds.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ChargesSql.layer, FundsSql.layer, IdempotencySql.layer)),
  Layer.provideMerge(WalletDebt.layer),
  Layer.provideMerge(Layer.mergeAll(Postings.layer, Holds.layer))
)

const accounts = (profile: Profile) =>
  WalletSigner.layer.pipe(
    Layer.provideMerge(AccountStore.layer),
    Layer.provideMerge(AccessTokenStore.layer),
    Layer.provide(LocalChains.layerFaucet(profile))
  )

const content = (settings: Settings["Service"]) =>
  Layer.unwrap(
    Effect.map(PublicUrl, (publicUrl) =>
      AssetStore.layer.pipe(Layer.provideMerge(BlockFolder.layer({ folder: join(settings.home, "blocks"), publicUrl })))
    )
  )

const ledger = (settings: Settings["Service"]) =>
  Layer.mergeAll(EvmLedger.layer, Explorer.layer, FinishedCommits.layer, TransferJobs.layer()).pipe(
    Layer.provideMerge(CommitJobs.layer({ deadline: settings.commitTimeout })),
    Layer.provideMerge(CommitSettlement.layer),
    Layer.provideMerge(Layer.mergeAll(CommitTerms.layer, Outbox.layer()))
  )

/** Everything below HTTP, for the settings given; needs to know its public URL. */
export const servicesLayer = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const profile = yield* profileOf(settings.profile, settings.profiles)
    return Layer.mergeAll(content(settings), ledger(settings), accounts(profile)).pipe(
      Layer.provideMerge(fundCommitter),
      Layer.provideMerge(books),
      Layer.provideMerge(Balances.layer),
      Layer.provideMerge(networks(settings, profile)),
      Layer.provideMerge(storage(settings)),
      Layer.provideMerge(Layer.succeed(Provider, settings.provider))
    )
  })
)

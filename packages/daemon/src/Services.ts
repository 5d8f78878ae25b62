/**
 * Where the layers of the daemon meet, below HTTP: store and wallets, networks and chains, books, content, jobs, and core's ports
 * over them. `Server.ts` puts the listeners on top; a command without a daemon uses the same services in its own process.
 */
import { join } from "node:path"
import { NodeCrypto } from "@effect/platform-node"
import {
  amount,
  type ContentStore,
  type NetworkRole,
  Provider,
  type StorageUnavailable,
  TREE_FORMATS,
  TreeFormat,
  UNITS_PER_TOKEN
} from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import * as AccessTokenStore from "./accounts/AccessTokenStore.ts"
import { AccountClosing } from "./accounts/AccountClosing.ts"
import * as AccountStore from "./accounts/AccountStore.ts"
import { OwnLists } from "./accounts/OwnLists.ts"
import * as PairingStore from "./accounts/PairingStore.ts"
import * as SessionStore from "./accounts/SessionStore.ts"
import { Statements } from "./accounts/Statements.ts"
import * as WalletSigner from "./accounts/WalletSigner.ts"
import * as AbandonedHolds from "./books/AbandonedHolds.ts"
import { Additions } from "./books/Additions.ts"
import * as ChargesSql from "./books/ChargesSql.ts"
import { Holds } from "./books/Holds.ts"
import * as IdempotencySql from "./books/IdempotencySql.ts"
import { Postings } from "./books/Postings.ts"
import * as Settlement from "./books/Settlement.ts"
import { WalletDebt } from "./books/WalletDebt.ts"
import * as ActsSql from "./commits/ActsSql.ts"
import * as CommitStatesSql from "./commits/CommitStatesSql.ts"
import * as CommitsSql from "./commits/CommitsSql.ts"
import { CommitTerms } from "./commits/CommitTerms.ts"
import * as EvmLedger from "./commits/EvmLedger.ts"
import { FinishedCommits } from "./commits/FinishedCommits.ts"
import { NamedAssets } from "./commits/NamedAssets.ts"
import * as TransferJobs from "./commits/TransferJobs.ts"
import { AuthorWatch } from "./commits/watch/AuthorWatch.ts"
import * as AssetStore from "./content/AssetStore.ts"
import * as BlockFolder from "./content/BlockFolder.ts"
import { StorageQuota, TokenStorageQuota } from "./content/StorageQuota.ts"
import * as TreeTable from "./content/TreeTable.ts"
import { LocalChains } from "./devchain/LocalChains.ts"
import * as Balances from "./evm/Balances.ts"
import { Explorer } from "./evm/Explorer.ts"
import { Networks } from "./evm/Networks.ts"
import { Outbox } from "./evm/Outbox.ts"
import { type Profile, profileOf } from "./evm/Profile.ts"
import { Audit } from "./keeping/Audit.ts"
import { Backup } from "./keeping/Backup.ts"
import { StoredBlocks } from "./keeping/StoredBlocks.ts"
import * as S3Settings from "./S3Settings.ts"
import { Settings, type SettingsError } from "./Settings.ts"
import * as Replicas from "./store/Replicas.ts"
import { Snapshot } from "./store/Snapshot.ts"
import * as Store from "./store/Store.ts"
import { CommitterCount } from "./wallets/CommitterCount.ts"
import { HdWallets } from "./wallets/HdWallets.ts"
import { Seed } from "./wallets/Seed.ts"

/** What readers call this daemon, without a path: known only once the port is. */
export class PublicUrl extends Context.Service<PublicUrl, string>()("@treemark/daemon/Services/PublicUrl") {}

type StoreError = Layer.Error<ReturnType<typeof Store.layer>> | Layer.Error<ReturnType<typeof Replicas.layer>>
type DataStore = Layer.Layer<SqlClient.SqlClient, StoreError, SecureRandom.SecureRandom>

/** On a database this daemon is one of several, and says so before it does anything else. */
const dataStore = (settings: Settings["Service"], profile: Profile): DataStore => {
  const store = Store.layer(settings)
  const embedded = Object.values(profile.roles).includes("embedded")
  return Option.match(settings.databaseUrl, {
    onNone: (): DataStore => store,
    onSome: (url): DataStore => Replicas.layer({ url, embedded }).pipe(Layer.provideMerge(store))
  })
}

const storage = (settings: Settings["Service"], profile: Profile) =>
  HdWallets.layer.pipe(
    Layer.provideMerge(
      Seed.layerOfStore({ home: settings.home, password: Option.getOrUndefined(settings.seedPassword) })
    ),
    Layer.provideMerge(dataStore(settings, profile)),
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
        maxFeeGwei: settings.maxFeeGwei,
        confirmations: settings.confirmations,
        watchBlocks: settings.watchBlocks
      })
    })
  ).pipe(Layer.provideMerge(LocalChains.layer({ home: settings.home, profile, rpcTimeout: settings.rpcTimeout })))

const treeFormat = Layer.effect(
  TreeFormat,
  Effect.map(Networks, (networks) => ({ on: (role: NetworkRole) => TREE_FORMATS[networks.role(role).treeFormat] }))
)

const books = AbandonedHolds.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ChargesSql.layer, IdempotencySql.layer, Statements.layer, Additions.layer)),
  Layer.provideMerge(WalletDebt.layer),
  Layer.provideMerge(Layer.mergeAll(Postings.layer, Holds.layer, Snapshot.layer))
)

/** Tokens of the account that the first sign-in makes: only those of embedded chains are ours to give. */
const firstTokensOn = (profile: Profile) => amount(profile.roles.mainnet === "embedded" ? 100n * UNITS_PER_TOKEN : 0n)

const accounts = (profile: Profile) =>
  Layer.mergeAll(
    WalletSigner.layer,
    PairingStore.layer,
    SessionStore.layer({ firstTokens: firstTokensOn(profile) })
  ).pipe(
    Layer.provideMerge(AccountStore.layer),
    Layer.provideMerge(Layer.merge(AccessTokenStore.layer, OwnLists.layer)),
    Layer.provide(LocalChains.layerFaucet(profile))
  )

type BlockStore = Layer.Layer<
  ContentStore | BlockFolder.BlockFolder,
  SettingsError | StorageUnavailable,
  SqlClient.SqlClient
>

const contentFolder = (settings: Settings["Service"]): string =>
  Option.getOrElse(settings.contentFolder, () => join(settings.home, "blocks"))

const storedBlocks = (settings: Settings["Service"]) =>
  Option.isSome(settings.contentUrl) ? StoredBlocks.layerOfStore : StoredBlocks.layerOfFolder(contentFolder(settings))

const content = (settings: Settings["Service"]) =>
  Layer.unwrap(
    Effect.map(PublicUrl, (publicUrl) =>
      AssetStore.layer.pipe(
        Layer.provideMerge(
          Option.match(settings.contentUrl, {
            onNone: (): BlockStore =>
              Layer.provide(
                TreeTable.layer,
                BlockFolder.layer({
                  folder: contentFolder(settings),
                  publicUrl,
                  isOwn: Option.isNone(settings.contentFolder)
                })
              ),
            onSome: (contentUrl) =>
              Layer.provide(TreeTable.layerReading, S3Settings.layer(contentUrl, settings, publicUrl))
          })
        )
      )
    )
  )

const ledger = (settings: Settings["Service"]) =>
  Layer.mergeAll(
    CommitsSql.layer({ deadline: settings.commitTimeout }),
    ActsSql.layer,
    Explorer.layer,
    FinishedCommits.layer,
    NamedAssets.layer,
    CommitStatesSql.layer,
    AuthorWatch.layer,
    TransferJobs.layer()
  ).pipe(
    Layer.provideMerge(EvmLedger.layer),
    Layer.provideMerge(Layer.mergeAll(CommitTerms.layer, Outbox.layer({ replaceAfter: settings.replaceAfter })))
  )

/** Everything below HTTP, for the settings given; needs to know its public URL. */
export const servicesLayer = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const profile = yield* profileOf(settings.profile, settings.profiles)
    return Layer.mergeAll(
      AccountClosing.layer.pipe(Layer.provideMerge(Settlement.layer)),
      Audit.layer.pipe(Layer.provide(storedBlocks(settings))),
      Backup.layer(settings)
    ).pipe(
      Layer.provideMerge(Layer.merge(ledger(settings), accounts(profile))),
      Layer.provideMerge(content(settings)),
      Layer.provideMerge(books),
      Layer.provideMerge(Layer.merge(Balances.layer, treeFormat)),
      Layer.provideMerge(networks(settings, profile)),
      Layer.provideMerge(storage(settings, profile)),
      Layer.provideMerge(Layer.succeed(Provider, settings.provider)),
      Layer.provideMerge(Layer.succeed(CommitterCount, settings.committers)),
      Layer.provideMerge(Layer.succeed(StorageQuota, settings.storageQuota)),
      Layer.provideMerge(Layer.succeed(TokenStorageQuota, settings.tokenStorageQuota))
    )
  })
)

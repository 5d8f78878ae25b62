/**
 * The ledger side of the daemon on real parts: a real store file, the real books, our wallets, and chains of the test's choice.
 * `daemon` opens it all on a file, as a start of the daemon does; closing its scope is the end of the process.
 */
import { join } from "node:path"
import { mnemonicToSeedSync } from "@scure/bip39"
import {
  amount,
  Caller,
  type CommitPlan,
  Commits,
  ContentStore,
  carryCommit,
  cidOf,
  type NetworkRole,
  Prices,
  RAW_CODE,
  treeCidOf,
  walletAddress
} from "@treemark/core"
import { Duration, Effect, Layer, Option, Redacted, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createPublicClient, createTestClient, type Hex } from "viem"
import * as AccessTokenStore from "../../../packages/daemon/src/accounts/AccessTokenStore.ts"
import * as AccountStore from "../../../packages/daemon/src/accounts/AccountStore.ts"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import * as ChargesSql from "../../../packages/daemon/src/books/ChargesSql.ts"
import { Holds } from "../../../packages/daemon/src/books/Holds.ts"
import { Postings } from "../../../packages/daemon/src/books/Postings.ts"
import { WalletDebt } from "../../../packages/daemon/src/books/WalletDebt.ts"
import { eventsOf } from "../../../packages/daemon/src/commits/CommitHistory.ts"
import { type CommitRow, entryOfRow } from "../../../packages/daemon/src/commits/CommitRow.ts"
import * as CommitsSql from "../../../packages/daemon/src/commits/CommitsSql.ts"
import { CommitTerms } from "../../../packages/daemon/src/commits/CommitTerms.ts"
import * as EvmLedger from "../../../packages/daemon/src/commits/EvmLedger.ts"
import * as TransferJobs from "../../../packages/daemon/src/commits/TransferJobs.ts"
import { LocalFaucet } from "../../../packages/daemon/src/devchain/LocalFaucet.ts"
import * as Balances from "../../../packages/daemon/src/evm/Balances.ts"
import { commitDeployedBytecode } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { Explorer } from "../../../packages/daemon/src/evm/Explorer.ts"
import { Networks, type NetworksOptions } from "../../../packages/daemon/src/evm/Networks.ts"
import { Outbox, type OutboxOptions } from "../../../packages/daemon/src/evm/Outbox.ts"
import type { LedgerChain, Profile } from "../../../packages/daemon/src/evm/Profile.ts"
import * as Replicas from "../../../packages/daemon/src/store/Replicas.ts"
import { CommitterCount } from "../../../packages/daemon/src/wallets/CommitterCount.ts"
import { HdWallets, walletsOf } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { patientHttp, startAnvil } from "../../layers/Anvil.ts"
import { databaseUrl, storeLayer, tempFolder } from "../store/TempStore.ts"

export const TOKEN = 10n ** 18n
export const ANVIL_CHAIN = 31_337
export const CONTRACT = walletAddress("0x0000000000000000000000000000000000007053")

/** The wallets of anvil's well-known words: index 0 is its first account, which is rich. */
export const WALLETS = walletsOf(Redacted.make(mnemonicToSeedSync(`${"test ".repeat(11)}junk`)))

/** A CID for a word, to have as many assets as a test wants. */
export const assetCid = (word: string): string => cidOf(RAW_CODE, new TextEncoder().encode(word))

export interface DaemonOptions {
  readonly filename: string
  readonly networks: NetworksOptions
  readonly deadline?: Duration.Duration
  readonly outbox?: OutboxOptions
  readonly committers?: number
}

const noFaucet = Layer.succeed(LocalFaucet, LocalFaucet.of({ fund: () => Effect.void }))

/** The store; on PostgreSQL as a replica. */
const storeOf = (filename: string) => {
  const url = databaseUrl(filename)
  if (url === undefined) return storeLayer(filename)
  const replica = Replicas.layer({ url, embedded: false }).pipe(Layer.provide(SecureRandom.layerWebCrypto))
  return replica.pipe(Layer.provideMerge(storeLayer(filename))) as ReturnType<typeof storeLayer>
}

/** Trees are not what is tested here. */
const noTrees = Layer.succeed(ContentStore, {
  put: () => Effect.void,
  get: () => Effect.succeed(Option.none()),
  locationOf: (cid) => cid
})

export const daemon = ({
  filename,
  networks,
  deadline = Duration.seconds(30),
  outbox,
  committers = 1
}: DaemonOptions) => {
  return Layer.mergeAll(CommitsSql.layer({ deadline }), TransferJobs.layer({ deadline }), Explorer.layer).pipe(
    Layer.provideMerge(Layer.merge(EvmLedger.layer, noTrees)),
    Layer.provideMerge(Layer.mergeAll(Outbox.layer(outbox), CommitTerms.layer)),
    Layer.provideMerge(Layer.mergeAll(ChargesSql.layer, AccountStore.layer)),
    Layer.provideMerge(WalletDebt.layer),
    Layer.provideMerge(Layer.mergeAll(AccessTokenStore.layer, Balances.layer, noFaucet, Postings.layer, Holds.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        Networks.layer(networks),
        Layer.succeed(HdWallets, HdWallets.of(WALLETS)),
        SecureRandom.layerWebCrypto,
        Layer.succeed(References.MinimumLogLevel, "None"),
        Layer.succeed(CommitterCount, committers),
        storeOf(filename)
      )
    )
  )
}

export type Daemon = Layer.Success<ReturnType<typeof daemon>>

/** A file for a store that goes with the scope. */
export const storeFile = Effect.map(tempFolder, (folder) => join(folder, "treemark.db"))

/** A ledger chain of a profile at `url`. */
export const chainAt = (name: string, url: string, chainId = ANVIL_CHAIN): LedgerChain => ({
  name,
  chain_id: chainId,
  rpc: Redacted.make(url),
  contract: CONTRACT,
  explorer: "https://explorer.example/tx/HASH"
})

/** A profile whose two roles are one chain at `url`. */
export const profileAt = (url: string, chainId = ANVIL_CHAIN): Profile => ({
  name: "test",
  roles: { mainnet: chainAt("anvil", url, chainId), testnet: chainAt("anvil too", url, chainId) },
  networks: []
})

/** An anvil with our commit contract, and clients to look at it and to steer it. */
export const anvilWithContract = (extraArgs: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const anvil = yield* startAnvil({ chainId: ANVIL_CHAIN, extraArgs })
    const steer = createTestClient({ mode: "anvil", transport: patientHttp(anvil.url) })
    const client = createPublicClient({ transport: patientHttp(anvil.url), cacheTime: 0 })
    yield* Effect.promise(() => steer.setCode({ address: CONTRACT as Hex, bytecode: commitDeployedBytecode }))
    return { ...anvil, steer, client }
  })

/** The caller of the account `name`, which is opened with credits for many commits when it is not there. */
export const callerNamed = Effect.fnUntraced(function* (name: string) {
  const accounts = yield* Accounts
  const request = { name, serviceName: name, credits: amount(100n * TOKEN), tokens: amount(0n) }
  return yield* accounts.find(name).pipe(
    Effect.catchTag("AccountNotFound", () => Effect.map(accounts.create(request), ({ account }) => account)),
    Effect.map(callerOf)
  )
})

const callerOf = ({
  id,
  name,
  serviceName,
  wallet
}: Pick<Caller, "name" | "serviceName" | "wallet"> & { id: Caller["accountId"] }) =>
  new Caller({ accountId: id, name, serviceName, wallet })

export const creditsOf = Effect.fnUntraced(function* (name: string) {
  return (yield* (yield* Accounts).find(name)).credits
})

/** A commit as it was planned, for 0.1 and at most 0.1 of gas. */
export const order = (caller: Caller, commitId: string, word = commitId) =>
  Effect.map(Prices, (prices): CommitPlan => {
    const bytes = new TextEncoder().encode(commitId)
    return {
      call: { id: commitId, key: undefined, isNew: false },
      caller,
      network: ROLE,
      assetCid: assetCid(word),
      tree: { cid: treeCidOf(bytes), bytes },
      commitData: JSON.stringify({ commitId, padding: "x".repeat(560) }),
      actSignature: undefined,
      terms: { amount: amount(TOKEN / 5n), price: prices.commit },
      priceListVersion: prices.version
    }
  })

/** Begins a commit, or finds it begun, and waits for its end, as the use case does; answers where it stands. */
export const record = Effect.fnUntraced(function* (plan: CommitPlan) {
  const commits = yield* Commits
  const before = yield* commits.again(plan.call.id)
  if (Option.isNone(before)) {
    const work = yield* commits.begin(plan)
    yield* commits.attend(work, carryCommit(work))
  }
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<CommitRow>`SELECT * FROM commit_job WHERE id = ${plan.call.id}`
  if (row === undefined) return yield* Effect.die(new Error(`There is no commit ${plan.call.id}.`))
  return entryOfRow((yield* Networks).role(plan.network), row)
})

export interface JobRow {
  readonly state: string
  readonly nonce: number | null
  readonly raw_tx: string | null
  readonly tx_hash: string | null
  readonly error: string | null
  readonly hold_state: string
  readonly captured: string | null
  readonly block_number: number | bigint | null
  readonly gas_price: string | null
  readonly watched: number
}

/** A commit's row with its hold. */
export const jobOf = Effect.fnUntraced(function* (commitId: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<JobRow>`SELECT commit_job.*, hold.state AS hold_state, hold.captured
    FROM commit_job LEFT JOIN hold ON hold.id = commit_job.hold_id WHERE commit_job.id = ${commitId}`
  return rows[0]
})

/** What happened to a commit, by name, oldest first. */
export const historyOf = (commitId: string) =>
  Effect.map(eventsOf(commitId), (events) => events.map(({ what }) => what))

/** Waits until `look` answers what satisfies `isDone`, five minutes at most; answers the last look. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isDone: (found: A) => boolean) =>
  Effect.gen(function* () {
    for (let left = 15_000; ; left--) {
      const found = yield* look
      if (isDone(found) || left === 0) return found
      yield* Effect.sleep("20 millis")
    }
  })

export const ROLE: NetworkRole = "mainnet"

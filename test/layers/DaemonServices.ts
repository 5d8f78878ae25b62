/**
 * What the HTTP side stands on, in memory: the ports of a commit (CommitPorts), two accounts, one registered asset, and switches
 * for the faults that real parts do not show on demand. Only tests of the HTTP side need it.
 */
import {
  AccountId,
  amount,
  Caller,
  IdempotencyKeyInUse,
  Ledger,
  type LedgerCommit,
  LedgerUnavailable,
  NativeBalance,
  STATEMENT_MEDIA_TYPE,
  type Statement,
  StorageUnavailable,
  UNITS_PER_TOKEN,
  walletAddress
} from "@treemark/core"
import { Deferred, Effect, Layer, Logger, Option, Redacted, Stream } from "effect"
import { AccessTokens, AccountDisabled, InvalidToken } from "../../packages/daemon/src/accounts/AccessTokens.ts"
import { Account, AccountNotFound, Accounts } from "../../packages/daemon/src/accounts/Accounts.ts"
import { OwnLists } from "../../packages/daemon/src/accounts/OwnLists.ts"
import { Pairing } from "../../packages/daemon/src/accounts/Pairing.ts"
import { CodeRefused, SessionOver, Sessions } from "../../packages/daemon/src/accounts/Sessions.ts"
import { Statements } from "../../packages/daemon/src/accounts/Statements.ts"
import { Idempotency, IdempotencyKeyReused, type StoredAnswer } from "../../packages/daemon/src/books/Idempotency.ts"
import { Receipts } from "../../packages/daemon/src/books/Receipts.ts"
import { CommitStates } from "../../packages/daemon/src/commits/CommitStates.ts"
import { FinishedCommits } from "../../packages/daemon/src/commits/FinishedCommits.ts"
import { Assets, RegisteredAsset } from "../../packages/daemon/src/content/Assets.ts"
import type { ExplorerTransaction } from "../../packages/daemon/src/evm/Explorer.ts"
import { Networks } from "../../packages/daemon/src/evm/Networks.ts"
import { EmbeddedRpc } from "../../packages/daemon/src/http/embedded-rpc/EmbeddedRpcPort.ts"
import { ExplorerData } from "../../packages/daemon/src/http/explorer/ExplorerData.ts"
import { Readiness, type ReadinessCheck } from "../../packages/daemon/src/http/service/Readiness.ts"
import { COMMITTER, type CommitPorts, commitPorts } from "./CommitPorts.ts"

export const TOKEN = "tmk_good"
export const DISABLED_TOKEN = "tmk_disabled"
export const WALLET = walletAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
export const ASSET_CID = "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m"
export const ASSET_SHA256 = "44440a4e5b86e279e8c91c3f261853bd454962dd9c87f9b9958434849e7c7e9b"

const ACCOUNT_ID = AccountId.make("acc_00000000000000000001")

/** Switches and records of one running fixture. */
export interface World {
  /** Network whose balance cannot be read. */
  silentNetwork: string | undefined
  /** The token store cannot be used. */
  brokenStore: boolean
  /** A bug: the mainnet balance dies with this. */
  bug: Error | undefined
  checks: ReadonlyArray<ReadinessCheck>
  history: ReadonlyArray<LedgerCommit>
  transaction: ExplorerTransaction | undefined
  /** Commits that reached the ledger, and those that ended. */
  readonly recording: Array<string>
  readonly recorded: Array<string>
  /** When set, the ledger takes no commit before it is done. */
  gate: Deferred.Deferred<void> | undefined
  /** Sizes of uploads, chunk by chunk, as they came. */
  readonly uploaded: Array<number>
  /** Lines of the log, as JSON. */
  readonly log: Array<string>
}

export const makeWorld = (): World => ({
  silentNetwork: undefined,
  brokenStore: false,
  bug: undefined,
  checks: [{ name: "store", ok: true, detail: "open" }],
  history: [],
  transaction: undefined,
  recording: [],
  recorded: [],
  gate: undefined,
  uploaded: [],
  log: []
})

/** Every service of the HTTP side; `local` adds those of the `local` profile. */
export const daemonServices = (
  world: World,
  options: { readonly ports?: Partial<CommitPorts>; readonly local?: boolean } = {}
) => {
  const ports = commitPorts({
    registered: [{ assetCid: ASSET_CID, assetSha256: ASSET_SHA256 }],
    privateKey: new Uint8Array(32).fill(7),
    ...options.ports
  })
  const base = Layer.mergeAll(
    ledgerLayer(world).pipe(Layer.provideMerge(ports)),
    nativeBalanceLayer(world),
    tokensLayer(world),
    accountsLayer,
    sessionsLayer,
    Layer.mock(Pairing, {}),
    Layer.succeed(Networks, {
      profile: "test",
      role: () => Effect.runSync(Effect.die("no network here")),
      balances: []
    }),
    Layer.mock(FinishedCommits, { newestOfTree: () => Effect.succeedNone }),
    idempotencyLayer,
    Layer.mock(Receipts, { ofWork: () => Effect.succeed(Option.none()) }),
    Layer.succeed(Statements, { of: () => Effect.succeed(STATEMENT) }),
    Layer.succeed(CommitStates, { find: (_, id) => Effect.succeed(Option.some({ ...COMMIT_STATE, id })) }),
    assetsLayer(world),
    Layer.succeed(OwnLists, {
      assets: () => Effect.succeed({ items: [], next: null }),
      commits: () => Effect.succeed({ items: [], next: null }),
      events: () => Effect.succeed([]),
      stored: () => Effect.succeed({ account: 12_000, token: 2_000 }),
      newestEvent: () => Effect.succeed("0")
    }),
    Layer.succeed(Readiness, { check: Effect.sync(() => world.checks) })
  )
  return Layer.mergeAll(base, options.local === true ? localLayer(world) : Layer.empty, logLayer(world))
}

const MOMENT = "2026-11-21T00:00:00.000Z"
const NOTHING = { credits: "0", owed: "0", receipt: null }
const STATEMENT: Statement = {
  mediaType: STATEMENT_MEDIA_TYPE,
  account: { id: ACCOUNT_ID, name: "alice", wallet: WALLET },
  service: COMMITTER,
  from: MOMENT,
  to: MOMENT,
  issuedAt: MOMENT,
  opening: NOTHING,
  movements: [],
  closing: NOTHING,
  signature: `0x${"00".repeat(65)}`
}
const COMMIT_STATE = {
  state: "held",
  txHash: null,
  assetCid: null,
  assetTreeCid: null,
  explorer: null,
  blockNumber: null,
  confirmations: null,
  charged: null,
  receipt: null,
  error: null,
  history: []
} as const

const logLayer = (world: World) => Logger.layer([Logger.map(Logger.formatJson, (line) => void world.log.push(line))])

const ledgerLayer = (world: World) =>
  Layer.effect(
    Ledger,
    Effect.map(Ledger, (ledger) => ({
      ...ledger,
      carry: (work) =>
        Effect.gen(function* () {
          world.recording.push(work.commitId)
          if (world.gate !== undefined) yield* Deferred.await(world.gate)
          const outcome = yield* ledger.carry(work)
          world.recorded.push(work.commitId)
          return outcome
        }),
      history: (network, assetCid) =>
        Effect.succeed(network === "mainnet" && assetCid === ASSET_CID ? world.history : [])
    }))
  )

const NETWORKS = [
  { name: "local mainnet", chainId: 7053001, kind: "native" as const },
  { name: "local testnet", chainId: 7053002, kind: "native" as const }
]

const nativeBalanceLayer = (world: World) => {
  const on = (name: string) =>
    Effect.suspend(() => {
      if (world.bug !== undefined) return Effect.die(world.bug)
      if (world.silentNetwork === name) {
        return Effect.fail(new LedgerUnavailable({ network: name, reason: "it did not answer." }))
      }
      return Effect.succeed(amount((3n * UNITS_PER_TOKEN) / 2n + 99_990_000_000_000n))
    })
  return Layer.succeed(NativeBalance, {
    networks: NETWORKS,
    onMainnet: () => on("local mainnet"),
    on: (network) => on(network.name)
  })
}

const tokensLayer = (world: World) =>
  Layer.mock(AccessTokens, {
    authenticate: (token) =>
      Effect.suspend((): Effect.Effect<Caller, InvalidToken | AccountDisabled | StorageUnavailable> => {
        if (world.brokenStore) {
          return Effect.fail(
            new StorageUnavailable({ doing: "a token was looked up", cause: new Error("disk secret") })
          )
        }
        switch (Redacted.value(token)) {
          case TOKEN:
            return Effect.succeed(
              new Caller({ accountId: ACCOUNT_ID, name: "alice", serviceName: "studio", wallet: WALLET })
            )
          case DISABLED_TOKEN:
            return Effect.fail(new AccountDisabled({ name: "bob" }))
          default:
            return Effect.fail(new InvalidToken({}))
        }
      })
  })

/** One code, which works once, and the one session it becomes. */
export const CODE = "good-code"
const SESSION = "good-session"

const sessionsLayer = Layer.sync(Sessions, () => {
  const codes = new Set([CODE])
  const sessions = new Set<string>()
  return Sessions.of({
    makeCode: () => Effect.succeed(Redacted.make(CODE)),
    signIn: (code) =>
      Effect.suspend(() => {
        if (!codes.delete(Redacted.value(code))) return Effect.fail(new CodeRefused())
        sessions.add(SESSION)
        return Effect.succeed(Redacted.make(SESSION))
      }),
    authenticate: (session) =>
      Effect.suspend(() =>
        sessions.has(Redacted.value(session))
          ? Effect.succeed(new Caller({ accountId: ACCOUNT_ID, name: "alice", serviceName: "studio", wallet: WALLET }))
          : Effect.fail(new SessionOver())
      ),
    end: (session) => Effect.sync(() => void sessions.delete(Redacted.value(session))),
    endAll: () => Effect.sync(() => sessions.clear())
  })
})

const accountsLayer = Layer.mock(Accounts, {
  find: (id) =>
    id === ACCOUNT_ID
      ? Effect.succeed(
          new Account({
            id: ACCOUNT_ID,
            name: "alice",
            serviceName: "studio",
            wallet: WALLET,
            walletIndex: 1,
            disabled: false,
            closed: false,
            createdAt: 0,
            credits: amount(UNITS_PER_TOKEN / 8n)
          })
        )
      : Effect.fail(new AccountNotFound({ account: id }))
})

/** Idempotency in memory, with the rules of its contract. */
const idempotencyLayer = Layer.sync(Idempotency, () => {
  const answers = new Map<string, { readonly fingerprint: string; answer: StoredAnswer | undefined }>()
  let works = 0
  return Idempotency.of({
    run: ({ accountId, operation, key, fingerprint }, call) =>
      Effect.gen(function* () {
        const work = { id: `work-${++works}`, key: undefined, isNew: true }
        if (key === undefined) return { answer: yield* call(work), replayed: false }
        const name = [accountId, operation, key].join(" ")
        const known = answers.get(name)
        if (known !== undefined && known.fingerprint !== fingerprint) return yield* new IdempotencyKeyReused({ key })
        if (known !== undefined && known.answer === undefined) return yield* new IdempotencyKeyInUse({ key })
        if (known?.answer !== undefined) return { answer: known.answer, replayed: true }
        const kept: { readonly fingerprint: string; answer: StoredAnswer | undefined } = {
          fingerprint,
          answer: undefined
        }
        answers.set(name, kept)
        kept.answer = yield* call(work).pipe(Effect.onError(() => Effect.sync(() => answers.delete(name))))
        return { answer: kept.answer, replayed: false }
      })
  })
})

const assetsLayer = (world: World) =>
  Layer.mock(Assets, {
    register: (input) =>
      Effect.gen(function* () {
        let size = 0
        yield* Stream.runForEach(input.bytes, (chunk) =>
          Effect.sync(() => {
            size += chunk.length
            world.uploaded.push(chunk.length)
          })
        )
        return new RegisteredAsset({
          assetCid: ASSET_CID,
          assetSha256: ASSET_SHA256,
          encodingFormat: input.contentType ?? "application/octet-stream",
          size
        })
      })
  })

const localLayer = (world: World) =>
  Layer.mergeAll(
    Layer.succeed(EmbeddedRpc, {
      handle: (role, body) =>
        Effect.succeed(
          Array.isArray(body) ? undefined : JSON.stringify({ jsonrpc: "2.0", id: 1, result: { role, body } })
        )
    }),
    Layer.succeed(ExplorerData, {
      transaction: (_, hash) =>
        Effect.succeed(Option.filter(Option.fromUndefinedOr(world.transaction), (known) => known.hash === hash))
    })
  )

/** A transaction as an explorer shows it, with a commit of `commitData`. */
export const explorerTransaction = (commitData: string): ExplorerTransaction => ({
  hash: `0x${"7a".repeat(32)}`,
  network: "local <mainnet>",
  chainId: 7053001,
  status: "success",
  from: COMMITTER,
  to: COMMITTER,
  value: amount(0n),
  mined: {
    blockNumber: 7,
    blockHash: `0x${"bb".repeat(32)}`,
    timestamp: 1_780_000_000,
    gasUsed: 40_000n,
    gasPrice: amount(100_000_000_000n),
    fee: amount(4_000_000_000_000_000n)
  },
  commit: { assetCid: ASSET_CID, commitData, recorder: COMMITTER }
})

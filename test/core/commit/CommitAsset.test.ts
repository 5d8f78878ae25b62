/** The commit flow over its ports: what is signed, stored, recorded and charged, and that a failed commit costs nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { assetTreeOf } from "../../../packages/core/src/asset-tree/AssetTree.ts"
import { addressOfPrivateKey, recoverSigner } from "../../../packages/core/src/asset-tree/Signature.ts"
import { DagJson } from "../../../packages/core/src/asset-tree/TreeFormat.ts"
import { commitAsset } from "../../../packages/core/src/commit/CommitAsset.ts"
import { Provider } from "../../../packages/core/src/commit/PrepareCommit.ts"
import { AccountId, Caller } from "../../../packages/core/src/identity/Caller.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { StorageUnavailable } from "../../../packages/core/src/ledger/ContentStore.ts"
import { CommitPending, LedgerUnavailable } from "../../../packages/core/src/ledger/Ledger.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import {
  COMMITTER,
  type CommitPorts,
  commitPorts,
  GAS_CEILING,
  GAS_PAID,
  Trace,
  TX_HASH
} from "../../layers/CommitPorts.ts"
import { defaultAction, plainBody } from "../Generators.ts"

const privateKey = Buffer.from("46".repeat(32), "hex")
const caller = new Caller({
  accountId: AccountId.make("acc_0123456789abcdef"),
  name: "Ann",
  serviceName: "capture",
  wallet: walletAddress(addressOfPrivateKey(privateKey))
})
const asset = { assetCid: plainBody.assetCid, assetSha256: plainBody.assetSha256 }
const PRICE = 100_000_000_000_000_000n
const HELD = `hold commit commit-1 ${PRICE + GAS_CEILING}`

const ports = (change: Partial<CommitPorts> = {}) => commitPorts({ registered: [asset], privateKey, ...change })

/** Commits `plainBody` with `fields` in it. */
const commit = Effect.fnUntraced(function* (fields: { readonly [name: string]: unknown } = {}) {
  const request = yield* decodeCommitRequest({ ...plainBody, ...fields })
  const exit = yield* Effect.exit(
    commitAsset({ caller, request, call: { id: "commit-1", key: undefined, isNew: true } })
  )
  const trace = yield* Trace
  return { exit, trace, record: trace.commits[0] && JSON.parse(trace.commits[0].commitData) }
})

/** The typed error of a commit that must fail. */
const failure = Effect.fnUntraced(function* (fields: { readonly [name: string]: unknown } = {}) {
  const { exit, trace } = yield* commit(fields)
  const error = yield* Effect.flip(exit)
  return { error, trace }
})

describe("committing an asset", () => {
  it.effect("signs, stores, records and charges once, and answers the receipt", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_999)
      const { exit, trace, record } = yield* commit()
      const request = yield* decodeCommitRequest(plainBody)
      const tree = DagJson.encode(
        assetTreeOf({ request, author: caller.wallet, serviceName: "capture", signedAt: "daemon" })
      )
      assert.deepStrictEqual(
        { ...(yield* exit).answer },
        {
          txHash: TX_HASH,
          assetCid: asset.assetCid,
          assetTreeCid: tree.cid,
          explorer: `http://127.0.0.1:7053/explorer/mainnet/tx/${TX_HASH}`
        }
      )
      assert.deepStrictEqual([...trace.stored], [[tree.cid, tree.bytes]])
      const { assetTreeSignature, ...members } = record
      assert.deepStrictEqual(members, {
        assetTreeCid: tree.cid,
        assetTreeSha256: tree.sha256,
        author: caller.wallet,
        committer: COMMITTER,
        action: defaultAction.nid,
        actionName: "action-commit",
        actionResult: `http://127.0.0.1:7053/ipfs/${tree.cid}`,
        provider: "Treemark",
        abstract: "Action action-commit.",
        timestampCreated: 1_700_000_000
      })
      assert.deepStrictEqual(recoverSigner(tree.sha256, assetTreeSignature), { ok: true, signer: caller.wallet })
      assert.deepStrictEqual(trace.charges, [HELD, `capture commit-1 ${PRICE + GAS_PAID}`])
      assert.deepStrictEqual(
        trace.commits.map(({ network, commitId }) => [network, commitId]),
        [["mainnet", "commit-1"]]
      )
    }).pipe(Effect.provide(ports()))
  )

  it.effect("on the test network commits there", () =>
    Effect.gen(function* () {
      const { exit, trace } = yield* commit({ testnet: true })
      assert.include((yield* exit).answer.explorer, "/testnet/")
      assert.deepStrictEqual(
        trace.commits.map(({ network }) => network),
        ["testnet"]
      )
    }).pipe(Effect.provide(ports()))
  )

  it.effect("records the action, the message and the provider that were given", () =>
    Effect.gen(function* () {
      const { record } = yield* commit({ action: "action-mint-erc721-nft-jade", commitMessage: "Minted" })
      assert.deepInclude(record, {
        actionName: "action-mint-erc721-nft-jade",
        abstract: "Minted",
        provider: "Somebody"
      })
    }).pipe(Effect.provideService(Provider, "Somebody"), Effect.provide(ports()))
  )

  it.effect("records an author who did not sign as claimed: the signer stays the caller", () =>
    Effect.gen(function* () {
      const { record } = yield* commit({ author: COMMITTER.toLowerCase() })
      assert.strictEqual(record.author, COMMITTER)
      assert.deepStrictEqual(recoverSigner(record.assetTreeSha256, record.assetTreeSignature), {
        ok: true,
        signer: caller.wallet
      })
    }).pipe(Effect.provide(ports()))
  )
})

describe("a commit that cannot be", () => {
  it.effect("of an asset that is not registered is refused before anything is held", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "AssetNotRegistered")
      assert.include(error.message, asset.assetCid)
      assert.deepStrictEqual([trace.charges, trace.signed, trace.commits], [[], [], []])
    }).pipe(Effect.provide(ports({ registered: [] })))
  )

  it.effect("with another sha256 than the registration's is refused at /assetSha256", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure({ assetSha256: "0".repeat(64) })
      assert(error._tag === "InvalidFields")
      assert.deepStrictEqual(
        error.problems.map(({ path }) => path),
        ["/assetSha256"]
      )
      assert.include(error.message, asset.assetSha256)
      assert.deepStrictEqual([trace.charges, trace.signed], [[], []])
    }).pipe(Effect.provide(ports()))
  )

  it.effect("whose signer is locked holds nothing", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "SignerUnavailable")
      assert.deepStrictEqual(trace.charges, [])
    }).pipe(Effect.provide(ports({ signer: "broken" })))
  )

  it.effect("that no gas can be quoted for holds nothing", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "LedgerUnavailable")
      assert.deepStrictEqual(trace.charges, [])
    }).pipe(
      Effect.provide(ports({ quote: Effect.fail(new LedgerUnavailable({ network: "mainnet", reason: "no answer." })) }))
    )
  )

  it.effect("that the caller cannot pay stores and sends nothing", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "InsufficientFunds")
      assert.include(error.message, "0.106")
      assert.deepStrictEqual([trace.charges, trace.commits, [...trace.stored]], [[], [], []])
    }).pipe(Effect.provide(ports({ funds: amount(PRICE + GAS_CEILING - 1n) })))
  )

  it.effect("that needs exactly what the caller has is made", () =>
    Effect.gen(function* () {
      const { exit } = yield* commit()
      assert.isTrue(Exit.isSuccess(exit))
    }).pipe(Effect.provide(ports({ funds: amount(PRICE + GAS_CEILING) })))
  )
})

describe("a commit that breaks half way", () => {
  it.effect("at the ledger gives everything back and captures nothing", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "LedgerUnavailable")
      assert.deepStrictEqual(trace.charges, [HELD, "release commit-1"])
    }).pipe(
      Effect.provide(ports({ ledger: Effect.fail(new LedgerUnavailable({ network: "mainnet", reason: "down." })) }))
    )
  )

  it.effect("with the outcome unknown keeps the hold until it is known", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "CommitPending")
      assert.deepStrictEqual(trace.charges, [HELD])
    }).pipe(Effect.provide(ports({ ledger: new CommitPending({ commitId: "commit-1", txHash: TX_HASH }) })))
  )

  it.effect("by a defect of the ledger's adapter keeps the hold too: the transaction may be out", () =>
    Effect.gen(function* () {
      const { exit, trace } = yield* commit()
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(trace.charges, [HELD])
    }).pipe(Effect.provide(ports({ ledger: Effect.die("bug") })))
  )

  it.effect("at the store holds nothing and sends nothing: it was not begun", () =>
    Effect.gen(function* () {
      const { error, trace } = yield* failure()
      assert.strictEqual(error._tag, "StorageUnavailable")
      assert.deepStrictEqual([trace.charges, trace.commits, [...trace.stored]], [[], [], []])
    }).pipe(Effect.provide(ports({ store: Effect.fail(new StorageUnavailable({ doing: "writing", cause: "full" })) })))
  )

  it.effect("by a defect of the store holds nothing as well", () =>
    Effect.gen(function* () {
      const { exit, trace } = yield* commit()
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual([trace.charges, trace.commits], [[], []])
    }).pipe(Effect.provide(ports({ store: Effect.die("another CID") })))
  )
})

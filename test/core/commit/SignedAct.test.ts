/**
 * Commits whose author signed the act, too (decisions.md, section 10): checked against the very record, in time and once; whatever comes to
 * nothing leaves the act free. Keys and signatures are made by viem.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import { assetTreeOf } from "../../../packages/core/src/asset-tree/AssetTree.ts"
import { addressOfPrivateKey } from "../../../packages/core/src/asset-tree/Signature.ts"
import { DagJson } from "../../../packages/core/src/asset-tree/TreeFormat.ts"
import { commitAsset } from "../../../packages/core/src/commit/CommitAsset.ts"
import { quoteCommit } from "../../../packages/core/src/commit/QuoteCommit.ts"
import { AccountId, Caller } from "../../../packages/core/src/identity/Caller.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { CommitPending, LedgerUnavailable } from "../../../packages/core/src/ledger/Ledger.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"
import { actChecksum } from "../../../packages/core/src/proof/Act.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { COMMITTER, type CommitPorts, commitPorts, Trace } from "../../layers/CommitPorts.ts"
import { plainBody } from "../Generators.ts"

const callerKey = Buffer.from("46".repeat(32), "hex")
const author = privateKeyToAccount(`0x${"c8".repeat(32)}`)
const caller = new Caller({
  accountId: AccountId.make("acc_0123456789abcdef"),
  name: "Ann",
  serviceName: "capture",
  wallet: walletAddress(addressOfPrivateKey(callerKey))
})
const NOW = 1_795_000_000
const body = { ...plainBody, author: author.address, commitMessage: "Licence sold to the press" }
const ports: CommitPorts = {
  registered: [{ assetCid: body.assetCid, assetSha256: body.assetSha256 }],
  privateKey: callerKey
}

const treeChecksum = Effect.map(
  decodeCommitRequest(body),
  (request) =>
    DagJson.encode(
      assetTreeOf({ request, author: walletAddress(author.address), serviceName: "capture", signedAt: "elsewhere" })
    ).sha256
)

/** The body with tree and act signed; `at` and `chainID` are what the author signs. */
const signedBody = Effect.fnUntraced(function* (at = NOW, chainID = 7053001, more: object = {}) {
  const assetTreeSha256 = yield* treeChecksum
  const checksum = actChecksum({
    abstract: body.commitMessage,
    action: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
    assetTreeSha256,
    author: author.address,
    chainID,
    contract: COMMITTER,
    timestampCreated: at
  })
  const sign = (message: string) => Effect.promise(() => author.signMessage({ message }))
  return {
    ...body,
    assetTreeSignature: yield* sign(assetTreeSha256),
    actSignature: yield* sign(checksum),
    actTimestamp: at,
    ...more
  }
})

const commit = Effect.fnUntraced(function* (given: object, commitId: string) {
  const request = yield* decodeCommitRequest(given)
  return yield* Effect.exit(commitAsset({ caller, request, call: { id: commitId, key: undefined, isNew: false } }))
})

const pathOf = <A, E>(exit: Exit.Exit<A, E>) =>
  Effect.map(Effect.flip(exit), (error) => {
    const refused = error as { readonly _tag: string; readonly problems: ReadonlyArray<{ readonly path: string }> }
    assert.strictEqual(refused._tag, "InvalidFields")
    return refused.problems.map(({ path }) => path).join()
  })

const started = TestClock.setTime(NOW * 1_000)

describe("an act that its author signed", () => {
  it.effect("is the last member of the record, whose time is the act's; without one there is no such member", () =>
    Effect.gen(function* () {
      yield* started
      const given = yield* signedBody(NOW - 100)
      assert.isTrue(Exit.isSuccess(yield* commit(given, "one")))
      const plain = { ...given, actSignature: null, actTimestamp: null }
      assert.isTrue(Exit.isSuccess(yield* commit(plain, "two")))
      const [signed, unsigned] = (yield* Trace).commits.map(({ commitData }) => JSON.parse(commitData))
      assert.deepStrictEqual(Object.keys(signed), [...Object.keys(unsigned), "actSignature"])
      assert.deepStrictEqual([signed.timestampCreated, unsigned.timestampCreated], [NOW - 100, NOW])
      assert.strictEqual(signed.actSignature, given.actSignature)
    }).pipe(Effect.provide(commitPorts(ports)))
  )

  it.effect("counts within 15 minutes of the clock, both ways, and not a second longer", () =>
    Effect.gen(function* () {
      yield* started
      for (const [seconds, isTaken] of [
        [-900, true],
        [900, true],
        [-901, false],
        [901, false]
      ] as const) {
        const exit = yield* commit(yield* signedBody(NOW + seconds), `at ${seconds}`)
        if (isTaken) assert.isTrue(Exit.isSuccess(exit), String(seconds))
        else assert.strictEqual(yield* pathOf(exit), "/actTimestamp")
      }
    }).pipe(Effect.provide(commitPorts(ports)))
  )

  it.effect(
    "is recorded once on a chain, and a quote says so, too; the same commit repeated is let through for ever",
    () =>
      Effect.gen(function* () {
        yield* started
        const given = yield* signedBody()
        assert.isTrue(Exit.isSuccess(yield* commit(given, "one")))
        assert.strictEqual(yield* pathOf(yield* commit(given, "two")), "/actSignature")
        const request = yield* decodeCommitRequest(given)
        assert.strictEqual(yield* pathOf(yield* Effect.exit(quoteCommit({ caller, request }))), "/actSignature")
        assert.notInclude((yield* Trace).charges.join(), "two")
        yield* TestClock.adjust("2 hours")
        assert.isTrue(Exit.isSuccess(yield* commit(given, "one")))
      }).pipe(Effect.provide(commitPorts(ports)))
  )

  it.effect("of the same text elsewhere is refused, with the text that should have been signed", () =>
    Effect.gen(function* () {
      yield* started
      for (const given of [
        yield* signedBody(NOW, 7053002),
        yield* signedBody(NOW, 7053001, { testnet: true }),
        yield* signedBody(NOW, 7053001, { commitMessage: "I sell all rights" }),
        yield* signedBody(NOW, 7053001, { actTimestamp: NOW + 1 })
      ]) {
        const exit = yield* commit(given, "other")
        assert.strictEqual(yield* pathOf(exit), "/actSignature")
        const { message } = yield* Effect.flip(exit)
        assert.include(message, `"contract":"${COMMITTER}"`)
        assert.include(message, `"author":"${author.address}"`)
      }
      const { charges, commits } = yield* Trace
      assert.deepStrictEqual([charges, commits], [[], []])
    }).pipe(Effect.provide(commitPorts(ports)))
  )

  const failing: ReadonlyArray<readonly [string, Partial<CommitPorts>, boolean]> = [
    ["without funds", { funds: amount(1n) }, true],
    ["without a ledger", { ledger: new LedgerUnavailable({ network: "local", reason: "x" }) }, true],
    ["still on its way", { ledger: new CommitPending({ commitId: "one", txHash: "0x" }) }, false]
  ]
  for (const [how, broken, isFree] of failing)
    it.effect(`of a commit ${how} is ${isFree ? "free for the next" : "kept"}`, () =>
      Effect.gen(function* () {
        yield* started
        const given = yield* signedBody()
        const first = yield* Effect.flip(yield* commit(given, "one"))
        const second = yield* Effect.flip(yield* commit(given, "two"))
        assert.strictEqual(second._tag, isFree ? first._tag : "InvalidFields")
      }).pipe(Effect.provide(commitPorts({ ...ports, ...broken })))
    )
})

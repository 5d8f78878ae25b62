/** The watch over authors: what concerns them is told once each, whatever falls out of the chain, and whether or not the webhook is there. */
import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { ContentStore, walletAddress } from "@treemark/core"
import { Effect, Layer, Logger, Option, Redacted, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import { LedgerIndex } from "../../../../packages/daemon/src/commits/LedgerIndex.ts"
import type { Alert } from "../../../../packages/daemon/src/commits/watch/Alert.ts"
import { AuthorWatch } from "../../../../packages/daemon/src/commits/watch/AuthorWatch.ts"
import { SendWebhook, type WebhookCall } from "../../../../packages/daemon/src/commits/watch/Webhooks.ts"
import { Networks } from "../../../../packages/daemon/src/evm/Networks.ts"
import { HdWallets } from "../../../../packages/daemon/src/wallets/HdWallets.ts"
import { storeLayer } from "../../store/TempStore.ts"
import { type FakeCommit, FakeLedger } from "../FakeLedger.ts"
import { assetCid, storeFile, WALLETS } from "../LedgerFixture.ts"

const key = privateKeyToAccount(`0x${"7".repeat(64)}`)
const AUTHOR = walletAddress(key.address)
const STRANGER = `0x${"9".repeat(40)}`
const TREE = "ab".repeat(32)

const signature = Effect.promise(() => key.signMessage({ message: TREE }))

/** A commit whose record names the author. */
const naming = (word: string, members: object = {}): FakeCommit => ({
  assetCid: assetCid(word),
  recorder: STRANGER,
  text: JSON.stringify({ author: AUTHOR, assetTreeSha256: TREE, abstract: word, ...members })
})

const noTrees = Layer.succeed(ContentStore, {
  put: () => Effect.void,
  get: () => Effect.succeed(Option.none()),
  locationOf: (cid) => cid
})

/** A receiver that is there or not. */
const receiver = () => {
  const calls: Array<WebhookCall> = []
  const state = { calls, refused: 0, answer: 200 as number | "down" }
  const send = (call: WebhookCall) =>
    Effect.suspend(() => {
      if (state.answer === 200) calls.push(call)
      else state.refused++
      return state.answer === "down" ? Effect.fail(new Error("connect ECONNREFUSED")) : Effect.succeed(state.answer)
    })
  const alerts = () => calls.map(({ body }) => JSON.parse(body) as Alert)
  return { state, send, alerts }
}

/** The watch over a store and a chain; opening it again on the same file is a restart. */
const opened = (filename: string, ledger: FakeLedger, hook: ReturnType<typeof receiver>, log: Array<string> = []) =>
  AuthorWatch.layer.pipe(
    Layer.provideMerge(LedgerIndex.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        storeLayer(filename),
        Layer.succeed(Networks, ledger.networks({ watchBlocks: 3 })),
        Layer.succeed(HdWallets, HdWallets.of(WALLETS)),
        Layer.succeed(SendWebhook, hook.send),
        SecureRandom.layerWebCrypto,
        noTrees,
        Logger.layer([Logger.make(({ logLevel, message }) => void log.push(`${logLevel} ${String(message)}`))]),
        Layer.succeed(References.MinimumLogLevel, "Info")
      )
    )
  )

/** What the daemon does each second. */
const round = Effect.gen(function* () {
  const [watch, index] = [yield* AuthorWatch, yield* LedgerIndex]
  yield* index.catchUp("mainnet")
  yield* watch.look
  yield* watch.deliver
})

const WEBHOOK = "https://hooks.example/secret-path"
const begin = Effect.flatMap(AuthorWatch, (watch) => watch.add({ author: AUTHOR, accountId: null, webhook: WEBHOOK }))

const told = (hook: ReturnType<typeof receiver>) =>
  hook.alerts().map(({ commit, type, why }) => [type, why, commit?.abstract])

describe("the watch over an author", () => {
  it.effect("tells signed and claimed apart, and what concerns nobody not at all; nothing of before it began", () =>
    Effect.gen(function* () {
      const [ledger, hook, log] = [new FakeLedger(), receiver(), [] as Array<string>]
      ledger.mine([naming("before")])
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { secret } = yield* begin
        yield* sql`INSERT INTO asset ${sql.insert({ asset_cid: assetCid("here"), asset_sha256: "0".repeat(64), encoding_format: "image/png", size: "1", created_at: 1, stored: 1 })}`
        const assetTreeSignature = yield* signature
        ledger.mine([
          naming("claimed"),
          naming("signed", { assetTreeSignature }),
          naming("another's signature", { assetTreeSignature, assetTreeSha256: "cd".repeat(32) }),
          { assetCid: assetCid("elsewhere"), recorder: STRANGER, text: JSON.stringify({ author: STRANGER }) },
          {
            assetCid: assetCid("here"),
            recorder: STRANGER,
            text: JSON.stringify({ author: STRANGER, abstract: "here" })
          },
          { assetCid: assetCid("own"), recorder: AUTHOR, text: JSON.stringify({ abstract: "own wallet" }) },
          { assetCid: assetCid("noise"), recorder: STRANGER, text: `no JSON, but ${AUTHOR}` }
        ])
        yield* round
        yield* round
        assert.deepStrictEqual(told(hook), [
          ["commit", "claimed", "claimed"],
          ["commit", "signed", "signed"],
          ["commit", "claimed", "another's signature"],
          ["commit", "asset", "here"],
          ["commit", "recorded", "own wallet"]
        ])
        const [claimed, signed, , here] = hook.alerts()
        assert.strictEqual(here?.assetCid, assetCid("here"))
        assert.strictEqual(claimed?.assetCid, null)
        assert.include(claimed?.text, "CLAIMS")
        assert.include(signed?.text, `SIGNED by ${AUTHOR}`)
        assert.include(signed?.text, `is the word of ${walletAddress(STRANGER)}`)
        assert.lengthOf(
          log.filter((line) => line.includes("Transaction 0x")),
          5
        )
        for (const { body, headers } of hook.state.calls) {
          const bytes = Buffer.from(Redacted.value(secret!).slice("whsec_".length), "base64")
          const expected = createHmac("sha256", bytes)
            .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
            .digest("base64")
          assert.strictEqual(headers["webhook-signature"], `v1,${expected}`)
        }
        assert.isFalse(log.some((line) => line.includes("secret-path") || line.includes("whsec_")))
      }).pipe(Effect.provide(opened(yield* storeFile, ledger, hook, log)))
    }).pipe(Effect.scoped)
  )

  it.effect(
    "tells once what falls out of the chain and comes back; what stays away is withdrawn, and restored if it comes after all",
    () =>
      Effect.gen(function* () {
        const [ledger, hook, filename] = [new FakeLedger(), receiver(), yield* storeFile]
        const again = <A, E>(work: Effect.Effect<A, E, AuthorWatch | LedgerIndex | SqlClient.SqlClient>) =>
          Effect.provide(work, opened(filename, ledger, hook))
        ledger.mine([naming("long before")])
        yield* again(begin)
        ledger.mine([naming("one")])
        ledger.mine([naming("two"), naming("two")])
        yield* again(round)
        assert.lengthOf(hook.alerts(), 3)
        ledger.drop(2)
        ledger.mine([])
        yield* again(round)
        ledger.mine([naming("two"), naming("one"), naming("two")])
        yield* again(round)
        ledger.drop(2)
        for (const word of ["two", "one", "two"]) ledger.mine([naming(word)])
        yield* again(round)
        assert.lengthOf(hook.alerts(), 3, JSON.stringify(told(hook)))
        ledger.drop(2)
        ledger.mine([])
        yield* again(round)
        assert.lengthOf(hook.alerts(), 3)
        for (let n = 0; n < 5; n++) ledger.mine([])
        yield* again(round)
        yield* again(round)
        const withdrawn = hook.alerts().slice(3)
        assert.deepStrictEqual(withdrawn.map(({ commit, type }) => `${type} ${commit?.abstract}`).sort(), [
          "withdrawn one",
          "withdrawn two"
        ])
        ledger.mine([naming("one")])
        yield* again(round)
        assert.deepStrictEqual(told(hook).slice(5), [["restored", "claimed", "one"]])
        assert.strictEqual(new Set(hook.alerts().map(({ id }) => id)).size, 6)
      }).pipe(Effect.scoped)
  )

  it.effect(
    "loses nothing while the webhook is down for an hour and the daemon starts anew; each is delivered once",
    () =>
      Effect.gen(function* () {
        const [ledger, hook, filename, log] = [new FakeLedger(), receiver(), yield* storeFile, [] as Array<string>]
        yield* begin.pipe(Effect.provide(opened(filename, ledger, hook)))
        hook.state.answer = "down"
        for (const half of [0, 1]) {
          yield* Effect.gen(function* () {
            for (let second = 0; second < 1_800; second += 10) {
              if (second % 100 === 0) ledger.mine([naming(`${half} ${second}`)])
              yield* round
              yield* TestClock.adjust("10 seconds")
            }
          }).pipe(Effect.provide(opened(filename, ledger, hook, log)))
        }
        assert.deepStrictEqual(hook.alerts(), [])
        assert.isBelow(hook.state.refused, 30)
        assert.lengthOf(
          log.filter((line) => line.includes("did not take an alert")),
          1
        )
        hook.state.answer = 200
        yield* Effect.gen(function* () {
          for (let second = 0; second < 310; second += 10) {
            yield* round
            yield* TestClock.adjust("10 seconds")
          }
          const [state] = yield* (yield* AuthorWatch).list
          assert.deepInclude(state, { alerts: 36, waiting: 0, failures: 0, problem: null })
        }).pipe(Effect.provide(opened(filename, ledger, hook, log)))
        const words = hook.alerts().map(({ commit }) => commit?.abstract)
        assert.lengthOf(words, 36)
        assert.strictEqual(new Set(words).size, 36)
      }).pipe(Effect.scoped)
  )

  it.effect("one delivery that is always refused holds up no other", () =>
    Effect.gen(function* () {
      const [ledger, hook] = [new FakeLedger(), receiver()]
      const refusing = (call: WebhookCall) =>
        call.body.includes('"abstract":"poison"') ? Effect.succeed(400) : hook.send(call)
      yield* Effect.gen(function* () {
        yield* begin
        ledger.mine([naming("poison"), naming("a"), naming("b")])
        for (let n = 0; n < 30; n++) {
          yield* round
          yield* TestClock.adjust("5 seconds")
        }
        assert.deepStrictEqual(
          hook.alerts().map(({ commit }) => commit?.abstract),
          ["a", "b"]
        )
        const [state] = yield* (yield* AuthorWatch).list
        assert.deepInclude(state, { waiting: 1, problem: "it answered 400" })
      }).pipe(Effect.provide(opened(yield* storeFile, ledger, { ...hook, send: refusing })))
    }).pipe(Effect.scoped)
  )
})

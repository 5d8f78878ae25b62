/** The three operations over a real socket: right answers, and each refusal with its status, code and headers. */
import { assert, describe, it } from "@effect/vitest"
import { amount, CommitPending, LedgerUnavailable } from "@treemark/core"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { ASSET_CID, ASSET_SHA256, TOKEN, WALLET } from "../../layers/DaemonServices.ts"
import { assertProblem, type Call, call, start } from "../../layers/HttpFixture.ts"

const AUTHORIZED = { authorization: `token ${TOKEN}` }
const BALANCE = JSON.stringify({ wallet: WALLET.toLowerCase() })

const commitBody = (changes: object = {}) =>
  JSON.stringify({
    encodingFormat: "image/png",
    assetCid: ASSET_CID,
    assetTimestampCreated: 1_780_000_000,
    assetCreator: "Alice",
    assetSha256: ASSET_SHA256,
    ...changes
  })

const commit = (port: number, changes: Call = {}) =>
  call(port, "/commit", { headers: AUTHORIZED, body: commitBody(), ...changes })

describe("operation 1, balance on the mainnet", () => {
  it.live("answers the balance with 4 decimals, truncated, without a token, with and without a trailing slash", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const path of ["/balance/mainnet", "/balance/mainnet/"]) {
        const answer = yield* call(port, path, { body: BALANCE })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.deepStrictEqual(answer.json(), { balance: "1.5000" })
      }
    }).pipe(Effect.scoped)
  )

  it.live("ignores a token, even an unknown one", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answer = yield* call(port, "/balance/mainnet", {
        body: BALANCE,
        headers: { authorization: "token tmk_unknown" }
      })
      assert.strictEqual(answer.status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a wallet that is no address, and a field it does not know, both in one answer", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answer = yield* call(port, "/balance/mainnet", { body: JSON.stringify({ wallet: "0x12", walet: 1 }) })
      const { errors } = assertProblem(answer, 400, "invalid_fields")
      assert.deepStrictEqual(
        (errors as Array<{ path: string }>).map(({ path }) => path),
        ["/walet", "/wallet"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a ledger that does not answer is 500 ledger_unavailable", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.silentNetwork = "local mainnet"
      const problem = assertProblem(yield* call(port, "/balance/mainnet", { body: BALANCE }), 500, "ledger_unavailable")
      assert.include(String(problem.detail), "local mainnet")
    }).pipe(Effect.scoped)
  )

  it.live("a bug is 500 internal: the answer says nothing of what failed, the log does under the requestId", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.bug = new Error("the password is hunter2")
      const answer = yield* call(port, "/balance/mainnet", { body: BALANCE })
      const { requestId } = assertProblem(answer, 500, "internal")
      assert.notInclude(answer.text, "hunter2")
      const logged = world.log.find((line) => line.includes(String(requestId)))
      assert.include(logged, "hunter2")
    }).pipe(Effect.scoped)
  )
})

describe("operation 2, balance on all networks", () => {
  it.live("answers the wallet, the sum and each network", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const path of ["/balance/all-networks", "/balance/all-networks/"]) {
        const answer = yield* call(port, path, { body: BALANCE, headers: AUTHORIZED })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.json(), {
          wallet: WALLET,
          balance: "3.0001",
          networks: [
            { name: "local mainnet", chainId: 7053001, balance: "1.5000" },
            { name: "local testnet", chainId: 7053002, balance: "1.5000" }
          ]
        })
      }
    }).pipe(Effect.scoped)
  )

  it.live("the same call with the same Idempotency-Key gets the same answer, marked as replayed", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      const headers = { ...AUTHORIZED, "idempotency-key": "k1" }
      const first = yield* call(port, "/balance/all-networks", { body: BALANCE, headers })
      world.silentNetwork = "local testnet"
      const again = yield* call(port, "/balance/all-networks", { body: BALANCE, headers })
      assert.strictEqual(first.headers["idempotency-replayed"], undefined)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers["content-type"], "application/json")
      const other = yield* call(port, "/balance/all-networks", { body: `${BALANCE} `, headers })
      assertProblem(other, 422, "idempotency_key_reused")
    }).pipe(Effect.scoped)
  )

  it.live("a network that does not answer is 500 and named", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.silentNetwork = "local testnet"
      const answer = yield* call(port, "/balance/all-networks", { body: BALANCE, headers: AUTHORIZED })
      assert.include(String(assertProblem(answer, 500, "ledger_unavailable").detail), "local testnet")
    }).pipe(Effect.scoped)
  )

  it.live("neither credits nor tokens: 403 with what is needed and what is there", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ ports: { funds: amount(1n) } })
      const answer = yield* call(port, "/balance/all-networks", { body: BALANCE, headers: AUTHORIZED })
      const { detail } = assertProblem(answer, 403, "insufficient_funds")
      assert.include(String(detail), "0.01")
    }).pipe(Effect.scoped)
  )
})

describe("operation 3, commit", () => {
  it.live("answers txHash, assetCid, assetTreeCid and explorer, with and without a trailing slash", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      for (const path of ["/commit", "/commit/"]) {
        const answer = yield* call(port, path, { headers: AUTHORIZED, body: commitBody() })
        assert.strictEqual(answer.status, 200, answer.text)
        const receipt = answer.json()
        assert.deepStrictEqual(Object.keys(receipt), ["txHash", "assetCid", "assetTreeCid", "explorer"])
        assert.strictEqual(receipt.assetCid, ASSET_CID)
      }
    }).pipe(Effect.scoped)
  )

  it.live("every broken rule is in one answer, with its JSON pointer", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const body = commitBody({
        assetCreator: "x".repeat(22),
        custom: { a: { "/": 1 } },
        assetSha256: "ab",
        assetcid: 1
      })
      const { errors } = assertProblem(yield* commit(port, { body }), 400, "invalid_fields")
      assert.deepStrictEqual(
        (errors as Array<{ path: string }>).map(({ path }) => path),
        ["/assetCreator", "/assetSha256", "/assetcid", "/custom/a/~1"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("an asset that is not registered is 400 asset_not_registered", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const assetCid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"
      assertProblem(yield* commit(port, { body: commitBody({ assetCid }) }), 400, "asset_not_registered")
    }).pipe(Effect.scoped)
  )

  it.live("a sha256 that is not the registered one is 400 invalid_fields at /assetSha256", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answer = yield* commit(port, { body: commitBody({ assetSha256: "00".repeat(32) }) })
      const { errors } = assertProblem(answer, 400, "invalid_fields")
      assert.strictEqual((errors as Array<{ path: string }>)[0]?.path, "/assetSha256")
    }).pipe(Effect.scoped)
  )

  it.live("a ledger that takes nothing, and an outcome that is not known, are 500 with codes of their own", () =>
    Effect.gen(function* () {
      const ledger = Effect.fail(new LedgerUnavailable({ network: "Jade", reason: "it is down." }))
      const down = yield* start({ ports: { ledger } })
      assertProblem(yield* commit(down.port), 500, "ledger_unavailable")
      const pending = yield* start({
        ports: { ledger: new CommitPending({ commitId: "c", txHash: "0xabc" }) }
      })
      const { detail } = assertProblem(yield* commit(pending.port), 500, "commit_pending")
      assert.include(String(detail), "Idempotency-Key")
    }).pipe(Effect.scoped)
  )

  it.live("a wallet that cannot be opened is 500 internal and does not leak the cause", () =>
    Effect.gen(function* () {
      const { port } = yield* start({ ports: { signer: "broken" } })
      const answer = yield* commit(port)
      assertProblem(answer, 500, "internal")
      assert.notInclude(answer.text, "locked")
    }).pipe(Effect.scoped)
  )

  it.live("a key whose call still runs is 409 idempotency_key_in_use", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.gate = yield* Deferred.make<void>()
      const headers = { ...AUTHORIZED, "idempotency-key": "k" }
      const first = yield* Effect.forkChild(commit(port, { headers }))
      yield* until(() => world.recording.length === 1)
      assertProblem(yield* commit(port, { headers }), 409, "idempotency_key_in_use")
      yield* Deferred.succeed(world.gate, undefined)
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("a client that leaves in the middle does not end the commit; with its key it gets the answer later", () =>
    Effect.gen(function* () {
      const { port, world } = yield* start()
      world.gate = yield* Deferred.make<void>()
      const headers = { ...AUTHORIZED, "idempotency-key": "left" }
      const leaving = yield* Effect.forkChild(commit(port, { headers }))
      yield* until(() => world.recording.length === 1)
      yield* Fiber.interrupt(leaving)
      yield* Effect.sleep("100 millis")
      assert.deepStrictEqual(world.recorded, [])
      yield* Deferred.succeed(world.gate, undefined)
      yield* until(() => world.recorded.length === 1)
      const again = yield* commit(port, { headers })
      assert.strictEqual(again.status, 200)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.strictEqual(world.recording.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("an Idempotency-Key is 1 to 255 visible ASCII characters, else 400 invalid_fields at /Idempotency-Key", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const withKey = (key: string) => commit(port, { headers: { ...AUTHORIZED, "idempotency-key": key } })
      assert.strictEqual((yield* withKey("~".repeat(255))).status, 200)
      for (const key of ["", "two words", "é", "k".repeat(256)]) {
        const { errors } = assertProblem(yield* withKey(key), 400, "invalid_fields")
        assert.strictEqual((errors as Array<{ path: string }>)[0]?.path, "/Idempotency-Key")
      }
    }).pipe(Effect.scoped)
  )
})

/** Waits until `condition` holds; the test's own timeout ends a wait for nothing. */
const until = (condition: () => boolean) =>
  Effect.sync(condition).pipe(Effect.repeat({ until: (holds) => holds, schedule: Schedule.spaced("5 millis") }))

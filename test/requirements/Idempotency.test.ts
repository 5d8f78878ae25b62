/** decisions.md, section 6: "`Idempotency-Key` header on paid calls: the same key and body gives the same answer and one charge". */
import { randomUUID } from "node:crypto"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { ALL_NETWORKS, COMMIT, type Json, openStudio, pathsOf, Studio, type StudioShape, withStudio } from "./Studio.ts"

const WALLET = { wallet: "0x000000000000000000000000000000000000dEaD" }
const OTHER_WALLET = { wallet: "0x000000000000000000000000000000000000bEEF" }

const keyed = (key: string) => ({ "idempotency-key": key })

const PAID = [
  { path: ALL_NETWORKS, body: (): Json => WALLET, other: (): Json => OTHER_WALLET },
  {
    path: COMMIT,
    body: (studio: StudioShape): Json => studio.request(),
    other: (studio: StudioShape): Json => studio.request({ headline: "another" })
  }
]

withStudio()("decisions.md, Idempotency-Key", (it) => {
  for (const { path, body, other } of PAID) {
    describe(`POST ${path}`, () => {
      it.effect("the same key and body: the same answer, marked as replayed, and one charge", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const key = randomUUID()
          const first = yield* studio.post(path, body(studio), keyed(key))
          assert.strictEqual(first.status, 200, first.text)
          assert.notProperty(first.headers, "idempotency-replayed")
          const after = yield* studio.state
          for (let again = 0; again < 3; again++) {
            const replay = yield* studio.post(path, body(studio), keyed(key))
            assert.strictEqual(replay.status, 200)
            assert.strictEqual(replay.text, first.text)
            assert.strictEqual(replay.headers["content-type"], "application/json")
            assert.strictEqual(replay.headers["idempotency-replayed"], "true")
          }
          assert.deepStrictEqual(yield* studio.state, after)
        })
      )

      it.effect("another key, or none, is another call with its own charge", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const seen = new Set<string>()
          for (const headers of [keyed(randomUUID()), keyed(randomUUID()), {}, {}]) {
            assert.strictEqual((yield* studio.post(path, body(studio), headers)).status, 200)
            seen.add((yield* studio.state).credits)
          }
          assert.strictEqual(seen.size, 4)
        })
      )

      it.effect("the same key with another body: 422 idempotency_key_reused, and free", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const key = randomUUID()
          const first = yield* studio.post(path, body(studio), keyed(key))
          const reused = studio.post(path, other(studio), keyed(key))
          const problem = yield* studio.refused(reused, 422, "idempotency_key_reused")
          assert.include(problem.detail, key)
          const replay = yield* studio.post(path, body(studio), keyed(key))
          assert.strictEqual(replay.text, first.text)
        })
      )

      it.effect("a key is 1 to 255 visible ASCII characters; any other is 400, and free", () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          for (const key of ["~", "!".repeat(255), '"quoted"']) {
            assert.strictEqual((yield* studio.post(path, body(studio), keyed(key))).status, 200)
          }
          for (const key of ["", "k".repeat(256), "two words", "clé", "tab\tinside"]) {
            const problem = yield* studio.refused(studio.post(path, body(studio), keyed(key)), 400, "invalid_fields")
            assert.deepStrictEqual(pathsOf(problem), ["/Idempotency-Key"], JSON.stringify(key))
          }
        })
      )

      it.effect("a call that failed frees its key: once there is money, the same call is answered and charged", () =>
        Effect.gen(function* () {
          const studio = yield* openStudio({ credits: "0" })
          const key = randomUUID()
          yield* studio.refused(studio.post(path, body(studio), keyed(key)), 403, "insufficient_funds")
          yield* studio.daemon.addCredits(studio.account.id, "1")
          const answer = yield* studio.post(path, body(studio), keyed(key))
          assert.strictEqual(answer.status, 200, answer.text)
          assert.notProperty(answer.headers, "idempotency-replayed")
        })
      )

      it.effect("a key belongs to its account: another account's call with it is its own", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* openStudio(), yield* openStudio()]
          const key = randomUUID()
          for (const studio of [one, two]) {
            const answer = yield* studio.post(path, body(studio), keyed(key))
            assert.strictEqual(answer.status, 200, answer.text)
            assert.notProperty(answer.headers, "idempotency-replayed")
            assert.notStrictEqual((yield* studio.state).credits, "100")
          }
        })
      )

      it.effect("an answer is given again when the money has run out since", () =>
        Effect.gen(function* () {
          const studio = yield* openStudio({ credits: "0.108" })
          const key = randomUUID()
          const first = yield* studio.post(path, body(studio), keyed(key))
          assert.strictEqual(first.status, 200, first.text)
          let spent = yield* studio.post(ALL_NETWORKS, WALLET)
          while (spent.status === 200) spent = yield* studio.post(ALL_NETWORKS, WALLET)
          assert.strictEqual(spent.status, 403)
          assert.strictEqual((yield* studio.post(path, body(studio), keyed(key))).text, first.text)
        })
      )
    })
  }

  it.effect("a key is bound to its operation", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const key = randomUUID()
      assert.strictEqual((yield* studio.post(ALL_NETWORKS, WALLET, keyed(key))).status, 200)
      const answer = yield* studio.post(COMMIT, studio.request(), keyed(key))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.property(answer.json(), "txHash")
    })
  )

  it.effect(
    "while the first call runs, the others are 409 idempotency_key_in_use; there is one commit and one charge",
    () =>
      Effect.gen(function* () {
        const studio = yield* openStudio()
        const key = randomUUID()
        const once = yield* Effect.forEach(Array(8).keys(), () => studio.post(COMMIT, studio.request(), keyed(key)), {
          concurrency: "unbounded"
        })
        const done = once.filter(({ status }) => status === 200)
        const busy = once.filter(({ status }) => status === 409)
        assert.strictEqual(done.length + busy.length, 8, once.map(({ text }) => text).join("\n"))
        assert.isAtLeast(busy.length, 1)
        assert.strictEqual(done.filter(({ headers }) => headers["idempotency-replayed"] === undefined).length, 1)
        for (const { headers, json } of busy) {
          assert.strictEqual(headers["content-type"], "application/problem+json")
          assert.strictEqual(json().code, "idempotency_key_in_use")
        }
        const replay = yield* studio.post(COMMIT, studio.request(), keyed(key))
        assert.strictEqual(replay.headers["idempotency-replayed"], "true")
        assert.strictEqual(new Set([...done, replay].map(({ text }) => text)).size, 1)
        assert.strictEqual((yield* studio.history()).length, 1)
      })
  )

  it.effect("the free operation ignores the header", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      for (const body of [WALLET, OTHER_WALLET]) {
        const answer = yield* studio.post("/balance/mainnet", body, keyed("the same"))
        assert.strictEqual(answer.status, 200)
        assert.notProperty(answer.headers, "idempotency-replayed")
      }
    })
  )

  it.effect("an answer outlives the daemon: after a restart the same key gives it again, free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const daemon = yield* RunningDaemon
      const key = randomUUID()
      const first = yield* studio.post(COMMIT, studio.request(), keyed(key))
      const before = yield* studio.state
      yield* daemon.restart()
      const replay = yield* studio.post(COMMIT, studio.request(), keyed(key))
      assert.strictEqual(replay.text, first.text)
      assert.strictEqual(replay.headers["idempotency-replayed"], "true")
      assert.deepStrictEqual(yield* studio.state, before)
    })
  )
})

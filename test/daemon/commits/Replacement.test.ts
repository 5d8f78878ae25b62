/**
 * A commit whose transaction offers too little, or gets nowhere: it is replaced under its own nonce, every variant is stored before it is
 * sent, whichever is mined is the commit, and the caller never pays more than was held. Also commits that wait for gas to cost less.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ledger } from "@treemark/core"
import { Duration, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { type Hex, parseGwei, parseTransaction } from "viem"
import { eventsOf } from "../../../packages/daemon/src/commits/CommitHistory.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { errorOf, isCaptured, recordOne, rig, SEND } from "./FaultRig.ts"
import {
  type anvilWithContract,
  callerNamed,
  creditsOf,
  eventually,
  historyOf,
  jobOf,
  order,
  profileAt,
  ROLE,
  record,
  TOKEN
} from "./LedgerFixture.ts"

type Anvil = Effect.Success<ReturnType<typeof anvilWithContract>>

interface Variant {
  readonly tx_hash: Hex
  readonly raw_tx: Hex
  readonly nonce: number | bigint
}

const variantsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Variant>`SELECT tx_hash, raw_tx, nonce FROM transaction_variant WHERE job_id = ${id} ORDER BY created_at`
})

/** Mines one block whose base fee is this; without automining it takes what offers as much. */
const mineAt = ({ steer }: Anvil, baseFeePerGas: bigint) =>
  Effect.promise(async () => {
    await steer.setNextBlockBaseFeePerGas({ baseFeePerGas })
    await steer.mine({ blocks: 1 })
  })

/** Waits until the node has the transaction in its pool. */
const untilInPool = ({ steer }: Anvil, hash: Hex | undefined) =>
  Effect.gen(function* () {
    const pool = Effect.promise(() => steer.getTxpoolContent())
    const isThere = Effect.map(pool, (content) => JSON.stringify(content).includes(hash ?? "-"))
    assert.isTrue(yield* eventually(isThere, (found) => found))
  })

/** A commit in the pool of an anvil that does not mine, and then the base fee above what it offers. */
const stuck = Effect.fnUntraced(function* (anvil: Anvil, baseFee: bigint) {
  const recording = yield* Effect.forkChild(recordOne("one"))
  const job = yield* eventually(jobOf("one"), (found) => found?.state === "sent")
  yield* mineAt(anvil, baseFee)
  return { recording, first: job?.tx_hash as Hex, raw: job?.raw_tx as Hex }
})

describe.skipIf(isAnvilMissing)("a transaction that offers less than the base fee", () => {
  it.live("is replaced by one with the same nonce and content at a higher fee, and that one is the commit", () =>
    Effect.gen(function* () {
      const { anvil, mined, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          const { first, raw, recording } = yield* stuck(anvil, parseGwei("50"))
          const variants = yield* eventually(variantsOf("one"), (found) => found.length === 2)
          assert.deepStrictEqual(
            variants.map(({ nonce, tx_hash }) => [Number(nonce), tx_hash === first]),
            [
              [0, true],
              [0, false]
            ]
          )
          const [old, next] = variants.map(({ raw_tx }) => parseTransaction(raw_tx))
          assert.strictEqual(variants[0]?.raw_tx, raw)
          for (const member of ["nonce", "to", "data", "gas", "chainId"] as const) {
            assert.strictEqual(next?.[member], old?.[member], member)
          }
          for (const fee of ["maxFeePerGas", "maxPriorityFeePerGas"] as const) {
            assert.isTrue((next?.[fee] ?? 0n) * 8n >= (old?.[fee] ?? 0n) * 9n, fee)
          }
          yield* untilInPool(anvil, variants[1]?.tx_hash)
          yield* mineAt(anvil, parseGwei("45"))
          const entry = yield* yield* Fiber.join(recording)
          assert.strictEqual(entry.txHash, variants[1]?.tx_hash)
          assert.deepInclude({ ...(yield* jobOf("one")) }, { state: "mined", raw_tx: variants[1]?.raw_tx ?? "" })
          assert.include(yield* historyOf("one"), "replaced")
          const replaced = (yield* eventsOf("one")).find(({ what }) => what === "replaced")
          assert.match(
            replaced?.detail ?? "",
            /raised from \S+ gwei to \S+ gwei\. The caller pays no more than was held/
          )
        })
      )
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is the commit all the same when it is mined after it was replaced, and its own bytes are kept", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          const { first, raw, recording } = yield* stuck(anvil, parseGwei("50"))
          proxy.plan = (method, _, [sent]) => (method === SEND && sent !== raw ? { status: 502 } : undefined)
          yield* eventually(variantsOf("one"), (found) => found.length === 2)
          yield* mineAt(anvil, 1n)
          yield* Effect.promise(() => anvil.client.sendRawTransaction({ serializedTransaction: raw }))
          yield* mineAt(anvil, 1n)
          const entry = yield* yield* Fiber.join(recording)
          assert.strictEqual(entry.txHash, first)
          assert.deepInclude({ ...(yield* jobOf("one")) }, { state: "mined", tx_hash: first, raw_tx: raw })
          assert.lengthOf(yield* variantsOf("one"), 2)
        })
      )
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live("whose replacement was stored and not sent when the daemon ended is gone on with by the next one", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig(["--no-mining"])
      const original = yield* run(
        Effect.gen(function* () {
          const { raw } = yield* stuck(anvil, parseGwei("50"))
          proxy.plan = (method, _, [sent]) => (method === SEND && sent !== raw ? "cut-before" : undefined)
          assert.lengthOf(yield* eventually(variantsOf("one"), (found) => found.length === 2), 2)
          return raw
        })
      )
      proxy.plan = () => undefined
      yield* run(
        Effect.gen(function* () {
          const [, next] = yield* variantsOf("one")
          yield* untilInPool(anvil, next?.tx_hash)
          yield* mineAt(anvil, parseGwei("45"))
          const job = yield* eventually(jobOf("one"), (found) => isCaptured(found) && found?.state === "mined")
          assert.deepInclude({ ...job }, { state: "mined", tx_hash: next?.tx_hash ?? "", nonce: 0 })
        }).pipe(Effect.tap(() => Effect.sync(() => assert.include(proxy.sent, original))))
      )
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is not replaced above the cap: it waits, and is mined when the base fee has fallen", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          const { first, recording } = yield* stuck(anvil, parseGwei("50"))
          yield* Effect.sleep("2500 millis")
          assert.isEmpty(yield* variantsOf("one"))
          const mining = mineAt(anvil, 1n).pipe(Effect.andThen(Effect.sleep("300 millis")), Effect.forever)
          yield* Effect.forkChild(mining)
          assert.strictEqual((yield* yield* Fiber.join(recording)).txHash, first)
        }),
        { networks: { profile: profileAt(proxy.url), maxFeeGwei: 3 } }
      )
    }).pipe(Effect.scoped)
  )

  it.live("costs the caller no more than was held, however dear its replacement was", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          yield* Effect.forkChild(recordOne("one"))
          yield* eventually(jobOf("one"), (found) => found?.state === "sent")
          yield* mineAt(anvil, parseGwei("20000"))
          const [, next] = yield* eventually(variantsOf("one"), (found) => found.length === 2)
          yield* untilInPool(anvil, next?.tx_hash)
          yield* mineAt(anvil, parseGwei("20000"))
          const job = yield* eventually(jobOf("one"), isCaptured)
          assert.strictEqual(job?.captured, (TOKEN / 5n).toString())
          assert.strictEqual(yield* creditsOf("alice"), 100n * TOKEN - TOKEN / 5n)
        }),
        { deadline: Duration.millis(800), networks: { profile: profileAt(proxy.url), maxFeeGwei: 100_000 } }
      )
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("a transaction that no block takes though it offers enough", () => {
  it.live("is replaced after the configured number of sends", () =>
    Effect.gen(function* () {
      const { anvil, run } = yield* rig(["--no-mining"])
      yield* run(
        Effect.gen(function* () {
          const recording = yield* Effect.forkChild(recordOne("one"))
          const variants = yield* eventually(variantsOf("one"), (found) => found.length === 2)
          assert.lengthOf(variants, 2)
          yield* untilInPool(anvil, variants[1]?.tx_hash)
          yield* Effect.promise(() => anvil.steer.mine({ blocks: 1 }))
          assert.strictEqual((yield* yield* Fiber.join(recording)).txHash, variants[1]?.tx_hash)
        }),
        { outbox: { resendAfter: Duration.millis(700), replaceAfter: 2 } }
      )
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("a commit while gas costs more than the operator allows", () => {
  const capped = (url: string) => ({ networks: { profile: profileAt(url), maxFeeGwei: 5 } })

  it.live("waits without a nonce, at a ceiling of the cap, and is made when gas costs less", () =>
    Effect.gen(function* () {
      const { anvil, proxy, run } = yield* rig()
      yield* mineAt(anvil, parseGwei("20"))
      yield* run(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const wanted = yield* order(yield* callerNamed("alice"), "one")
          const ceiling = yield* ledger.quote(ROLE, wanted)
          assert.strictEqual(ceiling % parseGwei("5"), 0n)
          const recording = yield* Effect.forkChild(record(wanted))
          yield* Effect.sleep("1500 millis")
          assert.isNull((yield* jobOf("one"))?.nonce ?? null)
          assert.strictEqual(proxy.calls(SEND), 0)
          yield* mineAt(anvil, 1n)
          const entry = yield* Fiber.join(recording)
          assert.isTrue(entry.gasPaid <= ceiling)
          assert.strictEqual((yield* jobOf("one"))?.nonce?.toString(), "0")
        }),
        capped(proxy.url)
      )
    }).pipe(Effect.scoped)
  )

  it.live("is withdrawn at the caller's deadline, with the reason; nothing was signed and nothing will be", () =>
    Effect.gen(function* () {
      const { anvil, mined, proxy, run } = yield* rig()
      yield* mineAt(anvil, parseGwei("20"))
      yield* run(
        Effect.gen(function* () {
          const error = errorOf(yield* recordOne("one"))
          assert.strictEqual(error._tag, "LedgerUnavailable")
          assert.include(error.message, "could not be sent within 600ms and was withdrawn: a unit of gas costs 2")
          assert.include(error.message, "more than the 5 gwei the operator allows (max_fee_gwei)")
          yield* mineAt(anvil, 1n)
          yield* Effect.sleep("1500 millis")
          const job = yield* jobOf("one")
          assert.deepInclude({ ...job }, { state: "refused", nonce: null, raw_tx: null })
          assert.isTrue(Exit.isSuccess(yield* recordOne("two")))
          assert.strictEqual((yield* jobOf("two"))?.nonce?.toString(), "0")
        }),
        { ...capped(proxy.url), deadline: Duration.millis(600) }
      )
      assert.strictEqual(proxy.calls(SEND), 1)
      assert.strictEqual(yield* mined, 1)
    }).pipe(Effect.scoped)
  )
})

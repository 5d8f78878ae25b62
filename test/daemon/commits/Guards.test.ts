/** What stands between a commit and a wrong ending: leases at signing, states that have ended, time that has passed, keys. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges } from "@treemark/core"
import { Clock, Effect, type Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Hex } from "viem"
import { makeKeys } from "../../../packages/daemon/src/books/Keys.ts"
import { makeCommitJob } from "../../../packages/daemon/src/commits/CommitJob.ts"
import { makeCommitRows } from "../../../packages/daemon/src/commits/CommitRows.ts"
import { makeCommitTransitions } from "../../../packages/daemon/src/commits/CommitTransitions.ts"
import type { LedgerNetwork } from "../../../packages/daemon/src/evm/Networks.ts"
import * as Nonces from "../../../packages/daemon/src/evm/Nonces.ts"
import { makeOutboxStore } from "../../../packages/daemon/src/evm/OutboxStore.ts"
import type { Job } from "../../../packages/daemon/src/evm/OutboxTransaction.ts"
import { LeaseLost, Leases } from "../../../packages/daemon/src/store/Leases.ts"
import { type bankLayer, hold, openAccount, TOKEN, withBank } from "../books/Bank.ts"

type Bank = Layer.Success<ReturnType<typeof bankLayer>>

const LANE = { chainId: 1, address: "0xc0" }
const LEASE = { ...LANE, epoch: 1 }
const HASH: Hex = `0x${"7a".repeat(32)}`
const job: Job = { id: "cmt_1", sent: () => Effect.void, lost: () => Effect.succeed(true) }

/** The wallet was taken over by another daemon. */
const lost = Effect.provideService(Leases, {
  use: (_, work) => work(LEASE),
  held: () => LEASE,
  guard: (lease) => Effect.fail(new LeaseLost(lease)),
  confirm: (lease) => Effect.fail(new LeaseLost(lease))
})

const network = { name: "test", chainId: 1 } as LedgerNetwork

const TERMS = { gas: 50_000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 0n, ceiling: 50_000n }
const wanted = { job, network, walletIndex: 0, to: LANE.address, data: "0x", value: 0n, terms: TERMS } as const

/** A commit of alice in a state, with its hold. */
const commitIn = Effect.fnUntraced(function* (state: string, more: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const alice = yield* openAccount("alice", TOKEN)
  const held = yield* hold(alice, TOKEN / 5n, "cmt_1")
  const signed = state === "queued" ? {} : { nonce: 0, raw_tx: "0x", tx_hash: HASH }
  const row = {
    id: "cmt_1",
    account_id: alice.accountId,
    network: "mainnet",
    chain_id: 1,
    asset_cid: "bafy",
    asset_tree_cid: "bagu",
    tree_sha256: "0".repeat(64),
    commit_json: "{}",
    state,
    hold_id: held.id,
    committer: LANE.address,
    created_at: 1,
    updated_at: 1,
    ...signed,
    ...more
  }
  yield* sql`INSERT INTO commit_job ${sql.insert(row)}`
  return held
})

const stateOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly state: string }>`SELECT state FROM commit_job`
  return rows[0]?.state
})

const bank = <A, E>(title: string, use: Effect.Effect<A, E, Bank>) => it.live(title, () => withBank(use))

describe("a daemon that has lost a wallet", () => {
  bank(
    "signs nothing for it: the transaction fails, and takes no nonce",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Nonces.startAt(LANE, 3)
      const store = yield* lost(makeOutboxStore)
      const error = yield* Effect.flip(sql.withTransaction(store.sign(wanted, LANE, LEASE)))
      assert.instanceOf(error, LeaseLost)
      assert.strictEqual(yield* Nonces.nextOf(LANE), 3)
    })
  )
})

describe("a call", () => {
  bank(
    "that another daemon has begun is in use: its key is claimed once, and a refusal harms nobody",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId } = yield* openAccount("alice", TOKEN)
      const { claim } = yield* makeKeys
      const key = { accountId, operation: "commit", key: "k", fingerprint: "1".repeat(64) } as const
      const claims = yield* Effect.forEach(
        ["cmt_1", "cmt_2"],
        (id) => sql.withTransaction(claim({ id, key, isNew: true }, 1)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        claims.map((refusal) => refusal?._tag),
        [undefined, "IdempotencyKeyInUse"]
      )
    })
  )
})

describe("a commit", () => {
  for (const state of ["mined", "reverted", "displaced"]) {
    bank(
      `that is ${state} is not written over: not as sent, not as lost`,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const held = yield* commitIn(state, state === "mined" ? { block_number: 1, block_hash: HASH } : {})
        const charges = yield* Charges
        yield* state === "mined" ? charges.capture(held, amount(1n)) : charges.release(held)
        const told = (yield* makeCommitJob)("cmt_1")
        yield* sql.withTransaction(told.sent(HASH))
        for (const end of ["refused", "displaced"] as const) {
          assert.isFalse(yield* sql.withTransaction(told.lost(end, HASH, "late news")))
        }
        assert.strictEqual(yield* stateOf, state)
      })
    )
  }

  bank(
    "that waits is wanted until its time has passed, and not a moment longer",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const now = yield* Clock.currentTimeMillis
      yield* commitIn("queued", { wanted_until: now + 60_000 })
      const { isWanted } = yield* makeCommitRows
      assert.isTrue(yield* isWanted("cmt_1"))
      yield* sql`UPDATE commit_job SET wanted_until = ${now - 1_000}`
      assert.isFalse(yield* isWanted("cmt_1"))
    })
  )

  bank(
    "is not signed when the money behind it was given back",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const held = yield* commitIn("queued", { wanted_until: 1 })
      yield* (yield* Charges).release(held)
      const { tell } = yield* makeCommitTransitions
      const { state } = yield* sql.withTransaction(tell("cmt_1", { _tag: "sign" }))
      assert.strictEqual(state._tag, "refused")
      assert.strictEqual(yield* stateOf, "refused")
    })
  )
})

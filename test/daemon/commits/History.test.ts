/** The history of an asset on a node that limits its answers, and the explorer's view of the transactions behind it. */
import { assert, describe, it } from "@effect/vitest"
import { amount, Ledger } from "@treemark/core"
import { Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Transfers } from "../../../packages/daemon/src/books/Transfers.ts"
import { Explorer } from "../../../packages/daemon/src/evm/Explorer.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { startProxy } from "./FaultyProxy.ts"
import {
  anvilWithContract,
  assetCid,
  CONTRACT,
  callerNamed,
  daemon,
  order,
  profileAt,
  record,
  storeFile,
  WALLETS
} from "./LedgerFixture.ts"

const LOGS = "eth_getLogs"

/** So that the ledger is read again. */
const forgetIndex = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM ledger_commit`
  yield* sql`DELETE FROM ledger_index`
})

describe.skipIf(isAnvilMissing)("the history of an asset", () => {
  it.live("is whole on a node that answers for few blocks at a time", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract()
      const proxy = yield* startProxy(anvil.url)
      const layer = daemon({ filename: yield* storeFile, networks: { profile: profileAt(proxy.url) } })
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const caller = yield* callerNamed("alice")
        const recordOne = (id: string, word: string) => Effect.flatMap(order(caller, id, word), record)
        const first = yield* recordOne("first", "asset")
        yield* recordOne("another", "another asset")
        yield* Effect.promise(() => anvil.steer.mine({ blocks: 2_500 }))
        const last = yield* recordOne("last", "asset")
        const hashes = Effect.map(ledger.history("mainnet", assetCid("asset")), (commits) =>
          commits.map(({ txHash }) => txHash)
        )
        const expected = [first.txHash, last.txHash]

        assert.deepStrictEqual(yield* hashes, expected)
        assert.strictEqual(proxy.calls(LOGS), 2)

        const widest = { blocks: 700 }
        proxy.plan = (method, _, params) => {
          const [filter] = params as ReadonlyArray<{ readonly fromBlock: string; readonly toBlock: string }>
          if (method !== LOGS || filter === undefined) return undefined
          const blocks = Number(filter.toBlock) - Number(filter.fromBlock) + 1
          return blocks > widest.blocks ? { error: { code: -32005, message: "requested too many blocks" } } : undefined
        }
        yield* forgetIndex
        assert.deepStrictEqual(yield* hashes, expected)

        yield* forgetIndex
        proxy.plan = (method) => (method === LOGS ? { error: { code: -32000, message: "no logs here" } } : undefined)
        assert.include((yield* Effect.flip(hashes)).message, "no logs here")
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("the explorer", () => {
  it.live("shows a commit with what it cost and what it recorded, and a transfer as no commit", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract()
      const layer = daemon({ filename: yield* storeFile, networks: { profile: profileAt(anvil.url) } })
      yield* Effect.gen(function* () {
        const explorer = yield* Explorer
        const wanted = yield* order(yield* callerNamed("alice"), "one")
        const entry = yield* record(wanted)
        const found = Option.getOrThrow(
          yield* explorer.transaction("mainnet", entry.txHash.toUpperCase().replace("0X", "0x"))
        )
        const block = yield* Effect.promise(() => anvil.client.getBlock({ blockNumber: BigInt(entry.blockNumber) }))
        assert.deepStrictEqual(found, {
          hash: entry.txHash,
          network: "anvil",
          chainId: 31_337,
          status: "success",
          from: WALLETS.address(0),
          to: CONTRACT,
          value: amount(0n),
          mined: {
            blockNumber: entry.blockNumber,
            blockHash: entry.blockHash,
            timestamp: Number(block.timestamp),
            gasUsed: found.mined?.gasUsed ?? 0n,
            gasPrice: amount(entry.gasPaid / (found.mined?.gasUsed ?? 1n)),
            fee: entry.gasPaid
          },
          commit: { assetCid: wanted.assetCid, commitData: wanted.commitData, recorder: WALLETS.address(0) }
        })

        const sent = yield* (yield* Transfers).send({
          role: "mainnet",
          fromWalletIndex: 1,
          to: WALLETS.address(2),
          value: amount(5n),
          reference: "a transfer"
        })
        const shown = Option.getOrThrow(yield* explorer.transaction("mainnet", sent.txHash))
        assert.deepInclude(shown, { value: amount(5n), commit: null, to: WALLETS.address(2) })
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("shows a pending transaction as such, and nothing for a hash that is unknown or no hash", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract(["--no-mining"])
      const layer = daemon({
        filename: yield* storeFile,
        networks: { profile: profileAt(anvil.url) },
        deadline: Duration.millis(300)
      })
      yield* Effect.gen(function* () {
        const explorer = yield* Explorer
        const wanted = yield* order(yield* callerNamed("alice"), "one")
        const pending = yield* Effect.flip(record(wanted))
        const hash = pending._tag === "CommitPending" ? pending.txHash : ""
        const shown = Option.getOrThrow(yield* explorer.transaction("mainnet", hash))
        assert.deepInclude(shown, { status: "pending", mined: null })
        assert.strictEqual(shown.commit?.assetCid, wanted.assetCid)
        for (const unknown of [`0x${"0".repeat(64)}`, "0x12", "nonsense", ""]) {
          assert.isTrue(Option.isNone(yield* explorer.transaction("mainnet", unknown)), unknown)
        }
      }).pipe(Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

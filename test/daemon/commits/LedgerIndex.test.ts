/** The index of the ledger's commits: the same answers as a search of the ledger gives, whatever falls out of the chain while it is made. */
import { assert, describe, it } from "@effect/vitest"
import type { HistoryRange, LedgerCommit } from "@treemark/core"
import { Effect, Exit, Fiber, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { EventLog, Interface, JsonRpcProvider } from "ethers"
import { historyOf } from "../../../packages/daemon/src/commits/History.ts"
import { LedgerIndex } from "../../../packages/daemon/src/commits/LedgerIndex.ts"
import { commitAbi } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { isAnvilMissing } from "../../layers/Anvil.ts"
import { storeLayer } from "../store/TempStore.ts"
import { FakeLedger } from "./FakeLedger.ts"
import { stranger } from "./ForeignCommits.ts"
import { anvilWithContract, assetCid, CONTRACT, profileAt, storeFile } from "./LedgerFixture.ts"

/** Numbers that look random and are the same every time. */
const dice = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const ASSETS = Array.from({ length: 5 }, (_, n) => assetCid(`asset ${n}`))
const RECORDERS = Array.from({ length: 3 }, (_, n) => `0x${String(n + 1).repeat(40)}`)

/** Mines `count` blocks with up to three commits each. */
const grow = (ledger: FakeLedger, count: number, draw: (below: number) => number) => {
  for (let n = 0; n < count; n++) {
    ledger.mine(
      Array.from({ length: draw(4) }, () => ({
        assetCid: ASSETS[draw(ASSETS.length)]!,
        recorder: RECORDERS[draw(RECORDERS.length)]!,
        text: JSON.stringify({ n: draw(1_000_000), word: "\u0000 \u{1f332}" })
      }))
    )
  }
}

const open = (filename: string, networks: Networks["Service"]) =>
  LedgerIndex.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        storeLayer(filename),
        Layer.succeed(Networks, networks),
        Layer.succeed(References.MinimumLogLevel, "None")
      )
    )
  )

const RANGES: ReadonlyArray<HistoryRange> = [
  {},
  { limit: 7 },
  { limit: 7, from: "newest" },
  { after: { blockNumber: 40, logIndex: 0 }, limit: 5 },
  { before: { blockNumber: 90, logIndex: 1 }, from: "newest", limit: 20 },
  { after: { blockNumber: 10, logIndex: 0 }, before: { blockNumber: 60, logIndex: 2 } }
]

/** What the index says and what a search of the ledger says. */
const compare = Effect.fnUntraced(function* (networks: Networks["Service"]) {
  const index = yield* LedgerIndex
  let commits = 0
  for (const asset of ASSETS) {
    for (const range of RANGES) {
      const found = yield* index.history("mainnet", asset, range)
      assert.deepStrictEqual(found, yield* historyOf(networks.role("mainnet"), asset, range))
      commits += found.length
    }
  }
  return commits
})

describe("the index of the ledger's commits", () => {
  it.live("is what a search finds, after kills and reorganisations while it was made and while it followed", () =>
    Effect.gen(function* () {
      const filename = yield* storeFile
      for (const seed of [1, 2]) {
        const draw = dice(seed)
        const ledger = new FakeLedger({ mostLogs: 40 })
        const networks = ledger.networks()
        const reorganise = () => {
          const depth = 1 + draw(draw(4) === 0 ? 80 : 5)
          ledger.drop(depth)
          grow(ledger, depth + draw(3) - 1, draw)
        }
        grow(ledger, 400, draw)
        const layer = open(`${filename}.${seed}`, networks)
        let calls = 0
        ledger.before = () => {
          if (++calls % 11 === 0) grow(ledger, 1, draw)
          if (calls % 17 === 0) reorganise()
        }
        for (let kill = 0; kill < 10; kill++) {
          yield* Effect.gen(function* () {
            const making = yield* Effect.forkChild((yield* LedgerIndex).catchUp("mainnet"))
            const until = calls + draw(40)
            while (calls < until && making.pollUnsafe() === undefined) yield* Effect.yieldNow
            yield* Fiber.interrupt(making)
          }).pipe(Effect.provide(layer))
        }
        ledger.before = () => {}
        yield* Effect.gen(function* () {
          assert.isAbove(yield* compare(networks), 500)
          for (let turn = 0; turn < 5; turn++) {
            reorganise()
            yield* compare(networks)
            grow(ledger, draw(30), draw)
            yield* compare(networks)
          }
          ledger.drop(ledger.blocks.length)
          yield* compare(networks)
          grow(ledger, 20, draw)
          assert.isAbove(yield* compare(networks), 0)
        }).pipe(Effect.provide(layer))
      }
    }).pipe(Effect.scoped)
  )

  it.live("asks the node for no logs where nothing came, and shares one look among those who ask together", () =>
    Effect.gen(function* () {
      const ledger = new FakeLedger()
      grow(ledger, 100, dice(1))
      yield* Effect.gen(function* () {
        const index = yield* LedgerIndex
        yield* index.history("mainnet", ASSETS[0]!, { limit: 5 })
        ledger.calls.clear()
        yield* Effect.forEach(Array.from({ length: 50 }), () => index.history("mainnet", ASSETS[1]!, { limit: 5 }), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual([...ledger.calls.keys()], ["eth_getBlockByNumber"])
        assert.isAtMost(ledger.calls.get("eth_getBlockByNumber") ?? 0, 2)
        ledger.calls.clear()
        ledger.mine([{ assetCid: ASSETS[1]!, recorder: RECORDERS[0]!, text: "newest" }])
        const [newest] = yield* index.history("mainnet", ASSETS[1]!, { limit: 1, from: "newest" })
        assert.strictEqual(newest?.commitData, "newest")
        assert.deepStrictEqual(Object.fromEntries(ledger.calls), { eth_getBlockByNumber: 1, eth_getLogs: 1 })
      }).pipe(Effect.provide(open(yield* storeFile, ledger.networks())))
    }).pipe(Effect.scoped)
  )

  it.live("of a long chain begins with its newest blocks, and is completed for an asset when somebody asks", () =>
    Effect.gen(function* () {
      const ledger = new FakeLedger()
      const draw = dice(7)
      grow(ledger, 200, draw)
      for (let n = 0; n < 101_000; n++) ledger.mine([])
      const networks = ledger.networks()
      yield* Effect.gen(function* () {
        const index = yield* LedgerIndex
        assert.isAbove((yield* index.catchUp("mainnet")).low, 100_000)
        assert.isAbove(yield* compare(networks), 100)
        ledger.calls.clear()
        assert.isAbove((yield* index.history("mainnet", ASSETS[2]!, { limit: 5 })).length, 4)
        assert.isUndefined(ledger.calls.get("eth_getLogs"))
        ledger.drop(100_900)
        grow(ledger, 10, draw)
        yield* compare(networks)
      }).pipe(Effect.provide(open(yield* storeFile, networks)))
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be used costs only time; a node that does not answer is told of", () =>
    Effect.gen(function* () {
      const ledger = new FakeLedger()
      grow(ledger, 50, dice(3))
      const networks = ledger.networks()
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* compare(networks)
        yield* sql`DROP TABLE ledger_commit`
        assert.isAbove(yield* compare(networks), 0)
        ledger.before = () => {
          throw new Error("the node is gone")
        }
        const asked = yield* Effect.exit((yield* LedgerIndex).history("mainnet", ASSETS[0]!))
        assert.isTrue(Exit.isFailure(asked))
      }).pipe(Effect.provide(open(yield* storeFile, networks)))
    }).pipe(Effect.scoped)
  )

  it.live("takes the texts of our own commits from their jobs, and searches the ledger when a job has it no more", () =>
    Effect.gen(function* () {
      const ledger = new FakeLedger()
      ledger.mine([{ assetCid: ASSETS[0]!, recorder: RECORDERS[0]!, text: "ours" }])
      ledger.mine([{ assetCid: ASSETS[0]!, recorder: RECORDERS[1]!, text: "theirs" }])
      const txHash = ledger.blocks[1]!.logs[0]!.transactionHash
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO account (id, name, service_name, wallet_index, wallet, created_at) VALUES ('a', 'a', 'a', 1, '0x1', 1)`
        yield* sql`INSERT INTO commit_job ${sql.insert({
          id: "cmt",
          account_id: "a",
          network: "mainnet",
          chain_id: 1,
          asset_cid: ASSETS[0]!,
          asset_tree_cid: ASSETS[1]!,
          tree_sha256: "0".repeat(64),
          commit_json: "ours",
          state: "mined",
          tx_hash: txHash,
          created_at: 1,
          updated_at: 1
        })}`
        const index = yield* LedgerIndex
        const texts = (found: ReadonlyArray<LedgerCommit>) => found.map(({ commitData }) => commitData)
        const expected = ["ours", "theirs"]
        assert.deepStrictEqual(texts(yield* index.history("mainnet", ASSETS[0]!)), expected)
        const stored = yield* sql<{ text: Uint8Array | null }>`SELECT text FROM ledger_commit ORDER BY block_number`
        assert.isNull(stored[0]?.text)
        yield* sql`DELETE FROM commit_job`
        assert.deepStrictEqual(texts(yield* index.history("mainnet", ASSETS[0]!)), expected)
      }).pipe(Effect.provide(open(yield* storeFile, ledger.networks())))
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(isAnvilMissing)("the index of a real node's commits", () => {
  it.live("is what ethers finds, before and after blocks fall out of the chain", () =>
    Effect.gen(function* () {
      const anvil = yield* anvilWithContract()
      const people = [stranger(anvil.url, CONTRACT, 5), stranger(anvil.url, CONTRACT, 6)]
      const provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, cacheTimeout: -1 })
      const scanned = (asset: string) =>
        Effect.promise(async () => {
          const events = new Interface(commitAbi)
          const logs = await provider.getLogs({
            address: CONTRACT,
            fromBlock: 0,
            toBlock: "latest",
            topics: events.encodeFilterTopics("Commit", [null, asset])
          })
          return logs.map((log) => {
            const { args } = new EventLog(log, events, events.getEvent("Commit")!)
            return [log.transactionHash, log.blockHash, log.index, args[0], args[2]]
          })
        })
      const networks = Networks.layer({ profile: profileAt(anvil.url) })
      yield* Effect.gen(function* () {
        const index = yield* LedgerIndex
        const agree = Effect.forEach([ASSETS[0]!, ASSETS[1]!], (asset) =>
          Effect.gen(function* () {
            const found = yield* index.history("mainnet", asset)
            assert.deepStrictEqual(
              found.map(({ blockHash, commitData, logIndex, recorder, txHash }) => [
                txHash,
                blockHash,
                logIndex,
                recorder,
                commitData
              ]),
              yield* scanned(asset)
            )
            return found.length
          })
        )
        for (let n = 0; n < 6; n++) yield* people[n % 2]!.commit(ASSETS[n % 2]!, `{"n":${n}}`)
        assert.deepStrictEqual(yield* agree, [3, 3])
        yield* Effect.promise(() => anvil.steer.request({ method: "anvil_reorg", params: [3, []] } as never))
        assert.deepStrictEqual(yield* agree, [2, 1])
        yield* people[0]!.commit(ASSETS[0]!, "after")
        assert.deepStrictEqual(yield* agree, [3, 1])
      }).pipe(
        Effect.provide(LedgerIndex.layer.pipe(Layer.provideMerge(Layer.merge(storeLayer(yield* storeFile), networks))))
      )
    }).pipe(Effect.scoped)
  )
})

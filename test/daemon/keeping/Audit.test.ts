/** The audit on stores made for it: what one changed byte, an unreachable ledger and storage elsewhere do to its answer. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { signReceipt } from "@treemark/core"
import { Effect, Layer, Option, Redacted } from "effect"
import { type Hex, pad } from "viem"
import { blocksOf, fillStore, isFile, networksOf, storeOf, wallets } from "../../../bench/AuditStore.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { RpcFailure } from "../../../packages/daemon/src/evm/RpcFailure.ts"
import { Audit } from "../../../packages/daemon/src/keeping/Audit.ts"
import { StoredTrees } from "../../../packages/daemon/src/keeping/StoredTrees.ts"
import * as S3Settings from "../../../packages/daemon/src/S3Settings.ts"
import type { Settings } from "../../../packages/daemon/src/Settings.ts"
import { Snapshot } from "../../../packages/daemon/src/store/Snapshot.ts"
import { CommitterCount } from "../../../packages/daemon/src/wallets/CommitterCount.ts"
import { committersOf } from "../../../packages/daemon/src/wallets/Committers.ts"
import { HdWallets } from "../../../packages/daemon/src/wallets/HdWallets.ts"
import { S3_KEY, startS3Server } from "../../layers/S3Server.ts"
import { tempFolder } from "../store/TempStore.ts"

const COMMITS = 25

const filled = Effect.tap(tempFolder, (folder) => Effect.promise(() => fillStore(folder, COMMITS)))

const audited = <E>(folder: string, trees: Layer.Layer<StoredTrees, E>, networks = networksOf(COMMITS)) =>
  Effect.flatMap(Audit, (audit) => audit.run).pipe(
    Effect.provide(
      Audit.layer.pipe(
        Layer.provide(Layer.merge(Snapshot.layer, trees)),
        Layer.provide(Layer.mergeAll(storeOf(folder), networks, Layer.succeed(HdWallets, HdWallets.of(wallets))))
      )
    )
  )

const blocks = (folder: string) =>
  readdirSync(blocksOf(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes("/"))
    .map((name) => join(blocksOf(folder), name))

const inTable = <A>(folder: string, use: (store: DatabaseSync) => A): A => {
  const store = new DatabaseSync(join(folder, "treemark.db"))
  try {
    return use(store)
  } finally {
    store.close()
  }
}

const nodeDown = Layer.effect(
  Networks,
  Effect.map(Networks, (networks) => {
    const role: Networks["Service"]["role"] = (name) => {
      const network = networks.role(name)
      const down = () => Promise.reject(new RpcFailure({ network: name, outcome: "not-sent", detail: "it is down." }))
      return { ...network, client: { ...network.client, getBlockNumber: down as never } }
    }
    return Networks.of({ ...networks, role })
  })
).pipe(Layer.provide(networksOf(COMMITS)))

const elsewhere = Layer.effect(
  Networks,
  Effect.map(Networks, (networks) =>
    Networks.of({ ...networks, role: (name) => ({ ...networks.role(name), embedded: false }) })
  )
).pipe(Layer.provide(networksOf(COMMITS)))

const FOREIGN: Hex = `0x${"f0".repeat(32)}`

/** The same ledger with one more commit in block 3, by `committer`; a node gives it only to those who ask for that wallet. */
const withCommitBy = (committer: string) =>
  Layer.effect(
    Networks,
    Effect.map(Networks, (networks) => {
      const role: Networks["Service"]["role"] = (name) => {
        const network = networks.role(name)
        const { request } = network.client
        const more = async (asked: { readonly params: readonly [{ readonly topics: ReadonlyArray<unknown> }] }) => {
          const logs = (await request(asked as never)) as ReadonlyArray<object>
          const [{ topics }] = asked.params
          const wanted = (topics[1] as ReadonlyArray<string>).includes(pad(committer as Hex))
          const [first] = logs
          if (!wanted || first === undefined) return logs
          return [...logs, { ...first, blockNumber: "0x3", transactionHash: FOREIGN }]
        }
        return { ...network, client: { ...network.client, request: more as never } }
      }
      return Networks.of({ ...networks, role })
    })
  ).pipe(Layer.provide(networksOf(COMMITS)))

describe("the audit", () => {
  it.live("reads every byte of every tree: one that was changed is found", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const trees = StoredTrees.layerOfFolder(blocksOf(folder))
      const clean = yield* audited(folder, trees)
      assert.deepStrictEqual(clean.findings, [])
      assert.deepInclude(clean.checked, { commits: COMMITS, events: COMMITS, trees: COMMITS, receipts: COMMITS })
      const [file = ""] = blocks(folder)
      const bytes = readFileSync(file)
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      writeFileSync(file, bytes)
      const { findings } = yield* audited(folder, trees)
      assert.deepStrictEqual(
        findings.map(({ code, subject }) => [code, subject]),
        [["tree_damaged", file.split("/").at(-1)]]
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "hashes every tree of the store's own table: one that was changed is damaged, one that is gone is missing",
    () =>
      Effect.gen(function* () {
        const folder = yield* filled
        const trees = StoredTrees.layerOfFolder(blocksOf(folder))
        const [changed = "", gone = ""] = inTable(folder, (store) => {
          const cids = store
            .prepare("SELECT cid FROM asset_tree ORDER BY cid")
            .all()
            .map(({ cid }) => String(cid))
          store
            .prepare("UPDATE asset_tree SET document = replace(document, 'the bench', 'another') WHERE cid = ?")
            .run(cids[0]!)
          store.prepare("DELETE FROM asset_tree WHERE cid = ?").run(cids[1]!)
          return cids
        })
        const { checked, findings } = yield* audited(folder, trees)
        assert.strictEqual(checked.trees, COMMITS)
        assert.deepStrictEqual(
          findings.map(({ code, subject }) => [code, subject]),
          [
            ["tree_damaged", changed],
            ["tree_missing", gone]
          ]
        )
      }).pipe(Effect.scoped)
  )

  it.live("finds a receipt that follows another than the one before it, though it is signed", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const entry = inTable(folder, (store) => {
        for (const { name } of store
          .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'receipt'")
          .all())
          store.exec(`DROP TRIGGER ${String(name)}`)
        const last = store.prepare("SELECT entry_id, document FROM receipt ORDER BY sequence DESC LIMIT 1").get()
        const document = { ...JSON.parse(String(last?.document)), previous: "0".repeat(64) }
        const { hash, signature, text } = signReceipt(document, (checksum) => wallets.signText(0, checksum))
        store
          .prepare("UPDATE receipt SET hash = ?, document = ?, signature = ? WHERE entry_id = ?")
          .run(hash, text, signature, String(last?.entry_id))
        return String(last?.entry_id)
      })
      const { findings } = yield* audited(folder, StoredTrees.layerOfFolder(blocksOf(folder)))
      assert.deepStrictEqual(
        findings.map(({ code, subject }) => [code, subject]),
        [["receipt_chain", entry]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("looks for commits of every configured wallet, also of one that no job has used yet", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const second = committersOf(wallets, 2).all[1]?.address ?? ""
      const found = (committers: number) =>
        audited(folder, StoredTrees.layerOfFolder(blocksOf(folder)), withCommitBy(second)).pipe(
          Effect.provideService(CommitterCount, committers),
          Effect.map(({ findings }) => findings.map(({ code, subject }) => [code, subject]))
        )
      assert.deepStrictEqual(yield* found(2), [["event_unknown", FOREIGN]])
      assert.deepStrictEqual(yield* found(1), [])
    }).pipe(Effect.scoped)
  )

  it.live("finds the commits of a chain elsewhere by the blocks that the jobs name", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const trees = StoredTrees.layerOfFolder(blocksOf(folder))
      const { checked, findings } = yield* audited(folder, trees, elsewhere)
      assert.deepStrictEqual(findings, [])
      assert.deepInclude(checked, { commits: COMMITS, events: COMMITS })
    }).pipe(Effect.scoped)
  )

  it.live("says of a ledger that does not answer that commits were not compared with it", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const { checked, clean, findings } = yield* audited(folder, StoredTrees.layerOfFolder(blocksOf(folder)), nodeDown)
      assert.isFalse(clean)
      assert.deepStrictEqual(
        findings.map(({ code, subject }) => [code, subject]),
        [
          ["ledger_unread", "mainnet"],
          ["ledger_unread", "testnet"]
        ]
      )
      assert.deepInclude(checked, { commits: 0, events: 0, trees: COMMITS, entries: 2 * COMMITS + 1 })
    }).pipe(Effect.scoped)
  )

  it.live("finds commits that the ledger had and lost with its newest blocks", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const cut = COMMITS - 4
      const { findings } = yield* audited(folder, StoredTrees.layerOfFolder(blocksOf(folder)), networksOf(cut))
      assert.deepStrictEqual(
        findings.map(({ code }) => code),
        Array.from({ length: 4 }, () => "event_missing")
      )
      assert.include(findings.at(-1)?.detail, `block ${COMMITS - 1} of mainnet, whose newest block is ${cut}`)
    }).pipe(Effect.scoped)
  )

  it.live("reads trees of storage elsewhere in the same way", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const s3 = yield* startS3Server()
      const settings = {
        s3Region: "us-east-1",
        s3AccessKeyId: Option.some(Redacted.make(S3_KEY.id)),
        s3SecretAccessKey: Option.some(Redacted.make(S3_KEY.secret))
      } as Settings["Service"]
      const contents = S3Settings.layer(s3.contentUrl, settings, "http://127.0.0.1")
      const { findings } = yield* audited(folder, StoredTrees.layerOfStore.pipe(Layer.provide(contents)))
      assert.lengthOf(
        findings.filter(({ code }) => code === "tree_missing"),
        Array.from({ length: COMMITS }, (_, n) => n).filter(isFile).length
      )
    }).pipe(Effect.scoped)
  )
})

/** The audit on stores made for it: what one changed byte, an unreachable ledger and storage elsewhere do to its answer. */
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { signReceipt } from "@treemark/core"
import { Effect, Layer, Option, Redacted } from "effect"
import { type Hex, pad } from "viem"
import { blocksOf, fillStore, isFile, networksOf, registerFiles, storeOf, wallets } from "../../../bench/AuditStore.ts"
import * as BlockFolder from "../../../packages/daemon/src/content/BlockFolder.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { RpcFailure } from "../../../packages/daemon/src/evm/RpcFailure.ts"
import { Audit } from "../../../packages/daemon/src/keeping/Audit.ts"
import { StoredBlocks } from "../../../packages/daemon/src/keeping/StoredBlocks.ts"
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

const audited = <E>(
  folder: string,
  trees: Layer.Layer<StoredBlocks, E>,
  networks = networksOf(COMMITS),
  options: { readonly sample?: number } = {}
) =>
  Effect.flatMap(Audit, (audit) => audit.run(options)).pipe(
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
      const trees = StoredBlocks.layerOfFolder(blocksOf(folder))
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
        const trees = StoredBlocks.layerOfFolder(blocksOf(folder))
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
      const { findings } = yield* audited(folder, StoredBlocks.layerOfFolder(blocksOf(folder)))
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
        audited(folder, StoredBlocks.layerOfFolder(blocksOf(folder)), withCommitBy(second)).pipe(
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
      const trees = StoredBlocks.layerOfFolder(blocksOf(folder))
      const { checked, findings } = yield* audited(folder, trees, elsewhere)
      assert.deepStrictEqual(findings, [])
      assert.deepInclude(checked, { commits: COMMITS, events: COMMITS })
    }).pipe(Effect.scoped)
  )

  it.live("says of a ledger that does not answer that commits were not compared with it", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      const { checked, clean, findings } = yield* audited(
        folder,
        StoredBlocks.layerOfFolder(blocksOf(folder)),
        nodeDown
      )
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
      const { findings } = yield* audited(folder, StoredBlocks.layerOfFolder(blocksOf(folder)), networksOf(cut))
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
      const { findings } = yield* audited(folder, StoredBlocks.layerOfStore.pipe(Layer.provide(contents)))
      assert.lengthOf(
        findings.filter(({ code }) => code === "tree_missing"),
        Array.from({ length: COMMITS }, (_, n) => n).filter(isFile).length
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "reads every block of every registered file: what is gone, changed or cut off is named, and registering mends it",
    () =>
      Effect.gen(function* () {
        const folder = yield* filled
        const reader = StoredBlocks.layerOfFolder(blocksOf(folder))
        const trees = new Set(blocks(folder))
        const assets = yield* Effect.promise(() => registerFiles(folder, 4))
        const clean = yield* audited(folder, reader)
        assert.deepStrictEqual(clean.findings, [])
        assert.deepInclude(clean.checked, { files: 4, blocks: 12 })
        assert.isNull(clean.sampledFrom)

        const files = blocks(folder).filter((path) => !trees.has(path))
        const roots = files.filter((path) => assets.includes(path.split("/").at(-1) ?? ""))
        const leaves = files.filter((path) => !roots.includes(path))
        const [gone = "", changed = "", cut = ""] = leaves
        rmSync(gone)
        const bytes = readFileSync(changed)
        bytes[1_000] = (bytes[1_000] ?? 0) ^ 64
        writeFileSync(changed, bytes)
        truncateSync(cut, 4_096)
        const spoiled = [
          ["block_missing", gone],
          ["block_damaged", changed],
          ["block_damaged", cut]
        ].map(([code = "", path = ""]) => `${code} ${path.split("/").at(-1)}`)
        const found = yield* audited(folder, reader)
        assert.sameMembers(
          found.findings.map(({ code, subject }) => `${code} ${subject}`),
          spoiled
        )
        for (const { advice, detail } of found.findings) {
          assert.include(advice, "treemarkd asset register FILE")
          assert.isTrue(assets.some((cid) => detail.includes(cid)))
        }

        const root = roots[0] ?? ""
        rmSync(root)
        const headless = yield* audited(folder, reader)
        assert.deepInclude(
          headless.findings.map(({ code, subject }) => `${code} ${subject}`),
          `block_missing ${root.split("/").at(-1)}`
        )

        yield* Effect.promise(() => registerFiles(folder, 4))
        assert.deepStrictEqual((yield* audited(folder, reader)).findings, [])
      }).pipe(Effect.scoped)
  )

  it.live(
    "finds a bit flipped in any block, of a file or of a tree, names it with what to do, and changes nothing",
    () =>
      Effect.gen(function* () {
        const folder = yield* filled
        const reader = StoredBlocks.layerOfFolder(blocksOf(folder))
        const trees = blocks(folder)
        yield* Effect.promise(() => registerFiles(folder, 1))
        const parts = blocks(folder).filter((path) => !trees.includes(path))
        assert.lengthOf(parts, 3)
        for (const [n, path] of [...parts, ...trees.slice(0, 2)].entries()) {
          const whole = readFileSync(path)
          const spoiled = Buffer.from(whole)
          const place = (n * 7_919) % spoiled.length
          spoiled[place] = (spoiled[place] ?? 0) ^ (1 << (n % 8))
          writeFileSync(path, spoiled)
          const { clean, findings } = yield* audited(folder, reader)
          assert.isFalse(clean)
          const code = n < parts.length ? "block_damaged" : "tree_damaged"
          assert.deepInclude(
            findings.map((one) => [one.code, one.subject]),
            [code, path.split("/").at(-1)]
          )
          for (const { advice } of findings) assert.match(advice, /Register the file again|Restore it from a backup/u)
          assert.isTrue(readFileSync(path).equals(spoiled))
          writeFileSync(path, whole)
        }
        assert.deepStrictEqual((yield* audited(folder, reader)).findings, [])
      }).pipe(Effect.scoped)
  )

  it.live(
    "finds a posting too many, in an entry that was there and as an entry that balances, and leaves it there",
    () =>
      Effect.gen(function* () {
        const reader = (folder: string) => StoredBlocks.layerOfFolder(blocksOf(folder))
        const add = (folder: string, rows: ReadonlyArray<readonly [entry: string, account: string, amount: string]>) =>
          inTable(folder, (store) => {
            for (const { name } of store.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
              store.exec(`DROP TRIGGER ${String(name)}`)
            for (const [entry, account, amount] of rows) {
              store
                .prepare(
                  "INSERT OR IGNORE INTO ledger_entry (id, kind, reference, created_at) VALUES (?, 'grant', 'x', 1)"
                )
                .run(entry)
              store
                .prepare("INSERT INTO posting (entry_id, account_id, amount) VALUES (?, ?, ?)")
                .run(entry, account, amount)
            }
            return store.prepare("SELECT COUNT(*) AS many FROM posting").get()?.many
          })
        const [one, two] = [yield* filled, yield* filled]
        const known = inTable(one, (store) =>
          store.prepare("SELECT entry_id FROM posting WHERE entry_id LIKE 'capture:%' LIMIT 1").get()
        )
        const many = add(one, [[String(known?.entry_id), "issued", "5"]])
        const inEntry = yield* audited(one, reader(one))
        assert.deepStrictEqual(
          inEntry.findings.map(({ code, subject }) => [code, subject]),
          [
            ["entry_unbalanced", known?.entry_id],
            ["balance_differs", "issued"]
          ]
        )
        assert.strictEqual(add(one, []), many)
        add(two, [
          ["grant:forged", "issued", "-5"],
          ["grant:forged", "gas", "5"]
        ])
        const forged = yield* audited(two, reader(two))
        assert.sameDeepMembers(
          forged.findings.map(({ code, subject }) => [code, subject]),
          [
            ["balance_differs", "issued"],
            ["balance_differs", "gas"]
          ]
        )
        for (const { advice } of [...inEntry.findings, ...forged.findings])
          assert.include(advice, "restore the last backup")
      }).pipe(Effect.scoped)
  )

  it.live("reads a sample of the files when it is asked to, and says so", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      yield* Effect.promise(() => registerFiles(folder, 5))
      const sampled = (sample: number) =>
        audited(folder, StoredBlocks.layerOfFolder(blocksOf(folder)), networksOf(COMMITS), { sample })
      const two = yield* sampled(2)
      assert.deepInclude(two.checked, { files: 2, blocks: 6 })
      assert.strictEqual(two.sampledFrom, 5)
      assert.isNull((yield* sampled(5)).sampledFrom)
    }).pipe(Effect.scoped)
  )

  it.live("reads the files' blocks of storage elsewhere in the same way", () =>
    Effect.gen(function* () {
      const folder = yield* filled
      yield* Effect.promise(() => registerFiles(folder, 2))
      const contents = Layer.provide(
        StoredBlocks.layerOfStore,
        BlockFolder.layer({ folder: blocksOf(folder), publicUrl: "http://127.0.0.1" })
      )
      const clean = yield* audited(folder, contents)
      assert.deepInclude(clean.checked, { files: 2, blocks: 6 })
      const [leaf = ""] = blocks(folder).filter((path) => readFileSync(path).length > 100_000)
      rmSync(leaf)
      const { findings } = yield* audited(folder, contents)
      assert.deepInclude(
        findings.map(({ code, subject }) => [code, subject]),
        ["block_missing", leaf.split("/").at(-1)]
      )
    }).pipe(Effect.scoped)
  )
})

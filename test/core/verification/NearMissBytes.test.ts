/** Near misses of checksums, CIDs, assets and places on the ledger: each mistake is made with other tools than ours, and is then named. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { explain, measureAsset, type NearMissKind, type VerifyInput, verify } from "@treemark/core/verify"
import { keccak256 } from "ethers"
import { importBytes } from "ipfs-unixfs-importer"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { CID } from "multiformats/cid"
import { cidOf, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { signPersonalMessage } from "../../../packages/core/src/asset-tree/Signature.ts"
import { plainFileDigests } from "../../../packages/core/src/verification/explain/UnixfsDigests.ts"
import { processorTime } from "../../layers/Timing.ts"
import { block, checkpointOf, commitData, commitLog, receiptOf } from "./Block.ts"
import { asset, author, authorKey, inputOf, sign, signed, treeMembers, utf8 } from "./Fixtures.ts"

const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")
const text = new TextDecoder().decode(signed.tree)
const pretty = JSON.stringify(JSON.parse(text), null, 2)

const missesOf = (input: VerifyInput) =>
  Object.fromEntries(
    explain(input, verify(input)).flatMap(({ check, nearMiss }) => (nearMiss === null ? [] : [[check, nearMiss]]))
  )

/** What is said of a record of `recorded` with the tree `here`. */
const changed = (recorded: string, here: string) => missesOf({ ...inputOf(sign(utf8(recorded))), tree: utf8(here) })

const changes: ReadonlyArray<readonly [title: string, kind: NearMissKind, recorded: string, here: string]> = [
  ["an editor added a newline", "bytes_newline_added", text, `${text}\n`],
  ["an editor added a newline of Windows", "bytes_newline_added", text, `${text}\r\n`],
  ["the newline at the end was lost", "bytes_newline_lost", `${text}\n`, text],
  ["a byte order mark was added", "bytes_bom_added", text, `\ufeff${text}`],
  ["a byte order mark was lost", "bytes_bom_lost", `\ufeff${text}`, text],
  ["line ends became those of Windows", "bytes_line_ends", pretty, pretty.replaceAll("\n", "\r\n")],
  ["line ends became those of Unix", "bytes_line_ends", pretty.replaceAll("\n", "\r\n"), pretty],
  ["canonical JSON was made pretty", "bytes_canonical_json", text, pretty],
  ["pretty JSON was made canonical", "bytes_pretty_json", pretty, text],
  ["pretty JSON with a newline was made canonical", "bytes_pretty_json", `${pretty}\n`, text]
]

describe("a near miss of the tree's bytes", () => {
  for (const [title, kind, recorded, here] of changes) {
    it(`is named at its checksum and its CID: ${title}`, () => {
      const misses = changed(recorded, here)
      assert.strictEqual(misses["tree-sha256"]?.kind, kind)
      assert.strictEqual(misses["tree-cid"]?.kind, kind)
      assert.include(misses["tree-sha256"]?.advice, `${utf8(recorded).length} bytes; here are ${utf8(here).length}`)
    })
  }

  it("is named: another tree beside a sound record", () => {
    const miss = changed(text, JSON.stringify({ ...treeMembers, abstract: "another photo" }))["tree-sha256"]
    assert.strictEqual(miss?.kind, "record_of_other_tree")
    assert.include(miss?.advice, `${author}, the author that`)
    assert.include(miss?.advice, sha256(text))
  })

  it("does not exist for another tree beside the record of a stranger's", () => {
    assert.deepStrictEqual(
      missesOf({
        tree: utf8("{}"),
        record: { ...sign(signed.tree, { key: new Uint8Array(32).fill(3), author: "" }).record }
      }),
      {}
    )
  })
})

describe("a near miss of the checksum named", () => {
  const own = signed.record.assetTreeSha256
  const cases: ReadonlyArray<readonly [title: string, kind: NearMissKind, named: string]> = [
    ["0x before it", "hash_spelling", `0x${own}`],
    ["blanks around it", "hash_spelling", ` ${own.toUpperCase()}\n`],
    ["its algorithm before it", "hash_spelling", `sha256:${own}`],
    ["in base64", "hash_spelling", Buffer.from(own, "hex").toString("base64")],
    ["the CID", "hash_spelling", signed.record.assetTreeCid],
    ["the asset's", "hash_of_asset", sha256(asset)],
    ["hashed twice", "hash_of_hash", sha256(own)],
    ["keccak-256", "hash_keccak", keccak256(signed.tree).slice(2)]
  ]
  for (const [title, kind, named] of cases) {
    it(`is named: ${title}`, () => {
      const record = { ...signed.record, assetTreeSha256: named }
      assert.strictEqual(missesOf({ tree: signed.tree, record })["tree-sha256"]?.kind, kind)
    })
  }

  it("does not exist for upper case, which is accepted", () => {
    const input = { tree: signed.tree, record: { ...signed.record, assetTreeSha256: own.toUpperCase() } }
    assert.strictEqual(verify(input).verdict, "valid")
    assert.deepStrictEqual(missesOf(input), {})
  })
})

describe("a near miss of the tree's CID", () => {
  const named = (assetTreeCid: string) =>
    missesOf({ tree: signed.tree, record: { ...signed.record, assetTreeCid } })["tree-cid"]?.kind
  const digest = CID.parse(signed.record.assetTreeCid).multihash

  it("is named: another codec", () => {
    assert.strictEqual(named(CID.createV1(0x71, digest).toString()), "cid_other_codec")
    assert.strictEqual(named(CID.createV0(digest as never).toString()), "cid_other_codec")
  })

  it("is named: raw in the proof, dag-json in the record", () => {
    const misses = missesOf({ ...inputOf(signed), treeCid: cidOf(RAW_CODE, signed.tree) })
    assert.strictEqual(misses["tree-cid"]?.kind, "cid_other_codec")
  })

  it("is named: something around it", () => {
    const { assetTreeCid } = signed.record
    for (const text of [
      `ipfs://${assetTreeCid}`,
      `/ipfs/${assetTreeCid}/`,
      ` ${assetTreeCid}\n`,
      `https://example.org/ipfs/${assetTreeCid}?download=true`
    ]) {
      assert.strictEqual(named(text), "cid_spelling", text)
    }
  })

  it("is named: the asset's CID", () => {
    assert.strictEqual(named(cidOf(RAW_CODE, asset)), "hash_of_asset")
  })

  it("is named: what ipfs add gives to the tree as a file, by another implementation of UnixFS", async () => {
    const store = { put: async (cid: CID) => cid } as never
    const big = utf8(JSON.stringify({ a: "x".repeat(300_000) }))
    const options = { cidVersion: 1, chunker: fixedSize({ chunkSize: 262_144 }) } as const
    for (const [tree, rawLeaves] of [
      [signed.tree, false],
      [big, true]
    ] as const) {
      const { cid } = await importBytes(tree, store, { ...options, rawLeaves })
      assert.include(plainFileDigests(tree), Buffer.from(cid.multihash.digest).toString("hex"))
    }
    const { cid } = await importBytes(signed.tree, store, { rawLeaves: false, cidVersion: 0 })
    assert.strictEqual(named(cid.toString()), "cid_of_file")
  })

  it("does not exist for the CID of something else", () => {
    assert.isUndefined(named(cidOf(RAW_CODE, utf8("something else"))))
    assert.isUndefined(named("not a CID"))
    assert.isUndefined(named(`ipfs://${"b".repeat(1_000_000)}`))
  })
})

describe("a near miss of the asset", () => {
  it("is named: the tree was given as the asset", () => {
    const misses = missesOf({ ...inputOf(signed), asset: measureAsset(signed.tree) })
    assert.strictEqual(misses["asset-sha256"]?.kind, "asset_is_tree")
  })

  it("is named: another file, such as the same photo saved again", () => {
    const given = { ...inputOf(signed), asset: measureAsset(asset.with(3, asset[3]! ^ 1)) }
    const miss = missesOf(given)["asset-sha256"]
    assert.strictEqual(miss?.kind, "asset_other_file")
    for (const told of [`${asset.length} bytes`, sha256(asset), "Messengers", "stands as it is"])
      assert.include(miss?.advice, told)
    const commands = explain(given, verify(given)).find(({ check }) => check === "asset-sha256")?.commands
    assert.deepInclude(commands?.at(-1), { tool: "sha256sum", prints: "another file" })
  })

  it("is named: 0x before the sha256 in the tree", () => {
    const commit = sign(utf8(JSON.stringify({ ...treeMembers, assetSha256: `0x${sha256(asset)}` })))
    assert.strictEqual(
      missesOf({ ...inputOf(commit), asset: measureAsset(asset) })["asset-sha256"]?.kind,
      "hash_spelling"
    )
  })

  it("is named: a UnixFS CID of the same bytes, cut otherwise", async () => {
    const store = { put: async (cid: CID) => cid } as never
    const { cid } = await importBytes(asset, store, { rawLeaves: false, cidVersion: 1 })
    const commit = sign(utf8(JSON.stringify({ ...treeMembers, assetCid: cid.toString() })))
    const input = { ...inputOf(commit), asset: measureAsset(asset) }
    const miss = missesOf(input)["asset-cid"]
    assert.strictEqual(miss?.kind, "asset_cut_otherwise")
    assert.include(miss?.advice, "which cannot be told from the CID")
    assert.strictEqual(verify(input).checks.at(-1)?.code, "asset_cid_not_comparable")
  })
})

describe("a near miss of the place on the ledger", () => {
  const base = { ...inputOf(signed), commitData }

  it("is named: another log of the transaction", async () => {
    const { inclusion, place } = await block({
      receipts: [receiptOf([commitLog({ assetCid: "another" }), commitLog({ assetCid: "third" }), commitLog()])],
      transactionIndex: 0,
      logPosition: 1,
      logIndex: 1
    })
    const miss = missesOf({ ...base, inclusion, ledger: place })["ledger-inclusion"]
    assert.strictEqual(miss?.kind, "ledger_other_log")
    assert.include(miss?.advice, "log 2 of the receipt; the proof says log 1")
    const right = { ...base, inclusion: { ...inclusion, logPosition: 2 }, ledger: { ...place, logIndex: 2 } }
    assert.strictEqual(verify(right).verdict, "valid")
  })

  it("is named: another number, another chain, by what the checkpoint says", async () => {
    const made = await block()
    const place = { ...base, inclusion: made.inclusion, ledger: made.place }
    const ofOther = missesOf({ ...place, checkpoints: [checkpointOf(made, { chainId: 10507 })] })
    assert.strictEqual(ofOther["ledger-inclusion"]?.kind, "ledger_other_chain")
    assert.include(ofOther["ledger-inclusion"]?.advice, "chain 10507")
    const moved = { ...checkpointOf(made), hashes: new Map([[99, made.place.blockHash]]) }
    assert.strictEqual(missesOf({ ...place, checkpoints: [moved] })["ledger-inclusion"]?.kind, "ledger_other_block")
    const unrelated = checkpointOf(made, { chainId: 1, hash: `0x${"12".repeat(32)}` })
    assert.isUndefined(missesOf({ ...place, checkpoints: [unrelated] })["ledger-inclusion"])
  })
})

it("a tree of 1 MiB and one that is no text are explained in bounded time", () => {
  const signature = signPersonalMessage("another text", authorKey)
  const started = processorTime()
  for (const tree of [utf8(JSON.stringify({ a: "\r\n".repeat(170_000) })), new Uint8Array(3_000_000).fill(255)]) {
    assert.isEmpty(
      Object.keys(missesOf({ tree, record: { assetTreeSha256: sha256(""), assetTreeSignature: signature } }))
    )
  }
  assert.isBelow(processorTime() - started, 5000)
})

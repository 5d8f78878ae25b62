import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { AssetMeter, measureAsset, needsUnixfs, verify } from "@treemark/core/verify"
import { MemoryBlockstore } from "blockstore-core/memory"
import { importByteStream } from "ipfs-unixfs-importer"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { balanced } from "ipfs-unixfs-importer/layout"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { checksumOf, sha256Of } from "../../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, cidOfSha256, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import { asset, checkOf, inputOf, sign, signed, treeMembers } from "./Fixtures.ts"

const KIB = 1024
const bytesOf = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 97) bytes[at] = at % 251
  return bytes
}

/** The dag-pb block over the leaves of a file of a few chunks, written down from the specification. */
const rootBlock = (bytes: Uint8Array): Uint8Array => {
  const varint = (value: number): ReadonlyArray<number> =>
    value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]
  const chunks = Array.from({ length: Math.ceil(bytes.length / (256 * KIB)) }, (_, at) =>
    bytes.subarray(at * 256 * KIB, (at + 1) * 256 * KIB)
  )
  const links = chunks.flatMap((chunk) => {
    const link = [0x0a, 36, 1, 0x55, 0x12, 32, ...sha256Of(chunk), 0x12, 0, 0x18, ...varint(chunk.length)]
    return [0x12, link.length, ...link]
  })
  const file = [8, 2, 0x18, ...varint(bytes.length), ...chunks.flatMap(({ length }) => [0x20, ...varint(length)])]
  return Uint8Array.from([...links, 0x0a, file.length, ...file])
}

const imported = async (bytes: Uint8Array): Promise<string> => {
  const { cid } = await importByteStream([bytes], new MemoryBlockstore(), {
    cidVersion: 1,
    rawLeaves: true,
    chunker: fixedSize({ chunkSize: 256 * KIB }),
    layout: balanced({ maxChildrenPerNode: 174 })
  })
  return cid.toString()
}

describe("measuring an asset", () => {
  for (const size of [
    0,
    1,
    256 * KIB - 1,
    256 * KIB,
    256 * KIB + 1,
    3 * 256 * KIB,
    174 * 256 * KIB,
    174 * 256 * KIB + 1,
    (2 * 174 + 1) * 256 * KIB
  ]) {
    it(`gives the UnixFS CID that ipfs-unixfs-importer gives: ${size} bytes`, async () => {
      const bytes = bytesOf(size)
      const meter = new AssetMeter({ unixfs: true, newSha256: () => createHash("sha256") })
      for (let at = 0; at < size; at += 100_003) meter.update(bytes.subarray(at, at + 100_003))
      assert.strictEqual(meter.measured().unixfsCid, await imported(bytes))
    })
  }

  it("gives size, sha256 and raw CID, however the bytes are cut, with either hash function", () => {
    const bytes = bytesOf(300_001)
    const expected = { size: 300_001, sha256: checksumOf(bytes), rawCid: cidOf(RAW_CODE, bytes) }
    for (const part of [1_000, 262_144, 300_001]) {
      const meter = new AssetMeter({ unixfs: false })
      for (let at = 0; at < bytes.length; at += part) meter.update(bytes.subarray(at, at + part))
      assert.deepStrictEqual(meter.measured(), expected)
    }
    assert.deepInclude(measureAsset(bytes), expected)
  })

  it("asks for the UnixFS CID only where the tree names one", () => {
    assert.isFalse(needsUnixfs(String(treeMembers.assetCid)))
    assert.isTrue(needsUnixfs("bafybeif3ctgbmiso4oykvwj6jebyrkjxqr26bfrkesla5yr2ypgx47wgle"))
    assert.isFalse(needsUnixfs(undefined))
    assert.isFalse(needsUnixfs("a"))
  })
})

describe("checking an asset", () => {
  const large = bytesOf(600_000)
  const members = { ...treeMembers, assetSha256: checksumOf(large), assetCid: measureAsset(large).unixfsCid! }

  it("of several chunks passes by its UnixFS CID, and another file fails by its sha256", () => {
    const commit = sign(encodeDagJson(members))
    const report = verify(inputOf(commit, { asset: measureAsset(large) }))
    assert.strictEqual(checkOf(report, "asset-cid").outcome, "pass")
    assert.strictEqual(report.verdict, "valid")
    const changed = Uint8Array.from(large)
    changed[599_999]! ^= 1
    const other = verify(inputOf(commit, { asset: measureAsset(changed) }))
    assert.strictEqual(other.verdict, "invalid")
    assert.strictEqual(checkOf(other, "asset-sha256").code, "asset_sha256_differs")
  })

  it("whose CID was made another way counts by its sha256 alone", () => {
    const elsewhere = { ...members, assetCid: "bafybeif3ctgbmiso4oykvwj6jebyrkjxqr26bfrkesla5yr2ypgx47wgle" }
    const report = verify(inputOf(sign(encodeDagJson(elsewhere)), { asset: measureAsset(large) }))
    assert.strictEqual(checkOf(report, "asset-cid").code, "asset_cid_not_comparable")
    assert.strictEqual(report.verdict, "valid")
  })

  it("is never the node that the UnixFS CID names, nor any file with the digest of a Qm… CID", () => {
    const { assetSha256: _, ...unixfsOnly } = members
    const root = rootBlock(large)
    const [codec, digest] = [0x70, sha256Of(root)]
    assert.strictEqual(cidOfSha256(codec, digest), members.assetCid, "the block of 158 bytes or so that the CID is of")
    assert.isBelow(root.length, 200)
    for (const [assetCid, file, code] of [
      [members.assetCid, root, "asset_not_tied"],
      [CID.createV0(Digest.create(0x12, digest)).toString(), root, "asset_not_tied"],
      [CID.createV0(Digest.create(0x12, sha256Of(asset))).toString(), asset, "asset_not_tied"],
      [cidOfSha256(codec, sha256Of(asset)), asset, "asset_not_tied"],
      [members.assetCid, large, "ok"]
    ] as const) {
      const commit = sign(encodeDagJson({ ...unixfsOnly, assetCid }))
      const report = verify(inputOf(commit, { asset: measureAsset(file) }))
      assert.strictEqual(checkOf(report, "asset-cid").code, code)
      assert.strictEqual(report.verdict, code === "ok" ? "valid" : "unconfirmed")
      assert.strictEqual(report.answers.file, code === "ok" ? "same" : "not-comparable")
      const tied = sign(encodeDagJson({ ...unixfsOnly, assetCid, assetSha256: checksumOf(file) }))
      const named = checkOf(verify(inputOf(tied, { asset: measureAsset(file) })), "asset-cid")
      assert.strictEqual(named.code, code === "ok" ? "ok" : "asset_cid_not_comparable")
    }
  })

  it("that nothing ties to the tree is never valid", () => {
    const { assetSha256: _, assetCid: __, ...rest } = treeMembers
    const report = verify(inputOf(sign(encodeDagJson(rest)), { asset: measureAsset(large) }))
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.strictEqual(verify(inputOf(signed)).verdict, "valid")
  })
})

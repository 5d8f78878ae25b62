/**
 * decisions.md, section 5: the asset tree, its checksum, CID and signature, and the commit record, each compared whole with what a
 * reader would build from the request without any of Treemark's code.
 */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { verifyMessage } from "ethers"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"
import { RunningDaemon } from "../layers/RunningDaemon.ts"
import { type Json, Studio, type StudioShape, withStudio } from "./Studio.ts"

const DAG_JSON = 0x0129
const SHA2_256 = 0x12
const CONTRACT = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const INTEGRITY_CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"

const EVERYTHING = {
  encodingFormat: "image/png",
  assetTimestampCreated: 1_234_567_890,
  assetCreator: "Zoë 👩‍🎨",
  licenseName: "CC-BY-4.0",
  licenseDocument: "https://creativecommons.org/licenses/by/4.0/",
  custom: {
    "𝄞 clef": "an astral key, after the keys of the basic plane that may stand beside it",
    "\ud7ff": "a key of the basic plane",
    b: [1.5, -0.25, 1e-7, 12_345.678, 0, true, null, '\u0000\b\t\n\f\r"\\/\u2028é'],
    a: { z: {}, "": [] },
    generatedBy: "a model",
    assetSourceType: "forged"
  },
  nftContractAddress: CONTRACT.toLowerCase(),
  nftChainID: 1,
  nftTokenID: "42",
  commitMessage: "all fields",
  action: "action-mint-erc721-nft",
  abstract: "A caption",
  headline: "A title",
  integrityCid: INTEGRITY_CID
}

const utf8 = (text: string) => Buffer.from(text, "utf8")

/** JSON with the keys of every object in the order of their UTF-8 bytes and no spaces: canonical dag-json for these values. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => Buffer.compare(utf8(one), utf8(other)))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`
}

const treeOf = ({ asset, account }: StudioShape, members: Json): Json => ({
  assetCid: asset.assetCid,
  assetSha256: asset.assetSha256,
  encodingFormat: asset.encodingFormat,
  assetTimestampCreated: 1_780_000_000,
  assetCreator: "Alice",
  creatorWallet: account.wallet,
  license: { name: null, document: null },
  assetSourceType: "darkroomUpload",
  ...members
})

withStudio({ serviceName: "darkroom" })("decisions.md, asset tree and commit record", (it) => {
  it.effect("the smallest request: the tree has the members of section 5 and no other", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { bytes } = yield* studio.tree((yield* studio.commit()).assetTreeCid)
      assert.strictEqual(Buffer.from(bytes).toString("utf8"), canonical(treeOf(studio, {})))
    })
  )

  it.effect(
    "every field: the tree's bytes are canonical dag-json, keys in UTF-8 byte order, custom under its own key",
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        const { bytes } = yield* studio.tree((yield* studio.commit(EVERYTHING)).assetTreeCid)
        const { assetSourceType: _, ...custom } = EVERYTHING.custom
        const expected = treeOf(studio, {
          encodingFormat: "image/png",
          assetTimestampCreated: 1_234_567_890,
          assetCreator: EVERYTHING.assetCreator,
          license: { name: "CC-BY-4.0", document: EVERYTHING.licenseDocument },
          abstract: "A caption",
          headline: "A title",
          integrityCid: INTEGRITY_CID,
          nftRecord: { chainID: 1, contractAddress: CONTRACT, tokenID: "42" },
          custom
        })
        const text = Buffer.from(bytes).toString("utf8")
        assert.deepStrictEqual(JSON.parse(text), JSON.parse(canonical(expected)))
        assert.strictEqual(text, canonical(expected))
        assert.isBelow(text.indexOf("\uffee"), text.indexOf("𝄞 clef"))
      })
  )

  it.effect("assetTreeSha256 is the sha256 of those bytes; assetTreeCid is CIDv1, dag-json, of the same sha256", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { txHash, assetTreeCid } = yield* studio.commit(EVERYTHING)
      const { bytes } = yield* studio.tree(assetTreeCid)
      const sha256 = createHash("sha256").update(bytes).digest()
      const { commit } = yield* studio.record(txHash)
      assert.strictEqual(commit.assetTreeSha256, sha256.toString("hex"))
      assert.strictEqual(assetTreeCid, CID.createV1(DAG_JSON, Digest.create(SHA2_256, sha256)).toString())
      assert.match(assetTreeCid, /^baguqeera/)
    })
  )

  it.effect(
    "assetTreeSignature is EIP-191 over the 64 hex characters as text: 65 bytes, low s, v 27 or 28, the author's",
    () =>
      Effect.gen(function* () {
        const studio = yield* Studio
        for (let number = 0; number < 6; number++) {
          const { txHash } = yield* studio.commit({ headline: `signed ${number}` })
          const { commit } = yield* studio.record(txHash)
          const signature = String(commit.assetTreeSignature)
          assert.match(signature, /^0x[0-9a-f]{128}(1b|1c)$/)
          const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
          assert.isTrue(BigInt(`0x${signature.slice(66, 130)}`) <= halfOrder, "low s")
          assert.strictEqual(verifyMessage(String(commit.assetTreeSha256), signature), studio.account.wallet)
        }
      })
  )

  it.effect("the commit record has the members of section 5 and no other, in full", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { admin, call, url } = yield* RunningDaemon
      const earliest = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
      const { txHash, assetTreeCid } = yield* studio.commit(EVERYTHING)
      const { commit, recorder } = yield* studio.record(txHash)
      const { committer } = (yield* admin("wallet", "show")) as { readonly committer: string }
      const { sha256 } = yield* studio.tree(assetTreeCid)
      const { assetTreeSignature, timestampCreated, provider, ...others } = commit
      assert.deepStrictEqual(others, {
        assetTreeCid,
        assetTreeSha256: sha256,
        author: studio.account.wallet,
        committer,
        action: "bafkreiakk6le5wgbl3zz3acybd2wfc2y32mpmxj4kbjjjskom7cy2akwly",
        actionName: "action-mint-erc721-nft",
        actionResult: `${url}/ipfs/${assetTreeCid}`,
        abstract: "all fields"
      })
      assert.strictEqual(recorder, committer)
      assert.match(String(assetTreeSignature), /^0x[0-9a-f]{130}$/)
      assert.isString(provider)
      assert.isNotEmpty(provider)
      assert.isTrue(Number.isInteger(timestampCreated))
      assert.isAtLeast(Number(timestampCreated), earliest)
      assert.isAtMost(Number(timestampCreated), Math.ceil((yield* Clock.currentTimeMillis) / 1_000))
      const fetched = yield* call(String(commit.actionResult))
      assert.strictEqual(createHash("sha256").update(fetched.bytes).digest("hex"), sha256)
    })
  )

  it.effect('"Nothing chain-specific goes into the tree": the same request gives the same tree on both networks', () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const turned = Object.fromEntries(Object.entries(EVERYTHING).reverse())
      const trees = [
        yield* studio.commit(EVERYTHING),
        yield* studio.commit({ ...turned, testnet: true }),
        yield* studio.commit({ ...EVERYTHING, commitMessage: "another", action: "action-commit" })
      ]
      assert.strictEqual(new Set(trees.map(({ assetTreeCid }) => assetTreeCid)).size, 1)
    })
  )

  it.effect("/ipfs/{assetTreeCid} serves the tree as a plain file, as a raw block and as a CAR", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { call } = yield* RunningDaemon
      const { assetTreeCid } = yield* studio.commit()
      const { bytes } = yield* studio.tree(assetTreeCid)
      const raw = yield* call(`/ipfs/${assetTreeCid}?format=raw`)
      assert.strictEqual(raw.headers["content-type"], "application/vnd.ipld.raw")
      assert.deepStrictEqual(raw.bytes, bytes)
      const car = yield* call(`/ipfs/${assetTreeCid}?format=car`)
      assert.match(String(car.headers["content-type"]), /^application\/vnd\.ipld\.car/)
      assert.include(car.text, Buffer.from(bytes).toString("utf8"))
    })
  )
})

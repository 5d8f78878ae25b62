/** The nit tree format: trees of the public networks from their members, byte for byte; our own as those readers expect them. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { verify } from "@treemark/core/verify"
import { Effect } from "effect"
import { type AssetTree, assetTreeOf } from "../../../packages/core/src/asset-tree/AssetTree.ts"
import { NitTree } from "../../../packages/core/src/asset-tree/NitTree.ts"
import { walletAddress } from "../../../packages/core/src/identity/WalletAddress.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { commitBody, custom, type Json, type JsonObject, plainBody } from "../Generators.ts"
import { author, inputOf, sign } from "../verification/Fixtures.ts"

interface Published {
  readonly id: string
  readonly input: { readonly tree_bytes_base64: string }
  readonly expected: { readonly assetTreeSha256: string; readonly assetTreeCid: string }
}

const published: ReadonlyArray<Published> = JSON.parse(
  readFileSync(new URL("../../vectors/numbers-asset-trees.json", import.meta.url), "utf8")
)

const ORDER = [
  "assetCid",
  "assetSha256",
  "encodingFormat",
  "assetTimestampCreated",
  "assetCreator",
  "license",
  "abstract",
  "headline",
  "nftRecord",
  "integrityCid"
]

/** A published tree taken apart: members in our order, and from the first key that is none of them on, `custom`. */
const membersOf = (tree: JsonObject): AssetTree => {
  const entries = Object.entries(tree)
  let last = -1
  const end = entries.findIndex(([name]) => {
    const place = ORDER.indexOf(name)
    const isNext = place > last
    last = place
    return !isNext
  })
  const count = end === -1 ? entries.length : end
  return { ...Object.fromEntries(entries.slice(0, count)), custom: Object.fromEntries(entries.slice(count)) }
}

const treeOf = (body: Json): AssetTree => {
  const request = Effect.runSync(decodeCommitRequest(body))
  return assetTreeOf({ request, author: walletAddress(author), serviceName: "capture", signedAt: "daemon" })
}

const textOf = (tree: AssetTree): string => new TextDecoder().decode(NitTree.encode(tree).bytes)

describe("the nit tree format", () => {
  for (const { expected, id, input } of published) {
    it(`makes the published tree ${id} of its members, byte for byte`, () => {
      const bytes = Buffer.from(input.tree_bytes_base64, "base64")
      const members = membersOf(JSON.parse(bytes.toString("utf8")))
      const shuffled = Object.fromEntries(Object.entries(members).reverse())
      const made = NitTree.encode(shuffled)
      assert.strictEqual(Buffer.from(made.bytes).toString("utf8"), bytes.toString("utf8"))
      assert.strictEqual(made.sha256, expected.assetTreeSha256)
      assert.strictEqual(made.cid, expected.assetTreeCid)
    })
  }

  it("has the members in its order, then custom at top level; two spaces, no newline at the end, a raw CID", () => {
    const tree = treeOf({
      integrityCid: plainBody.assetCid,
      nftTokenID: "7",
      nftChainID: 1,
      nftContractAddress: author,
      headline: "Zeile “ä” 👩‍🔬",
      abstract: "a\nb",
      licenseName: "MIT",
      custom: { z: 0.5, a: [], 10: {}, "": null },
      ...plainBody
    })
    assert.strictEqual(
      textOf(tree),
      `{
  "assetCid": "${plainBody.assetCid}",
  "assetSha256": "${plainBody.assetSha256}",
  "encodingFormat": "${plainBody.encodingFormat}",
  "assetTimestampCreated": ${plainBody.assetTimestampCreated},
  "assetCreator": "${plainBody.assetCreator}",
  "license": {
    "name": "MIT",
    "document": null
  },
  "abstract": "a\\nb",
  "headline": "Zeile “ä” 👩‍🔬",
  "nftRecord": {
    "chainID": 1,
    "contractAddress": "${author}",
    "tokenID": "7"
  },
  "integrityCid": "${plainBody.assetCid}",
  "10": {},
  "z": 0.5,
  "a": [],
  "": null
}`
    )
    assert.match(NitTree.encode(tree).cid, /^bafkrei/)
  })

  it("has no license when none was given, and neither creatorWallet nor assetSourceType", () => {
    assert.deepStrictEqual(Object.keys(JSON.parse(textOf(treeOf(plainBody)))), ORDER.slice(0, 5))
  })

  it("names a key of custom that is one of its members, given or not, with where it belongs", () => {
    for (const name of ORDER) {
      const [problem, ...others] = NitTree.customProblems({ ...treeOf(plainBody), custom: { ok: 1, [name]: "x" } })
      assert.strictEqual(problem?.path, `/custom/${name}`)
      assert.include(problem?.message, "Give it as ")
      assert.isEmpty(others)
    }
    assert.throws(() => NitTree.encode({ ...treeOf(plainBody), custom: { assetCid: "x" } }), TypeError, "assetCid")
    const ours = { ...treeOf(plainBody), custom: { constructor: 1, creatorWallets: 2, assetcid: 3 } }
    assert.isEmpty(NitTree.customProblems(ours))
  })

  it("takes creatorWallet in custom only when it is the author's, and then the signature covers who that is", () => {
    const ours = { ...treeOf(plainBody), custom: { creatorWallet: author } }
    assert.isEmpty(NitTree.customProblems(ours))
    const other = { ...ours, custom: { creatorWallet: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" } }
    assert.strictEqual(NitTree.customProblems(other)[0]?.path, "/custom/creatorWallet")

    const covered = verify(inputOf(sign(NitTree.encode(ours).bytes)))
    assert.deepInclude(covered, { verdict: "valid", author })
    assert.strictEqual(covered.provenance.author, "signed")
    const claimed = verify(inputOf(sign(NitTree.encode(treeOf(plainBody)).bytes)))
    assert.deepInclude(claimed, { verdict: "valid", author })
    assert.strictEqual(claimed.provenance.author, "claimed")
  })

  it.prop(
    "reads back as the members it was made of, and as JSON.stringify with two spaces writes them",
    [commitBody, custom],
    ([body, more]) => {
      const own = Object.fromEntries(Object.entries(more).filter(([key]) => !ORDER.includes(key)))
      const tree = { ...treeOf(body), custom: own }
      const text = textOf(tree)
      const read = JSON.parse(text) as JsonObject
      for (const [key, value] of Object.entries(own)) {
        assert.strictEqual(
          JSON.stringify(Object.getOwnPropertyDescriptor(read, key)?.value),
          JSON.stringify(value),
          key
        )
      }
      const isNumberLike = Object.keys(own).some((key) => /^\d+$/.test(key))
      if (!isNumberLike) assert.strictEqual(text, JSON.stringify(read, null, 2))
    }
  )
})

/** The letter of a commit in a history, from a real verification of it. */
import { assert, describe, it } from "@effect/vitest"
import { type VerifyInput, verify } from "@treemark/core/verify"
import { cidOf, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { statusOf } from "../../../packages/core/src/history/Status.ts"
import { inputOf, sign, strangerKey, treeMembers, utf8 } from "../verification/Fixtures.ts"

const assetCid = String(treeMembers.assetCid)
const tree = utf8(JSON.stringify(treeMembers))
const signed = inputOf(sign(tree))
const statusFor = (input: VerifyInput, isTreeHere = true) => statusOf(verify(input), { assetCid, isTreeHere })

describe("the status of a commit", () => {
  it("is G when the author signed the tree", () => {
    assert.deepStrictEqual(statusFor(signed), { letter: "G", codes: [] })
  })

  it("is U when somebody else signed it, and says so", () => {
    const status = statusFor(inputOf(sign(tree, { key: strangerKey })))
    assert.strictEqual(status.letter, "U")
    assert.deepStrictEqual(status.codes, ["signer_not_author"])
  })

  it("is B when the tree is another than the one that was signed", () => {
    const status = statusFor({ ...signed, tree: utf8(JSON.stringify({ ...treeMembers, abstract: "another" })) })
    assert.strictEqual(status.letter, "B")
    assert.include(status.codes, "tree_sha256_differs")
  })

  it("is B when a tree that holds in itself is about another asset: anybody may commit it under this one's name", () => {
    const elsewhere = cidOf(RAW_CODE, utf8("another asset"))
    assert.strictEqual(verify(signed).verdict, "valid")
    assert.deepStrictEqual(statusOf(verify(signed), { assetCid: elsewhere, isTreeHere: true }), {
      letter: "B",
      codes: ["inclusion_asset_differs"]
    })
  })

  it("is U when the tree names no asset", () => {
    const { assetCid: _, ...others } = treeMembers
    const status = statusFor(inputOf(sign(utf8(JSON.stringify(others)))))
    assert.deepStrictEqual(status, { letter: "U", codes: ["inclusion_asset_unknown"] })
  })

  it("is N without the tree, and what is wrong already is still named, worst first", () => {
    const { tree: _, ...alone } = signed
    assert.deepStrictEqual(statusFor(alone, false), { letter: "N", codes: ["tree_not_given"] })
    const { codes, letter } = statusFor({ record: { ...alone.record, assetTreeSignature: "0x12" } }, false)
    assert.strictEqual(letter, "N")
    assert.deepStrictEqual(codes, ["signature_malformed", "tree_not_given"])
  })
})

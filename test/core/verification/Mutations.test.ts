/** Whatever is changed in what was signed, verification notices. */
import { assert, describe, it } from "@effect/vitest"
import { inputOfProof, parseProof, proofOf, proofText, verify } from "@treemark/core/verify"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import type { JsonValue } from "../../../packages/core/src/json/JsonValue.ts"
import { inputOf, ledger, proofFile, sign, signed, treeMembers, utf8 } from "./Fixtures.ts"

const otherThan = (value: JsonValue): JsonValue =>
  typeof value === "string" ? `${value}x` : typeof value === "number" ? value + 1 : { changed: true }

describe("mutations", () => {
  it("the untouched commit is valid, so that every refusal below is the mutation's", () => {
    assert.strictEqual(verify(inputOf(signed)).verdict, "valid")
  })

  it("any change of any one byte of the tree makes it invalid", () => {
    const recover = () => ({ ok: true as const, signer: String(treeMembers.creatorWallet) })
    for (let at = 0; at < signed.tree.length; at++) {
      for (const bit of [1, 0x20, 0x80]) {
        const tree = Uint8Array.from(signed.tree)
        tree[at]! ^= bit
        assert.strictEqual(verify({ ...inputOf({ ...signed, tree }), recover }).verdict, "invalid", `byte ${at}`)
      }
    }
  })

  it("any byte added or cut off makes it invalid", () => {
    for (const tree of [
      signed.tree.subarray(1),
      signed.tree.subarray(0, -1),
      Uint8Array.of(...signed.tree, 0x0a),
      Uint8Array.of(0x20, ...signed.tree),
      Uint8Array.of(...signed.tree, 0),
      new Uint8Array()
    ]) {
      assert.strictEqual(verify(inputOf({ ...signed, tree })).verdict, "invalid")
    }
  })

  it("any member changed, removed or added makes it invalid", () => {
    for (const [name, value] of Object.entries(treeMembers)) {
      const { [name]: _, ...rest } = treeMembers
      for (const members of [
        rest,
        { ...treeMembers, [name]: otherThan(value) },
        { ...treeMembers, [`${name}2`]: value }
      ]) {
        assert.strictEqual(verify(inputOf({ ...signed, tree: encodeDagJson(members) })).verdict, "invalid", name)
      }
    }
  })

  it("the same members written another way make it invalid: a tree is hashed as it is, never re-serialised", () => {
    for (const text of [
      JSON.stringify(treeMembers),
      JSON.stringify(treeMembers, null, 2),
      `${new TextDecoder().decode(signed.tree)}\n`
    ]) {
      assert.strictEqual(verify(inputOf({ ...signed, tree: utf8(text) })).verdict, "invalid")
    }
    const pretty = sign(utf8(JSON.stringify(treeMembers, null, 2)))
    assert.strictEqual(verify(inputOf(pretty)).verdict, "valid")
  })

  it("any member of the record that verification reads, changed, is not valid", () => {
    for (const [name, value] of Object.entries({ ...signed.record })) {
      const reading = parseProof(utf8(proofFile))
      assert.isTrue(reading.ok)
      if (!reading.ok) return
      const record = { ...signed.record, [name]: otherThan(value) }
      assert.strictEqual(verify({ ...inputOfProof(reading.proof), record }).verdict, "invalid", name)
    }
  })

  it("a record and commit data changed alike are noticed where the signature or the ledger cover them", () => {
    for (const name of ["assetTreeCid", "assetTreeSha256", "assetTreeSignature", "author", "committer"] as const) {
      const commitData = JSON.stringify({ ...signed.record, [name]: `${signed.record[name]}00` })
      const text = proofText(
        proofOf({ tree: { cid: signed.record.assetTreeCid, bytes: signed.tree }, commitData, ledger })
      )
      const reading = parseProof(utf8(text))
      assert.notStrictEqual(reading.ok ? verify(inputOfProof(reading.proof)).verdict : "", "valid", name)
    }
  })

  it("any hex digit of the signature changed never stays valid", () => {
    const { assetTreeSignature } = signed.record
    for (let at = 2; at < assetTreeSignature.length; at += 7) {
      const digit = assetTreeSignature.charAt(at) === "0" ? "1" : "0"
      const changed = assetTreeSignature.slice(0, at) + digit + assetTreeSignature.slice(at + 1)
      const report = verify({ tree: signed.tree, record: { ...signed.record, assetTreeSignature: changed } })
      assert.notStrictEqual(report.verdict, "valid", `digit ${at}`)
    }
  })
})

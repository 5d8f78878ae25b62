/** The letter of a commit in a history, from a real verification of it. */
import { assert, describe, it } from "@effect/vitest"
import { type VerifyInput, verify } from "@treemark/core/verify"
import { cidOf, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { signedActOf, statusOf } from "../../../packages/core/src/history/Status.ts"
import {
  committer,
  inputOf,
  ledger,
  sign,
  signAct,
  stranger,
  strangerKey,
  treeMembers,
  utf8
} from "../verification/Fixtures.ts"

const assetCid = String(treeMembers.assetCid)
const tree = utf8(JSON.stringify(treeMembers))
const signed = inputOf(sign(tree))
const trustedRecorders = new Set([committer])
const statusFor = (input: VerifyInput, isTreeHere = true) =>
  statusOf(verify(input), { assetCid, isTreeHere, trustedRecorders })

describe("the status of a commit", () => {
  it("is G when the author signed the tree, and a trusted wallet recorded it", () => {
    assert.deepStrictEqual(statusFor(signed), { letter: "G", codes: [] })
    assert.deepStrictEqual(statusFor({ ...signed, ledger }), { letter: "G", codes: [] })
  })

  it("is R when anybody else recorded the author's tree: what was done is that wallet's word", () => {
    const strangers = { ...signed, record: { ...signed.record, committer: stranger } }
    for (const input of [strangers, { ...strangers, ledger: { ...ledger, recorder: stranger } }]) {
      assert.deepStrictEqual(statusFor(input), { letter: "R", codes: [] })
    }
    const asked = { assetCid, isTreeHere: true, trustedRecorders: new Set<string>() }
    assert.strictEqual(statusOf(verify(signed), asked).letter, "R")
    assert.strictEqual(statusFor({ ...signed, record: { ...signed.record, committer: "an identity" } }).letter, "R")
  })

  it("is read off the recorder that the place names, not off the committer that the record claims", () => {
    const { committer: _, ...silent } = signed.record ?? {}
    const claims = { ...signed, record: { ...silent, action: null, actionName: null, abstract: null } }
    assert.isNull(verify(claims).act)
    assert.strictEqual(statusFor({ ...claims, ledger: { ...ledger, recorder: stranger } }).letter, "R")
    assert.strictEqual(statusFor({ ...claims, ledger }).letter, "G")
    assert.strictEqual(statusFor(claims).letter, "G")
  })

  it("is G when the author signed the act, whoever recorded it; the same act again is a copy, and R", () => {
    const made = sign(tree)
    const place = { ...ledger, recorder: stranger }
    const record = { ...made.record, committer: stranger, actSignature: signAct(made.record, place) }
    const report = verify({ tree, record, ledger: place })
    const act = signedActOf(report)
    assert.isDefined(act)
    const asked = { assetCid, isTreeHere: true, trustedRecorders: new Set<string>() }
    assert.strictEqual(statusOf(report, asked).letter, "G")
    assert.strictEqual(statusOf(report, { ...asked, actsBefore: new Set(["another"]) }).letter, "G")
    const shortV = record.actSignature.replace(/1b$/u, "00").replace(/1c$/u, "01")
    const again = verify({ tree, record: { ...record, actSignature: shortV }, ledger: { ...place, blockNumber: 99 } })
    assert.strictEqual(statusOf(again, { ...asked, actsBefore: new Set([act!]) }).letter, "R")
    const trusted = { ...asked, trustedRecorders: new Set([stranger]), actsBefore: new Set([act!]) }
    assert.strictEqual(statusOf(again, trusted).letter, "G")
    assert.isUndefined(signedActOf(verify(signed)))
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
    assert.deepStrictEqual(statusOf(verify(signed), { assetCid: elsewhere, isTreeHere: true, trustedRecorders }), {
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

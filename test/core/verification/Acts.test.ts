/** Whose word an act is: the author's who signed it, or the recorder's. A stranger's second commit of a signed tree never reads as the author's. */
import { assert, describe, it } from "@effect/vitest"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { hexToBytes } from "@noble/hashes/utils.js"
import { type Report, type VerifyInput, verify } from "@treemark/core/verify"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import { canonicalSignature } from "../../../packages/core/src/asset-tree/Signature.ts"
import { type CommitRecord, commitDataOf } from "../../../packages/core/src/proof/CommitRecord.ts"
import { block, checkpointOf, commitLog, receiptOf } from "./Block.ts"
import {
  author,
  authorKey,
  checkOf,
  committer,
  committerKey,
  ledger,
  sign,
  signAct,
  signed,
  stranger,
  strangerKey,
  without
} from "./Fixtures.ts"

/** The commit's record with the act signed by its author, and with `changes` made after that. */
const acted = (changes: object = {}, key = authorKey): VerifyInput => ({
  tree: signed.tree,
  ledger,
  record: { ...signed.record, actSignature: signAct(signed.record, ledger, key), ...changes }
})
const codeOf = (report: Report): string => checkOf(report, "act-signature").code
const whose = ({ act }: Report) => ({ by: act?.by, provenance: act?.provenance, recorder: act?.recorder })

/** `record` in a block that the reader knows, recorded by `key`. */
const onLedger = async (record: object, key: Uint8Array, recorder: string): Promise<VerifyInput> => {
  const commitData = commitDataOf(record as CommitRecord)
  const made = await block({
    receipts: [receiptOf([commitLog({ data: commitData, recorder })])],
    transactionIndex: 0,
    logPosition: 0,
    logIndex: 0,
    transaction: { key }
  })
  return {
    tree: signed.tree,
    record: { ...record },
    commitData,
    inclusion: made.inclusion,
    ledger: { ...made.place, recorder },
    checkpoints: [checkpointOf(made)]
  }
}

describe("an act", () => {
  it("is the author's only with the author's signature of it, and the claimed word of its recorder without", () => {
    const own = verify(acted())
    assert.deepStrictEqual(codeOf(own), "ok")
    assert.strictEqual(own.verdict, "valid")
    assert.deepStrictEqual(whose(own), { by: "author", provenance: "signed", recorder: committer })
    const plain = verify({ tree: signed.tree, ledger, record: { ...signed.record } })
    assert.strictEqual(codeOf(plain), "act_signature_not_given")
    assert.deepStrictEqual(whose(plain), { by: "recorder", provenance: "claimed", recorder: committer })
    assert.strictEqual(plain.verdict, "valid")
  })

  it("of a stranger who commits the author's tree again is the stranger's, whatever it says and whoever it names", async () => {
    const { actionName } = signed.record
    const sold = { ...signed.record, abstract: "I sell all rights", committer: stranger }
    const report = verify(await onLedger(sold, strangerKey, stranger))
    assert.strictEqual(report.verdict, "valid")
    assert.deepStrictEqual(report.act, {
      action: signed.record.action,
      actionName,
      message: "I sell all rights",
      recorder: stranger,
      by: "recorder",
      provenance: "ledger"
    })
    const copied = { ...sold, actSignature: signAct(signed.record, ledger) }
    const withCopy = verify(await onLedger(copied, strangerKey, stranger))
    assert.deepStrictEqual([withCopy.verdict, codeOf(withCopy)], ["invalid", "act_signature_differs"])
    const ownWords = {
      ...sold,
      actSignature: signAct({ ...signed.record, abstract: sold.abstract }, ledger, strangerKey)
    }
    const withOwn = verify(await onLedger(ownWords, strangerKey, stranger))
    assert.deepStrictEqual([withOwn.verdict, codeOf(withOwn)], ["invalid", "act_signature_differs"])
    assert.strictEqual(withOwn.act?.by, "recorder")
  })

  it("that was changed in any of its parts after it was signed is invalid", () => {
    for (const changes of [
      { abstract: "another message" },
      { abstract: undefined },
      { action: "bafkreigzixvzu2tbxbvmvwcvlz2zwoagmb6c2q5egaq4lmd5sesyopmmx4" },
      { action: null },
      { timestampCreated: signed.record.timestampCreated + 1 },
      { timestampCreated: String(signed.record.timestampCreated) },
      { timestampCreated: 1e300 },
      { abstract: "\ud800" }
    ]) {
      const report = verify(acted(changes))
      assert.strictEqual(codeOf(report), "act_signature_differs", JSON.stringify(changes))
      assert.strictEqual(report.verdict, "invalid")
      assert.strictEqual(report.act?.by, "recorder")
    }
    for (const place of [{ chainId: 10507 }, { contract: stranger }]) {
      assert.strictEqual(codeOf(verify({ ...acted(), ledger: { ...ledger, ...place } })), "act_signature_differs")
    }
    const otherTree = sign(encodeDagJson({ ...without(), abstract: "another caption" }))
    const moved = { ...otherTree.record, actSignature: signAct(signed.record, ledger) }
    assert.strictEqual(codeOf(verify({ tree: otherTree.tree, ledger, record: moved })), "act_signature_differs")
  })

  it("signs no more than it says: who recorded it, where in the chain, and what the action is called may be anything", () => {
    const report = verify(acted({ actionName: "action-mint-erc721-nft", provider: "another", committer: stranger }))
    assert.strictEqual(codeOf(report), "ok")
  })

  it("is signed in any letter case of addresses and of the checksum, and by any form of signature; the report has one form", () => {
    const sum = signed.record.assetTreeSha256.toUpperCase()
    const given = signAct({ ...signed.record, assetTreeSha256: sum, author: author.toLowerCase() }, ledger)
    const place = { ...ledger, contract: ledger.contract.toLowerCase() }
    for (const actSignature of [given, given.replace(/1b$/, "00").replace(/1c$/, "01"), compact(given)]) {
      const report = verify({ ...acted({ actSignature, author: author.toLowerCase() }), ledger: place })
      assert.strictEqual(codeOf(report), "ok")
      assert.strictEqual(checkOf(report, "act-signature").actual, canonicalSignature(given))
    }
  })

  it("with something that is no signature is invalid; without a place on a ledger its signature cannot be told", () => {
    const given = signAct(signed.record, ledger)
    const highS = `${given.slice(0, 66)}${(secp256k1.Point.CURVE().n - BigInt(`0x${given.slice(66, 130)}`)).toString(16).padStart(64, "0")}1b`
    for (const actSignature of [
      "",
      "0x",
      "0x1234",
      highS,
      `0x${"0".repeat(130)}`,
      `0x${"0".repeat(63)}5${"0".repeat(63)}11b`
    ]) {
      const report = verify(acted({ actSignature }))
      assert.deepStrictEqual([report.verdict, codeOf(report)], ["invalid", "act_signature_malformed"], actSignature)
    }
    const ofContract = verify(acted({ actSignature: `0x${"00".repeat(96)}${"6492".repeat(16)}` }))
    assert.deepStrictEqual([ofContract.verdict, codeOf(ofContract)], ["unconfirmed", "contract_wallet_signature"])
    const { ledger: _, ...nowhere } = acted()
    assert.strictEqual(codeOf(verify(nowhere)), "act_place_unknown")
    assert.strictEqual(verify(nowhere).act?.by, "recorder")
  })

  it("of a tree that names no author is its signer's; of an author that only the record names it is nobody's proof", () => {
    const anonymous = sign(encodeDagJson(without("creatorWallet")))
    const own = { ...anonymous.record, actSignature: signAct(anonymous.record, ledger) }
    const report = verify({ tree: anonymous.tree, ledger, record: own })
    assert.deepStrictEqual([codeOf(report), report.act?.by], ["ok", "author"])
    const taken = { ...anonymous.record, author: stranger }
    const theirs = { ...taken, actSignature: signAct(taken, ledger, strangerKey) }
    const expected = verify({ tree: anonymous.tree, ledger, record: theirs, expectedAuthor: author })
    assert.strictEqual(expected.verdict, "valid")
    assert.deepStrictEqual([codeOf(expected), expected.act?.by], ["author_only_in_record", "recorder"])
  })

  it("of a tree whose signature does not hold is nobody's", () => {
    const report = verify(acted({ assetTreeSignature: "0x12" }))
    assert.deepStrictEqual([codeOf(report), report.act?.by], ["signer_unknown", "recorder"])
  })

  it("beside another tree than the one it was done with is nobody's, whoever that tree names", () => {
    const spaced = new TextEncoder().encode(`${new TextDecoder().decode(signed.tree)} `)
    const report = verify({ ...acted(), tree: spaced })
    assert.deepStrictEqual([report.verdict, codeOf(report), report.act?.by], ["invalid", "signer_unknown", "recorder"])
  })

  it("stays the author's when a stranger records it, once more by the stranger's transaction", async () => {
    const record = { ...signed.record, committer: stranger, actSignature: signAct(signed.record, ledger) }
    const report = verify(await onLedger(record, strangerKey, stranger))
    assert.strictEqual(report.verdict, "valid")
    assert.deepStrictEqual(whose(report), { by: "author", provenance: "signed", recorder: stranger })
  })

  it("is the ledger's word only when the record is the text on the ledger", async () => {
    const input = await onLedger(signed.record, committerKey, committer)
    assert.strictEqual(verify(input).act?.provenance, "ledger")
    const changed = verify({ ...input, record: { ...input.record, abstract: "another message" } })
    assert.deepStrictEqual(whose(changed), { by: "recorder", provenance: "claimed", recorder: committer })
    assert.deepInclude(changed.provenance, { committer: "claimed", ledger: "ledger", time: "ledger" })
  })

  it("is null where no record says anything of one", () => {
    const { assetTreeSha256, assetTreeSignature } = signed.record
    assert.isNull(verify({ tree: signed.tree, record: { assetTreeSha256, assetTreeSignature } }).act)
    assert.isNull(verify({}).act)
    assert.deepStrictEqual(verify({ record: { committer: "an identity" } }).act?.recorder, null)
    assert.deepStrictEqual(verify({ record: { abstract: "x" } }).act?.message, "x")
  })
})

const compact = (signature: string): string => {
  const bytes = hexToBytes(signature.slice(2))
  if (bytes[64] === 28) bytes[32]! |= 0x80
  return `0x${[...bytes.subarray(0, 64)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

import { assert, describe, it } from "@effect/vitest"
import { CHECKS, type JsonObject, measureAsset, verify } from "@treemark/core/verify"
import { CID } from "multiformats/cid"
import { create as createDigest } from "multiformats/hashes/digest"
import { cidOf, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import {
  asset,
  author,
  checkOf,
  codesOf,
  committer,
  inputOf,
  ledger,
  proofInput,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8,
  without,
  withSignature
} from "./Fixtures.ts"

const anonymous = sign(encodeDagJson(without("creatorWallet")))
const byStranger = sign(signed.tree, { key: strangerKey })

describe("verification of a whole proof", () => {
  it("is valid when everything holds and the signer is the author", () => {
    const report = verify({ ...proofInput(), asset: measureAsset(asset) })
    assert.strictEqual(report.verdict, "valid")
    assert.deepStrictEqual(codesOf(report), [])
    assert.deepStrictEqual(
      { ...report, checks: [], provenance: null },
      {
        verdict: "valid",
        author,
        signer: author,
        committer,
        assetCid: String(treeMembers.assetCid),
        assetTreeCid: signed.record.assetTreeCid,
        assetTreeSha256: signed.record.assetTreeSha256,
        time: "2023-11-14T22:13:21Z",
        ledger,
        signerName: null,
        act: {
          action: signed.record.action,
          actionName: "action-commit",
          message: "Action action-commit.",
          recorder: committer,
          by: "recorder",
          provenance: "claimed"
        },
        answers: { file: "same", who: "unknown", when: "claimed" },
        witnesses: [],
        provenance: null,
        checks: []
      }
    )
  })

  it("marks each value as signed or claimed", () => {
    assert.deepStrictEqual(verify(proofInput()).provenance, {
      author: "signed",
      signer: "signed",
      committer: "claimed",
      assetCid: "signed",
      assetTreeCid: "signed",
      assetTreeSha256: "signed",
      time: "claimed",
      ledger: "claimed"
    })
  })

  it("calls nothing signed that the signature does not cover", () => {
    const tampered = encodeDagJson({ ...treeMembers, assetCid: "x" })
    const { provenance } = verify({ ...proofInput(), tree: tampered })
    assert.deepStrictEqual(
      [provenance.author, provenance.assetCid, provenance.assetTreeCid, provenance.assetTreeSha256],
      ["claimed", "claimed", "claimed", "claimed"]
    )
    assert.strictEqual(verify(inputOf(anonymous)).provenance.author, "claimed")
    assert.isNull(verify({}).provenance.signer)
  })

  it("reports every check once, in the same order, whatever the input", () => {
    for (const input of [{}, proofInput(), { tree: utf8("x") }, withSignature(null)]) {
      assert.deepStrictEqual(
        verify(input).checks.map(({ name }) => name),
        Object.keys(CHECKS)
      )
    }
  })

  it("never lets one problem hide another", () => {
    const report = verify({
      ...proofInput(),
      tree: utf8('{"a":1,"a":2}'),
      record: { ...signed.record, assetTreeSignature: "0x12", author: stranger },
      ledger: { ...ledger, recorder: stranger },
      asset: measureAsset(utf8("another file")),
      expectedAuthor: "nobody"
    })
    assert.deepStrictEqual(codesOf(report), [
      "tree_duplicate_key",
      "tree_sha256_differs",
      "tree_cid_differs",
      "signature_malformed",
      "expected_author_malformed",
      "commit_data_differs",
      "committer_differs"
    ])
  })
})

describe("members of the wrong kind", () => {
  const wrong = [5, 0, true, false, [], ["0x12"], {}, { "/": "bafkqaaa" }]
  const codeWith = (member: string, value: unknown) => {
    const report = verify(inputOf(signed, { record: { ...signed.record, [member]: value } as JsonObject }))
    return [checkOf(report, "record-members").code, report.verdict]
  }

  for (const member of [...Object.keys(signed.record), "actSignature"]) {
    it(`${member} of the record: never taken for absent, and null is not given`, () => {
      for (const value of member === "timestampCreated" ? [...wrong.slice(2), "1700000001"] : wrong) {
        assert.deepStrictEqual(codeWith(member, value), ["record_member_malformed", "invalid"], JSON.stringify(value))
      }
      assert.strictEqual(codeWith(member, null)[0], "ok")
    })
  }

  it("is told which, and what it is; what verification does not read may be anything", () => {
    const report = verify(inputOf(signed, { record: { ...signed.record, committer: ["0x"] } }))
    const { actual, expected } = checkOf(report, "record-members")
    assert.deepStrictEqual([expected, actual], ["committer: a text", "committer: a list"])
    assert.deepStrictEqual(codeWith("version", [{}]), ["ok", "valid"])
  })

  it("assetCid and assetSha256 of the tree: the asset is never said to be checked", () => {
    for (const member of ["assetCid", "assetSha256"]) {
      for (const value of [5, [treeMembers[member]!], { cid: treeMembers[member]! }]) {
        const commit = sign(encodeDagJson({ ...treeMembers, [member]: value }))
        const report = verify(inputOf(commit, { asset: measureAsset(asset) }))
        assert.deepStrictEqual(
          [checkOf(report, "tree-json").code, report.verdict],
          ["tree_member_malformed", "invalid"]
        )
        assert.strictEqual(report.answers.file, "not-comparable")
      }
      const without = verify(inputOf(sign(encodeDagJson({ ...treeMembers, [member]: null }))))
      assert.strictEqual(without.verdict, "valid")
    }
  })
})

describe("the author", () => {
  it("of the record is taken for an identity only where it is the CID of a hash", () => {
    const of = (recordAuthor: string) =>
      checkOf(verify(inputOf(sign(signed.tree, { author: recordAuthor }))), "author-agrees").code
    assert.strictEqual(of("bafkreigzixvzu2tbxbvmvwcvlz2zwoagmb6c2q5egaq4lmd5sesyopmmx4"), "author_not_comparable")
    for (const empty of ["bafkqaaa", "bafkqabtbmnxxezi"]) assert.strictEqual(of(empty), "author_disagrees", empty)
    const hashOf = (bytes: number) => CID.createV1(0x55, createDigest(0x12, new Uint8Array(bytes).fill(7))).toString()
    assert.strictEqual(of(hashOf(20)), "author_not_comparable")
    assert.strictEqual(of(hashOf(19)), "author_disagrees")
  })

  it("signed the checksum, and no CID that belongs to other bytes", () => {
    const record = { ...signed.record, assetTreeCid: cidOf(RAW_CODE, utf8("other bytes")) }
    const { provenance } = verify({ tree: signed.tree, record })
    assert.deepStrictEqual([provenance.assetTreeSha256, provenance.assetTreeCid], ["signed", "claimed"])
  })

  it("is read from the signed tree, not from the record", () => {
    const report = verify(inputOf(sign(signed.tree, { author: stranger })))
    assert.strictEqual(report.author, author)
    assert.strictEqual(report.verdict, "invalid")
    assert.strictEqual(checkOf(report, "author-agrees").code, "author_disagrees")
    assert.strictEqual(checkOf(report, "signer-is-author").outcome, "pass")
  })

  it("and the signer agree in any letter case, and are shown with their EIP-55 checksum", () => {
    const lower = sign(encodeDagJson({ ...treeMembers, creatorWallet: author.toLowerCase() }), {
      author: `0x${author.slice(2).toUpperCase()}`
    })
    const report = verify(inputOf(lower, { expectedAuthor: author.toLowerCase() }))
    assert.strictEqual(report.verdict, "valid")
    assert.strictEqual(report.author, author)
  })

  it("whose tree somebody else signed is unconfirmed, with the signer shown", () => {
    const report = verify(inputOf(byStranger))
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.strictEqual(report.signer, stranger)
    assert.deepStrictEqual(codesOf(report), ["signer_not_author"])
  })

  it("whose tree the one named with --author signed is valid, and the report says it is another than the author", () => {
    const report = verify(inputOf(byStranger, { expectedAuthor: stranger }))
    assert.strictEqual(report.verdict, "valid")
    assert.deepStrictEqual(codesOf(report), [])
    assert.strictEqual(checkOf(report, "signer-is-author").code, "signer_named_instead")
    assert.notStrictEqual(report.author, report.signer)
  })

  it("is not confirmed by a signature of somebody else than the one named with --author", () => {
    const report = verify(inputOf(signed, { expectedAuthor: stranger }))
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.deepStrictEqual(codesOf(report), ["expected_author_differs"])
    const both = verify(inputOf(byStranger, { expectedAuthor: author }))
    assert.deepStrictEqual(codesOf(both), ["signer_not_author", "expected_author_differs"])
  })

  it("named by nobody leaves the signature unconfirmed until --author names the signer", () => {
    const { record, tree } = anonymous
    const input = {
      tree,
      record: { assetTreeSha256: record.assetTreeSha256, assetTreeSignature: record.assetTreeSignature }
    }
    assert.strictEqual(verify(input).verdict, "unconfirmed")
    assert.isNull(verify(input).author)
    assert.strictEqual(verify({ ...input, expectedAuthor: author }).verdict, "valid")
  })
})

describe("the tree's CID", () => {
  it("that nobody named is worked out: dag-json for canonical bytes, raw for others", () => {
    const { assetTreeCid: _, ...record } = signed.record
    assert.strictEqual(verify({ tree: signed.tree, record }).assetTreeCid, signed.record.assetTreeCid)
    const pretty = utf8(JSON.stringify(treeMembers, null, 2))
    assert.strictEqual(verify({ tree: pretty }).assetTreeCid, cidOf(RAW_CODE, pretty))
  })

  it("may be raw or dag-json, for the same bytes", () => {
    const raw = { ...signed.record, assetTreeCid: cidOf(RAW_CODE, signed.tree) }
    assert.strictEqual(verify({ tree: signed.tree, record: raw }).verdict, "valid")
  })
})

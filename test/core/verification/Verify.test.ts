import { assert, describe, it } from "@effect/vitest"
import { CHECKS, CODES, inputOfProof, measureAsset, parseProof, type VerifyInput, verify } from "@treemark/core/verify"
import { cidOf, DAG_PB_CODE, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import {
  asset,
  author,
  checkOf,
  codesOf,
  committer,
  document,
  inputOf,
  ledger,
  proofFile,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8
} from "./Fixtures.ts"

const proofInput = (): VerifyInput => {
  const reading = parseProof(utf8(proofFile))
  assert.isTrue(reading.ok)
  return reading.ok ? inputOfProof(reading.proof) : {}
}

const without = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(treeMembers).filter(([name]) => !names.includes(name)))

const withSignature = (assetTreeSignature: unknown): VerifyInput => ({
  tree: signed.tree,
  record: { ...signed.record, assetTreeSignature } as VerifyInput["record"]
})

const anonymous = sign(encodeDagJson(without("creatorWallet")))
const byStranger = sign(signed.tree, { key: strangerKey })
const identity = "bafkreigzixvzu2tbxbvmvwcvlz2zwoagmb6c2q5egaq4lmd5sesyopmmx4"

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
        ledger,
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

describe("the author", () => {
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

describe("codes", () => {
  const { assetTreeSha256: __, ...recordWithoutSha } = signed.record
  const { assetTreeCid: ___, ...recordWithoutCid } = signed.record
  const named = (assetTreeCid: string): VerifyInput => ({
    tree: signed.tree,
    record: { ...signed.record, assetTreeCid }
  })
  const withTree = (members: Parameters<typeof encodeDagJson>[0]) => inputOf(sign(encodeDagJson(members)))
  const measured = measureAsset(asset)

  /** Every code, and an input that must lead to it. */
  const cases: { readonly [Code in keyof typeof CODES]: VerifyInput } = {
    tree_not_given: { record: { ...signed.record } },
    tree_too_large: inputOf(sign(new Uint8Array(1024 * 1024 + 1))),
    tree_not_utf8: inputOf(sign(Uint8Array.of(0x7b, 0xff, 0x7d))),
    tree_not_json: inputOf(sign(utf8("{"))),
    tree_duplicate_key: inputOf(sign(utf8('{"a":1,"a":1}'))),
    tree_too_deep: inputOf(sign(utf8(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`))),
    tree_not_object: inputOf(sign(utf8("[]"))),
    tree_sha256_not_given: { tree: signed.tree, record: recordWithoutSha },
    tree_sha256_malformed: { tree: signed.tree, record: { ...signed.record, assetTreeSha256: "12" } },
    tree_sha256_differs: inputOf({ ...signed, tree: utf8("{}") }),
    tree_cid_not_given: { tree: signed.tree, record: recordWithoutCid },
    tree_cid_malformed: named("bafybeiintegrity123"),
    tree_cid_codec: named(cidOf(DAG_PB_CODE, signed.tree)),
    tree_cid_hash: named("bafkr4ihkr4ld3m4gqkjf4reryxsy2s5tkbxprqkow6fin2iiyvreuzzab4"),
    tree_cid_differs: named(cidOf(RAW_CODE, utf8("{}"))),
    tree_cid_ambiguous: { ...inputOf(signed), treeCid: cidOf(RAW_CODE, signed.tree) },
    signature_missing: withSignature(null),
    signature_malformed: withSignature("0x1234"),
    signature_recovery_id: withSignature(`${signed.record.assetTreeSignature.slice(0, -2)}1d`),
    signature_out_of_range: withSignature(`0x${"0".repeat(128)}1b`),
    signature_high_s: withSignature(`${signed.record.assetTreeSignature.slice(0, 66)}8${"0".repeat(63)}1b`),
    signature_unrecoverable: withSignature(`0x${"0".repeat(63)}5${"0".repeat(63)}11b`),
    signature_without_checksum: { record: { assetTreeSignature: signed.record.assetTreeSignature } },
    author_disagrees: inputOf(sign(signed.tree, { author: stranger })),
    author_malformed: withTree({ ...treeMembers, creatorWallet: 5 }),
    author_only_in_tree: { tree: signed.tree, record: { assetTreeSignature: signed.record.assetTreeSignature } },
    author_only_in_record: inputOf(anonymous),
    author_not_comparable: inputOf(sign(signed.tree, { author: identity })),
    author_absent: { tree: utf8("{}") },
    signer_unknown: withSignature("0x"),
    signer_not_author: inputOf(byStranger),
    author_not_address: inputOf(sign(encodeDagJson(without("creatorWallet")), { author: identity })),
    author_not_named: { tree: anonymous.tree, record: { assetTreeSignature: anonymous.record.assetTreeSignature } },
    signer_named_instead: inputOf(byStranger, { expectedAuthor: stranger }),
    expected_author_not_given: inputOf(signed),
    expected_author_malformed: inputOf(signed, { expectedAuthor: "ada" }),
    expected_author_differs: inputOf(signed, { expectedAuthor: stranger }),
    commit_data_not_given: inputOf(signed),
    commit_data_not_json: inputOf(signed, { commitData: "{" }),
    commit_data_differs: inputOf(signed, { commitData: document.commit.commitData.replace("Action", "action") }),
    recorder_not_given: inputOf(signed),
    committer_not_address: inputOf({ ...signed, record: { ...signed.record, committer: identity } }, { ledger }),
    committer_differs: inputOf(signed, { ledger: { ...ledger, recorder: stranger } }),
    ledger_not_given: inputOf(signed),
    inclusion_not_given: inputOf(signed, { ledger }),
    asset_not_given: inputOf(signed),
    asset_sha256_not_named: { ...withTree(without("assetSha256")), asset: measured },
    asset_sha256_malformed: { ...withTree({ ...treeMembers, assetSha256: "abc123def456" }), asset: measured },
    asset_sha256_differs: inputOf(signed, { asset: measureAsset(utf8("another")) }),
    asset_cid_not_named: { ...withTree(without("assetCid")), asset: measured },
    asset_cid_not_comparable: { ...withTree({ ...treeMembers, assetCid: "bafybei123" }), asset: measured },
    asset_cid_differs: inputOf(signed, { asset: measureAsset(utf8("another")) }),
    asset_not_tied: { ...withTree({ ...without("assetSha256"), assetCid: "bafybei123" }), asset: measured }
  }

  for (const [code, input] of Object.entries(cases)) {
    it(`${code} is reached, with its outcome and what it leads to`, () => {
      const report = verify(input)
      const check = report.checks.find((one) => one.code === code)
      assert.isDefined(check)
      const { outcome, leadsTo } = CODES[code as keyof typeof CODES]
      assert.strictEqual(check?.outcome, outcome)
      if (leadsTo === "invalid") assert.strictEqual(report.verdict, "invalid")
      if (leadsTo === "unconfirmed") assert.notStrictEqual(report.verdict, "valid")
    })
  }

  it("that lead to nothing leave a proof valid", () => {
    const outcomes = verify(proofInput()).checks.flatMap(({ code }) => (code === "ok" ? [] : [CODES[code].leadsTo]))
    assert.isAbove(outcomes.length, 0)
    assert.deepStrictEqual([...new Set(outcomes)], ["nothing"])
  })

  it("of a valid report never name a failure", () => {
    for (const input of Object.values(cases)) {
      const report = verify(input)
      if (report.verdict === "valid") assert.deepStrictEqual(codesOf(report), [])
    }
  })
})

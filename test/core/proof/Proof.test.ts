import { assert, describe, it } from "@effect/vitest"
import { PROOF_LIMIT, PROOF_MEDIA_TYPE, parseProof, proofOf, proofText } from "@treemark/core/verify"
import { base64Of, parseBase64 } from "../../../packages/core/src/proof/Base64.ts"
import { commitDataOf } from "../../../packages/core/src/proof/CommitRecord.ts"
import { document, ledger, proofFile, signed, utf8 } from "../verification/Fixtures.ts"

const refusalOf = (text: string) => {
  const reading = parseProof(utf8(text))
  return reading.ok ? undefined : { code: reading.code, paths: reading.problems.map(({ path }) => path) }
}

const changed = (path: string, value: unknown): string => {
  const copy: Record<string, unknown> = JSON.parse(proofFile)
  const names = path.slice(1).split("/")
  const last = names.pop()!
  const owner = names.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, copy)
  if (value === undefined) delete owner[last]
  else owner[last] = value
  return JSON.stringify(copy)
}

describe("proof", () => {
  it("gives back the exact tree bytes, commit data and place that it was made of", () => {
    const reading = parseProof(utf8(proofFile))
    assert.isTrue(reading.ok)
    if (!reading.ok) return
    assert.deepStrictEqual(reading.proof.treeBytes, signed.tree)
    assert.strictEqual(reading.proof.commitData, commitDataOf(signed.record))
    assert.deepStrictEqual(reading.proof.record, { ...signed.record })
    assert.deepStrictEqual(reading.proof.ledger, ledger)
    assert.strictEqual(reading.proof.treeCid, signed.record.assetTreeCid)
  })

  it("carries its version in its media type", () => {
    assert.strictEqual(JSON.parse(proofFile).mediaType, "application/vnd.treemark.proof+json;version=1")
    assert.strictEqual(PROOF_MEDIA_TYPE, document.mediaType)
  })

  it("keeps commit data of other clients byte for byte, odd spacing, order and unknown members included", () => {
    const commitData = '{ "z" : 1,\n "assetTreeCid":"x", "__proto__": {"a": 1} }'
    const text = proofText(proofOf({ tree: { cid: "x", bytes: utf8("{}") }, commitData, ledger }))
    const reading = parseProof(utf8(text))
    assert.strictEqual(reading.ok ? reading.proof.commitData : undefined, commitData)
  })

  it("is not made of commit data that is no JSON object", () => {
    for (const commitData of ["[]", "null", '"text"', "1", "", "{"]) {
      assert.throws(() => proofOf({ tree: { cid: "x", bytes: utf8("{}") }, commitData, ledger }))
    }
  })

  it("ignores members it does not know, so that later additions still read", () => {
    const later = { ...JSON.parse(proofFile), stamp: { time: 1 }, importProfile: "unixfs" }
    later.ledger.finality = [1]
    assert.isTrue(parseProof(utf8(JSON.stringify(later))).ok)
  })

  it("of another version is refused with a message that names both versions", () => {
    const reading = parseProof(utf8(changed("/mediaType", "application/vnd.treemark.proof+json;version=2")))
    assert.isFalse(reading.ok)
    if (reading.ok) return
    assert.strictEqual(reading.code, "proof_version")
    assert.include(reading.message, "format version 2")
    assert.include(reading.message, "reads version 1")
  })

  it("of version 1 reads with a space after the semicolon of its media type, too", () => {
    assert.isTrue(parseProof(utf8(changed("/mediaType", "application/vnd.treemark.proof+json; version=1"))).ok)
  })

  it("is told apart from other JSON files, and a tree or a record gets a hint", () => {
    for (const [text, hint] of [
      ["{}", "mediaType"],
      ['{"mediaType":"text/html"}', "mediaType"],
      ['{"mediaType":1}', "mediaType"],
      [JSON.stringify({ ...signed.record }), "commit record"],
      [new TextDecoder().decode(signed.tree), "asset tree"]
    ] as const) {
      const reading = parseProof(utf8(text))
      assert.isTrue(!reading.ok && reading.code === "proof_media_type" && reading.message.includes(hint), text)
    }
  })

  it("with a missing or wrong member is refused, and every such member is named at once", () => {
    const wrong: ReadonlyArray<readonly [string, unknown]> = [
      ["/tree", []],
      ["/tree/cid", 1],
      ["/tree/bytes", "%%%"],
      ["/tree/bytes", "e30"],
      ["/tree/bytes", "e 30="],
      ["/tree/bytes", "e31="],
      ["/commit", null],
      ["/commit/record", "text"],
      ["/commit/commitData", {}],
      ["/ledger", "here"],
      ["/ledger/network", 1],
      ["/ledger/chainId", "1"],
      ["/ledger/contract", "0x12"],
      ["/ledger/txHash", `0x${"a".repeat(63)}`],
      ["/ledger/blockNumber", -1],
      ["/ledger/blockNumber", 1.5],
      ["/ledger/blockHash", null],
      ["/ledger/logIndex", 2 ** 53],
      ["/ledger/recorder", `${ledger.recorder}\n`]
    ]
    for (const [path, value] of wrong) {
      assert.deepStrictEqual(refusalOf(changed(path, value)), { code: "proof_members", paths: [path] }, path)
      assert.deepStrictEqual(refusalOf(changed(path, undefined)), { code: "proof_members", paths: [path] }, path)
    }
    assert.deepStrictEqual(refusalOf(JSON.stringify({ mediaType: PROOF_MEDIA_TYPE }))?.paths, [
      "/tree",
      "/commit",
      "/ledger"
    ])
  })

  it("that is no strict JSON object is refused: bad UTF-8, duplicate keys, depth, a byte order mark, text behind it", () => {
    for (const text of [
      "",
      "[]",
      "null",
      `\ufeff${proofFile}`,
      `${proofFile}x`,
      '{"a":1,"a":1}',
      "[".repeat(100_000)
    ]) {
      assert.strictEqual(refusalOf(text)?.code, "proof_not_json", text.slice(0, 20))
    }
    assert.isFalse(parseProof(Uint8Array.of(0x7b, 0xff, 0x7d)).ok)
    assert.strictEqual(refusalOf(proofFile.replace('"tree":', '"mediaType":"x","tree":'))?.code, "proof_not_json")
  })

  it("over 16 MiB is refused before it is parsed", () => {
    const reading = parseProof(new Uint8Array(PROOF_LIMIT + 1))
    assert.strictEqual(reading.ok ? "read" : reading.code, "proof_too_large")
  })
})

describe("base64 of tree bytes", () => {
  it("has one spelling and gives back every byte, at every length and over chunk borders", () => {
    for (const length of [0, 1, 2, 3, 4, 255, 0x7fff, 0x8000, 0x8001, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31) & 0xff)
      assert.strictEqual(base64Of(bytes), Buffer.from(bytes).toString("base64"))
      assert.deepStrictEqual(parseBase64(base64Of(bytes)), bytes)
    }
  })

  it("refuses other spellings of the same bytes", () => {
    for (const text of ["e30", "e31=", "e30=\n", " e30=", "e30==", "=", "e3-_", "e30=e30="]) {
      assert.isUndefined(parseBase64(text), text)
    }
  })
})

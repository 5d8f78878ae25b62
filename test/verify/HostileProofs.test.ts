/** Proofs made to deceive, each refused with its code: changed records, signatures, CIDs, numbers, encodings, cut-off files. */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { type Code, inputOfProof, parseProof, verify } from "@treemark/core/verify"
import { verifyProof, verifyTree } from "../../packages/verify/src/index.ts"
import { UnusableInput } from "../../packages/verify/src/UnusableInput.ts"
import { checkOf, codesOf, document, proofFile, signed, utf8 } from "../core/verification/Fixtures.ts"

const withRecord = (record: string, commitData: string) =>
  proofFile
    .replace(/"record": \{[\s\S]*?\n {4}\}/, () => `"record": ${record}`)
    .replace(/"commitData": ".*"/, () => `"commitData": ${JSON.stringify(commitData)}`)
const codeOf = (bytes: Uint8Array | string): string => {
  try {
    return `verdict ${verifyProof(bytes).verdict}`
  } catch (error) {
    return error instanceof UnusableInput ? error.code : `exception ${String(error)}`
  }
}

describe("a record that says other than its commit data", () => {
  const text = JSON.stringify(signed.record)
  const withMember = (value: string) => `${text.slice(0, -1)},"more":${value}}`
  const differing: ReadonlyArray<readonly [string, string]> = [
    ['{"x":1}', '[["x",1]]'],
    ["null", "1e400"],
    ["1e400", "null"],
    ["-1e400", "1e400"],
    ["[]", "{}"],
    ["[null]", "[1e400]"],
    ['{"0":1}', "[1]"],
    ["1", '"1"'],
    ["true", '"true"'],
    ['{"__proto__":1}', "{}"],
    ['{"a":1,"b":2}', '{"a":1}'],
    ["9007199254740993", "9007199254740992"],
    ["-9007199254740993", "-9007199254740992"],
    ['{"a":[{"b":9007199254740993}]}', '{"a":[{"b":9007199254740992}]}'],
    ["1.00000000000000000001", "1"],
    ["0.1", "0.1000000000000000055511151231257827"],
    ["123456789012345.121", "123456789012345.12"],
    ["1e-400", "0"],
    ["1e400", "1e401"],
    ["1e999999999999999999", "1e999999999999999998"],
    ["-1", "1"],
    ["12", "1.2"],
    ["1e2", "1e3"],
    ["100", "10"],
    ["12", '"12"'],
    ["12", '"n12"'],
    ["null", '"null"']
  ]
  for (const [inRecord, onLedger] of differing) {
    it(`${inRecord} for ${onLedger} is invalid by commit_data_differs`, () => {
      for (const [left, right] of [
        [inRecord, onLedger],
        [onLedger, inRecord]
      ] as const) {
        const report = verifyProof(withRecord(withMember(left), withMember(right)))
        assert.strictEqual(checkOf(report, "commit-data").code, "commit_data_differs")
        assert.strictEqual(report.verdict, "invalid")
      }
    })
  }

  it("only in the order of keys, white space, escapes or spelling of a number is the same", () => {
    for (const [left, right] of [
      ['{"a":1,"b":[2]}', '{ "b": [2], "a": 1.0 }'],
      ['"\\u0041"', '"A"'],
      ["null", "null"],
      ["1e2", "100"],
      ["-0", "0"],
      ["-0.0e7", "0"],
      ["0.012e3", "12"],
      ["1200e-2", "12"],
      ["1e400", "10e399"],
      ["9007199254740993", "9007199254740993.0"],
      ["1.5E+1", "15"],
      ["1e999999999999999999", "1e999999999999999999"]
    ] as const) {
      assert.strictEqual(verifyProof(withRecord(withMember(left), withMember(right))).verdict, "valid", left)
    }
  })

  it("is told with the numbers as they are written", () => {
    const report = verifyProof(withRecord(withMember("9007199254740993"), withMember("9007199254740992")))
    const { actual, expected } = checkOf(report, "commit-data")
    assert.deepStrictEqual([expected, actual], ["more: 9007199254740992", "more: 9007199254740993"])
  })

  it("is told apart however the file is written: on one line, indented, with escapes, or long", () => {
    for (const filling of ["", "\\u00e9", "a\\\\b", "x".repeat(70_000)]) {
      for (const spaces of [0, 2]) {
        const verdictOf = (record: string, onLedger: string): string => {
          const commitData = `${text.slice(0, -1)},"more":${onLedger},"filling":"${filling}"}`
          const file = {
            ...document,
            commit: { record: "@", commitData },
            unknown: { commit: { record: { more: 1 } } }
          }
          const inFile = `${text.slice(0, -1)},"filling":"${filling}","more":${record}}`
          return verifyProof(JSON.stringify(file, null, spaces).replace('"@"', () => inFile)).verdict
        }
        assert.strictEqual(verdictOf("12", "12"), "valid")
        assert.strictEqual(verdictOf("12", "13"), "invalid")
        assert.strictEqual(verdictOf("9007199254740993", "9007199254740993"), "valid")
        assert.strictEqual(verdictOf("9007199254740993", "9007199254740992"), "invalid")
        assert.strictEqual(verdictOf("9007199254740992", "9007199254740993"), "invalid")
      }
    }
  })
})

describe("a proof file", () => {
  it("cut off at any byte, or of the wrong encoding, is unusable by its code", () => {
    const bytes = utf8(proofFile)
    for (let length = 0; length < bytes.length - 2; length++) {
      assert.strictEqual(codeOf(bytes.subarray(0, length)), "proof_not_json", `${length} bytes`)
    }
    const utf16 = new Uint8Array(Buffer.from(proofFile, "utf16le"))
    for (const wrong of [
      utf16,
      Uint8Array.of(0xff, 0xfe, ...utf16),
      Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes),
      Uint8Array.of(0xc0, 0xbb, ...bytes),
      Uint8Array.of(...bytes, 0),
      Uint8Array.of(0, ...bytes),
      new Uint8Array(gzipSync(bytes)),
      utf8(proofFile.replace("Ada", "\0"))
    ]) {
      if (Buffer.from(wrong).equals(Buffer.from(bytes))) continue
      assert.strictEqual(codeOf(wrong), "proof_not_json")
    }
  })

  it("with a number that is no whole number, or none that is exact, names the member", () => {
    for (const value of ["1e400", "-1", "1.5", "9007199254740992", "null", '"12"', "true", "[12]"]) {
      const reading = parseProof(utf8(proofFile.replace('"blockNumber": 12', `"blockNumber": ${value}`)))
      assert.isFalse(reading.ok)
      assert.deepStrictEqual(reading.ok ? [] : reading.problems.map(({ path }) => path), ["/ledger/blockNumber"], value)
    }
    for (const value of ["12.0", "1.2e1", "120e-1"]) {
      assert.strictEqual(codeOf(proofFile.replace('"blockNumber": 12', `"blockNumber": ${value}`)), "verdict valid")
    }
  })

  it("whose tree is another one than its base64 twin, or has base64 of another spelling, is refused", () => {
    const { bytes } = document.tree
    const twin = Buffer.from(bytes, "base64").toString()
    const beside = { ...document, tree: { ...document.tree, text: twin.replace("Ada", "Eve"), bytes64: "AAAA" } }
    assert.strictEqual(codeOf(JSON.stringify(beside)), "verdict valid")
    for (const other of [
      `${bytes}\n`,
      ` ${bytes}`,
      bytes.replace(/=+$/, ""),
      bytes.replace("+", "-"),
      `${bytes}=`,
      "A==="
    ]) {
      if (other === bytes) continue
      assert.strictEqual(
        codeOf(JSON.stringify({ ...document, tree: { ...document.tree, bytes: other } })),
        "proof_members"
      )
    }
    const changed = Buffer.from(twin.replace("Ada", "Eve")).toString("base64")
    const report = verifyProof(JSON.stringify({ ...document, tree: { ...document.tree, bytes: changed } }))
    assert.deepStrictEqual(codesOf(report), ["tree_sha256_differs", "tree_cid_differs"])
  })

  it("with keys of the prototype is read by its own members alone", () => {
    for (const key of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
      const inherited = `{"${key}":${proofFile}}`
      assert.strictEqual(codeOf(inherited), "proof_media_type", key)
      assert.strictEqual(codeOf(proofFile.replace("{", `{"${key}":{"tree":1},`)), "verdict valid", key)
      const moved = proofFile
        .replace('"ledger": {', `"ledger": {"${key}": {"chainId": 1},`)
        .replace(/"chainId": \d+,/, "")
      assert.strictEqual(codeOf(moved.replace('"chainId": 1', '"chainId": 2')), "proof_members", key)
    }
  })

  it("of a hundred thousand levels, in any member, is refused in little time", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"]
    ] as const) {
      const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`
      for (const text of [deep, proofFile.replace("{", `{"deep":${deep},`), withRecord(deep, "{}")]) {
        const started = process.cpuUsage()
        assert.strictEqual(codeOf(text), "proof_not_json")
        assert.isBelow(process.cpuUsage(started).user, 1_000_000)
      }
    }
  })
})

describe("a signature", () => {
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const digits = signed.record.assetTreeSignature.slice(2)
  const [r, s, v] = [digits.slice(0, 64), digits.slice(64, 128), digits.slice(128)]
  const word = (number: bigint) => number.toString(16).padStart(64, "0")
  const twin = word(n - BigInt(`0x${s}`))
  const cases: ReadonlyArray<readonly [string, string, Code]> = [
    ["high s", r + twin + (v === "1b" ? "1c" : "1b"), "signature_high_s"],
    ["high s in EIP-2098 form", r + word(BigInt(`0x${twin}`) & (2n ** 255n - 1n)), "signature_high_s"],
    ["r of 0", word(0n) + s + v, "signature_out_of_range"],
    ["s of 0", r + word(0n) + v, "signature_out_of_range"],
    ["r of n", word(n) + s + v, "signature_out_of_range"],
    ["s of n", r + word(n) + v, "signature_out_of_range"],
    ["r of 2^256 - 1", word(2n ** 256n - 1n) + s + v, "signature_out_of_range"],
    ["v of 2", `${r}${s}02`, "signature_recovery_id"],
    ["v of 29", `${r}${s}1d`, "signature_recovery_id"],
    ["v with a chain id", `${r}${s}25`, "signature_recovery_id"],
    ["a byte more", `${digits}00`, "signature_malformed"],
    ["a NUL", `${digits.slice(0, -1)}\0`, "signature_malformed"]
  ]
  for (const [title, signature, code] of cases) {
    it(`with ${title} is invalid by ${code}`, () => {
      const report = verifyTree(signed.tree, { record: { ...signed.record, assetTreeSignature: `0x${signature}` } })
      if (title.includes("EIP-2098")) assert.notStrictEqual(report.verdict, "valid")
      else assert.strictEqual(checkOf(report, "signature").code, code)
    })
  }
})

describe("a CID", () => {
  const hash = Buffer.from(signed.record.assetTreeSha256, "hex")
  const base32 = (bytes: ReadonlyArray<number>) => {
    const bits = bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("")
    const groups = bits.match(/.{1,5}/g) ?? []
    return `b${groups.map((group) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(group.padEnd(5, "0"), 2)]).join("")}`
  }
  const cases: ReadonlyArray<readonly [string, string, Code]> = [
    ["of an identity hash", base32([1, 0x55, 0, 32, ...hash]), "tree_cid_hash"],
    [
      "of an identity hash of a megabyte",
      base32([1, 0x55, 0, 0x80, 0x80, 0x40, ...new Uint8Array(2 ** 20)]),
      "tree_cid_hash"
    ],
    ["of an unknown hash", base32([1, 0x55, 0xb2, 0x40, 32, ...hash]), "tree_cid_hash"],
    ["of an unknown codec", base32([1, 0xff, 0x7f, 0x12, 32, ...hash]), "tree_cid_codec"],
    ["with a varint padded with zeros", base32([0x81, 0, 0x55, 0x12, 32, ...hash]), "tree_cid_malformed"],
    ["with a codec padded with zeros", base32([1, 0xd5, 0, 0x12, 32, ...hash]), "tree_cid_malformed"],
    ["with a length padded with zeros", base32([1, 0x55, 0x12, 0xa0, 0, ...hash]), "tree_cid_malformed"],
    [
      "with a varint without end",
      base32([1, ...new Uint8Array(5000).fill(0xff), 0x12, 32, ...hash]),
      "tree_cid_malformed"
    ],
    [
      "with a length over 2^53",
      base32([1, 0x55, 0x12, 255, 255, 255, 255, 255, 255, 255, 127, ...hash]),
      "tree_cid_malformed"
    ],
    ["of version 2", base32([2, 0x55, 0x12, 32, ...hash]), "tree_cid_malformed"],
    ["of version 0 in base32", base32([0x12, 32, ...hash]), "tree_cid_malformed"],
    ["with a byte too many", base32([1, 0x55, 0x12, 32, ...hash, 0]), "tree_cid_malformed"],
    ["with half a hash", base32([1, 0x55, 0x12, 16, ...hash.subarray(0, 16)]), "tree_cid_differs"],
    ["without a hash", base32([1, 0x55, 0x12, 0]), "tree_cid_differs"],
    ["in capitals", signed.record.assetTreeCid.toUpperCase(), "tree_cid_malformed"],
    [
      "in capitals but for the first letter",
      `b${signed.record.assetTreeCid.slice(1).toUpperCase()}`,
      "tree_cid_malformed"
    ]
  ]
  for (const [title, cid, code] of cases) {
    it(`${title} is invalid by ${code}, in little time`, () => {
      const started = process.cpuUsage()
      const reading = parseProof(utf8(JSON.stringify({ ...document, tree: { ...document.tree, cid } })))
      assert.isTrue(reading.ok)
      if (!reading.ok) return
      const input = { ...inputOfProof(reading.proof), record: { ...signed.record, assetTreeCid: cid } }
      const report = verify({ ...input, commitData: undefined })
      assert.strictEqual(checkOf(report, "tree-cid").code, code)
      assert.strictEqual(report.verdict, "invalid")
      assert.isBelow(process.cpuUsage(started).user, 2_000_000)
    })
  }
})

/**
 * Every file of JSONTestSuite as request body, tree, record, commit data and proof: n_ is refused with its code, y_ is read as JSON.parse reads it,
 * i_ is decided here once. The request reader and the verifier's reader agree on all of them. Their objects are few, so each text is
 * tried as it is and as the one member of an object.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type Code, parseProof, readJsonObject, verify } from "@treemark/core/verify"
import { Result } from "effect"
import type { JsonValue } from "../../../packages/core/src/json/JsonValue.ts"
import { readJsonObjectText } from "../../../packages/core/src/json/ReadJson.ts"
import { parseStrictJson } from "../../../packages/core/src/rules/StrictJson.ts"
import { checkOf, proofFile, sign, utf8 } from "../verification/Fixtures.ts"

interface SuiteFile {
  readonly id: string
  readonly base64: string
  readonly times?: number
  readonly rest?: string
}

const { files }: { readonly files: ReadonlyArray<SuiteFile> } = JSON.parse(
  readFileSync(new URL("../../vectors/json-test-suite.json", import.meta.url), "utf8")
)

const bytesOf = ({ base64, rest, times }: SuiteFile): Uint8Array => {
  const unit = Buffer.from(base64, "base64")
  const whole = Array.from({ length: times ?? 1 }, () => unit)
  return new Uint8Array(Buffer.concat([...whole, Buffer.from(rest ?? "", "base64")]))
}
const joined = (before: string, bytes: Uint8Array, after: string): Uint8Array =>
  new Uint8Array(Buffer.concat([utf8(before), bytes, utf8(after)]))
const within = (bytes: Uint8Array): Uint8Array => joined('{"a":', bytes, "}")

/** Where the suite leaves the answer open: ours, with the value for what is accepted. */
const DECIDED: Readonly<Record<string, JsonValue>> = {
  "i_number_double_huge_neg_exp.json": [0],
  "i_number_huge_exp.json": [Number.POSITIVE_INFINITY],
  "i_number_neg_int_huge_exp.json": [Number.NEGATIVE_INFINITY],
  "i_number_pos_double_huge_exp.json": [Number.POSITIVE_INFINITY],
  "i_number_real_neg_overflow.json": [Number.NEGATIVE_INFINITY],
  "i_number_real_pos_overflow.json": [Number.POSITIVE_INFINITY],
  "i_number_real_underflow.json": [0],
  "i_number_too_big_neg_int.json": [Number("-123123123123123123123123123123")],
  "i_number_too_big_pos_int.json": [Number("100000000000000000000")],
  "i_number_very_big_negative_int.json": [Number("-237462374673276894279832749832423479823246327846")],
  "i_object_key_lone_2nd_surrogate.json": "not_json",
  "i_string_1st_surrogate_but_2nd_missing.json": "not_json",
  "i_string_1st_valid_surrogate_2nd_invalid.json": "not_json",
  "i_string_UTF-16LE_with_BOM.json": "not_utf8",
  "i_string_UTF-8_invalid_sequence.json": "not_utf8",
  "i_string_UTF8_surrogate_U+D800.json": "not_utf8",
  "i_string_incomplete_surrogate_and_escape_valid.json": "not_json",
  "i_string_incomplete_surrogate_pair.json": "not_json",
  "i_string_incomplete_surrogates_escape_valid.json": "not_json",
  "i_string_invalid_lonely_surrogate.json": "not_json",
  "i_string_invalid_surrogate.json": "not_json",
  "i_string_invalid_utf-8.json": "not_utf8",
  "i_string_inverted_surrogates_U+1D11E.json": "not_json",
  "i_string_iso_latin_1.json": "not_utf8",
  "i_string_lone_second_surrogate.json": "not_json",
  "i_string_lone_utf8_continuation_byte.json": "not_utf8",
  "i_string_not_in_unicode_range.json": "not_utf8",
  "i_string_overlong_sequence_2_bytes.json": "not_utf8",
  "i_string_overlong_sequence_6_bytes.json": "not_utf8",
  "i_string_overlong_sequence_6_bytes_null.json": "not_utf8",
  "i_string_truncated-utf-8.json": "not_utf8",
  "i_string_utf16BE_no_BOM.json": "not_utf8",
  "i_string_utf16LE_no_BOM.json": "not_utf8",
  "i_structure_500_nested_arrays.json": "too_deep",
  "i_structure_UTF-8_BOM_empty_object.json": "not_json",
  "y_object_duplicated_key.json": "duplicate_key",
  "y_object_duplicated_key_and_value.json": "duplicate_key"
}

/** Refused texts that are JSON all the same when a brace follows or precedes, so that putting them in an object proves nothing. */
const isObjectWithin = (id: string): boolean => id !== "i_structure_UTF-8_BOM_empty_object.json"

describe("JSONTestSuite", () => {
  it("is here in full: 318 files, each y_, n_ or i_, and every i_ is decided", () => {
    assert.strictEqual(files.length, 318)
    assert.isTrue(files.every(({ id }) => /^[yni]_/.test(id)))
    const open = files.map(({ id }) => id).filter((id) => id.startsWith("i_"))
    assert.deepStrictEqual(
      open.sort(),
      Object.keys(DECIDED)
        .filter((id) => id.startsWith("i_"))
        .sort()
    )
  })

  for (const file of files) {
    const { id } = file
    const bytes = bytesOf(file)
    const decided = DECIDED[id]
    const isAccepted = id.startsWith("y_") ? decided === undefined : Array.isArray(decided)

    it(`${id}: both readers ${isAccepted ? "accept it" : "refuse it"}, alone and inside of an object`, () => {
      const whole = parseStrictJson(bytes)
      const member = parseStrictJson(within(bytes))
      const ours = readJsonObject(within(bytes))
      assert.strictEqual(Result.isSuccess(whole), isAccepted)
      if (isObjectWithin(id)) assert.strictEqual(Result.isSuccess(member), isAccepted)
      assert.strictEqual(ours.ok, Result.isSuccess(member))
      if (Result.isSuccess(whole) && Result.isSuccess(member) && ours.ok) {
        const parsed: JsonValue = Array.isArray(decided) ? decided : JSON.parse(new TextDecoder().decode(bytes))
        assert.deepStrictEqual(whole.success, parsed)
        assert.deepStrictEqual(member.success, { a: parsed })
        assert.deepStrictEqual(ours.value, { a: parsed })
      }
      if (typeof decided === "string" && isObjectWithin(id)) assert.strictEqual(ours.ok ? "" : ours.code, decided)
      const alone = readJsonObject(bytes)
      const isObject = isAccepted && !Array.isArray(decided) && /^\s*\{/.test(new TextDecoder().decode(bytes))
      assert.strictEqual(alone.ok, isObject)
      if (isAccepted && !alone.ok) assert.strictEqual(alone.code, "not_object")
    })

    it(`${id}: as tree, record, commit data and proof it has an answer with its code`, () => {
      for (const text of [bytes, within(bytes)]) {
        const reading = readJsonObject(text)
        const commit = sign(text)
        const asTree = verify({ tree: text, record: { ...commit.record }, expectedAuthor: commit.record.author })
        const treeCode: Code | "ok" = reading.ok ? "ok" : `tree_${reading.code}`
        assert.strictEqual(checkOf(asTree, "tree-json").code, treeCode)
        assert.strictEqual(asTree.verdict, reading.ok ? "valid" : "invalid")
        const proof = parseProof(text)
        assert.strictEqual(proof.ok ? "" : proof.code, reading.ok ? "proof_media_type" : "proof_not_json")
        const commitData = new TextDecoder().decode(text)
        const asData = verify({ record: { abstract: "a record" }, commitData })
        assert.strictEqual(
          checkOf(asData, "commit-data").code,
          readJsonObjectText(commitData).ok ? "commit_data_differs" : "commit_data_not_json"
        )
      }
      const extended = parseProof(joined(proofFile.replace(/\}\s*$/, ',"more":'), bytes, "}"))
      if (isObjectWithin(id)) assert.strictEqual(extended.ok, isAccepted)
    })
  }
})

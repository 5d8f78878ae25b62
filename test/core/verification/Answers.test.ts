/** The three answers, and that none of them says more than the checks do. */
import { assert, describe, it } from "@effect/vitest"
import { measureAsset, parseAuthors, type Report, type VerifyInput, verify } from "@treemark/core/verify"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import { block, checkpointOf, commitData } from "./Block.ts"
import {
  asset,
  author,
  inputOf,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8,
  without,
  withSignature
} from "./Fixtures.ts"

const made = await block()
const answers = (input: VerifyInput): Report["answers"] => verify(input).answers
const authors = (text: string): VerifyInput => {
  const reading = parseAuthors(utf8(text))
  assert.isTrue(reading.ok)
  return reading.ok ? { authors: reading.authors } : {}
}
const own = inputOf(signed)
const byStranger = inputOf(sign(signed.tree, { key: strangerKey }))

describe("is it the same file", () => {
  const given = { asset: measureAsset(asset) }
  const other = { asset: measureAsset(utf8("another")) }
  const treeOf = (members: Parameters<typeof encodeDagJson>[0]) => inputOf(sign(encodeDagJson(members)))

  it("is told only when a file is given and something in a tree that holds ties it", () => {
    for (const [input, answer] of [
      [own, "not-given"],
      [{ ...own, ...given }, "same"],
      [{ ...own, ...other }, "different"],
      [{ ...treeOf(without("assetCid")), ...given }, "same"],
      [{ ...treeOf(without("assetSha256")), ...given }, "same"],
      [{ ...treeOf(without("assetSha256")), ...other }, "different"],
      [{ ...treeOf(without("assetCid", "assetSha256")), ...given }, "not-comparable"],
      [{ ...treeOf({ ...without("assetSha256"), assetCid: "bafybei123" }), ...given }, "not-comparable"],
      [{ ...treeOf({ ...treeMembers, assetSha256: "abc" }), ...given }, "not-comparable"]
    ] as const) {
      assert.strictEqual(answers(input).file, answer)
    }
  })

  it("is not told by a tree that does not read, is not the one named, or is not here", () => {
    const swapped = encodeDagJson({ ...treeMembers, abstract: "another" })
    for (const input of [
      { ...own, tree: swapped },
      { record: own.record },
      inputOf(sign(utf8(`{"assetSha256":"${String(treeMembers.assetSha256)}","a":1,"a":1}`)))
    ]) {
      assert.strictEqual(answers({ ...input, ...given }).file, "not-comparable")
      assert.strictEqual(answers({ ...input, ...other }).file, "not-comparable")
    }
  })
})

describe("who signed it", () => {
  it("is nobody without a signature that holds over this very tree", () => {
    const swapped = { ...own, tree: encodeDagJson({ ...treeMembers, abstract: "another" }) }
    const ofContract = withSignature(`0x${"00".repeat(96)}${"6492".repeat(16)}`)
    for (const input of [{}, withSignature(null), withSignature("0x12"), ofContract, swapped]) {
      for (const more of [{}, { expectedAuthor: author }, authors(`${author} Ada`)]) {
        assert.strictEqual(answers({ ...input, ...more }).who, "nobody")
        assert.isNull(verify({ ...input, ...more }).signerName)
      }
    }
  })

  it("is not the author when it is another than the one named, or than the one expected, known by name or not", () => {
    for (const input of [
      byStranger,
      { ...byStranger, ...authors(`${stranger} Bob`) },
      { ...byStranger, expectedAuthor: author },
      { ...own, expectedAuthor: stranger },
      { ...own, ...authors(`${author} Ada`), expectedAuthor: stranger },
      { ...own, expectedAuthor: "ada" }
    ]) {
      assert.strictEqual(answers(input).who, "not-the-author")
    }
  })

  it("is expected, named or unknown by what the reader says, and by nothing that the file says", () => {
    for (const [input, answer] of [
      [own, "unknown"],
      [{ ...own, expectedAuthor: author.toLowerCase() }, "expected"],
      [{ ...byStranger, expectedAuthor: stranger }, "expected"],
      [{ ...own, ...authors(`${author} Ada`) }, "named"],
      [{ ...own, ...authors(`${author} Ada`), expectedAuthor: author }, "expected"],
      [{ ...own, ...authors(`${stranger} Bob`) }, "unknown"],
      [{ ...own, ...authors(`${author} Ada revoked=2030-01-01`) }, "unknown"],
      [{ ...own, ...authors(`${author} Ada valid-to=2030-01-01`) }, "unknown"],
      [{ ...own, ...authors(`${author} Ada witness`) }, "unknown"],
      [{ record: { ...signed.record } }, "unknown"]
    ] as const) {
      assert.strictEqual(answers(input).who, answer)
    }
  })
})

describe("since when that is proven", () => {
  it("is proven by the ledger only, claimed by the record, or not told", () => {
    const placed = { ...own, commitData, ledger: made.place, inclusion: made.inclusion }
    const { assetTreeSha256, assetTreeSignature } = signed.record
    for (const [input, answer] of [
      [{ ...placed, checkpoints: [checkpointOf(made)] }, "proven"],
      [placed, "claimed"],
      [{ ...placed, checkpoints: [{ ...checkpointOf(made), hashes: new Map() }] }, "claimed"],
      [own, "claimed"],
      [{ tree: signed.tree, record: { assetTreeSha256, assetTreeSignature } }, "none"]
    ] as const) {
      assert.strictEqual(answers(input).when, answer)
    }
  })
})

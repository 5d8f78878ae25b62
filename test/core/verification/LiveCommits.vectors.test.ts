/** Commits and trees of the live networks (test/vectors/numbers-*.json, each with its source): read without error, judged right. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { isAddressText, type JsonObject, recoverSigner, verify } from "@treemark/core/verify"
import { checksumOf } from "../../../packages/core/src/asset-tree/Checksum.ts"
import { cidOf, parseCid, RAW_CODE } from "../../../packages/core/src/asset-tree/Cid.ts"
import { checkOf, codesOf, sign, utf8 } from "./Fixtures.ts"

const vectors = <A>(name: string): ReadonlyArray<A> =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), "utf8"))

interface Commit {
  readonly id: string
  readonly input: { readonly commit: JsonObject; readonly assetCid?: string }
  readonly expected: {
    readonly signer: string | null
    readonly wrongForms?: { readonly [form: string]: string }
  }
}
interface TreeOf {
  readonly id: string
  readonly input: { readonly tree_bytes_base64: string }
  readonly expected: {
    readonly assetTreeSha256: string
    readonly assetTreeCid: string
    readonly assetTreeSignature?: string
    readonly signer?: string
  }
  readonly contrast: {
    readonly otherSerialisations: { readonly [form: string]: { readonly sha256: string; readonly match: boolean } }
  }
}
interface Shape {
  readonly id: string
  readonly input: unknown
  readonly expected: { readonly computed_if_JSONstringify2?: { readonly sha256: string; readonly cid: string } }
}

const commits = vectors<Commit>("numbers-commits")
const trees = vectors<TreeOf>("numbers-asset-trees")
const commitNamed = (id: string) => commits.find((commit) => commit.id === id)!.input.commit
const bytesOf = (tree: TreeOf) => Uint8Array.from(Buffer.from(tree.input.tree_bytes_base64, "base64"))

describe("commits of the live networks", () => {
  for (const { id, input, expected } of commits) {
    it(`${id}: the signer is ${expected.signer ?? "nobody"}, and the record alone is never valid`, () => {
      const report = verify({ record: input.commit })
      assert.strictEqual(report.signer, expected.signer)
      assert.strictEqual(checkOf(report, "tree-cid").outcome, "pass")
      assert.strictEqual(report.verdict, expected.signer === null ? "invalid" : "unconfirmed")
      for (const wrong of Object.values(expected.wrongForms ?? {})) assert.notStrictEqual(report.signer, wrong)
    })
  }

  it("the mainnet commit of block 387179 recovers 0x51130dB9… and is unconfirmed: its author is another address", () => {
    const report = verify({ record: commitNamed("capture-docs-387179") })
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.strictEqual(report.signer, "0x51130dB91B91377A24d6Ebeb2a5fC02748b53ce1")
    assert.strictEqual(report.committer, report.signer)
    assert.strictEqual(report.author, "0x114e5E0dce98180c98ADC62E9Ac6Ea7184417ecd")
    assert.deepStrictEqual(codesOf(report), ["signer_not_author"])
    assert.strictEqual(checkOf(report, "signer-is-author").outcome, "fail")
  })

  it("a whole one, signed by the committer, is unconfirmed, and valid when --author names that signer", () => {
    const tree = bytesOf(trees[0]!)
    const record = commitNamed("nit-readme-block-10849040")
    const report = verify({ tree, record })
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.deepStrictEqual(codesOf(report), ["author_not_address"])
    assert.strictEqual(verify({ tree, record, expectedAuthor: String(trees[0]!.expected.signer) }).verdict, "valid")
  })

  it("an author named by an identity's CID and a missing actionName read without error", () => {
    const record = commitNamed("nit-readme-block-10849040")
    assert.isFalse(Object.hasOwn(record, "actionName"))
    assert.strictEqual(verify({ record }).author, record.author)
  })
})

describe("trees of the live networks", () => {
  for (const tree of trees) {
    it(`${tree.id}: the exact bytes have the checksum and raw CID that were published`, () => {
      const bytes = bytesOf(tree)
      const { assetTreeSha256, assetTreeCid } = tree.expected
      const report = verify({ tree: bytes, record: { assetTreeSha256, assetTreeCid } })
      for (const name of ["tree-json", "tree-sha256", "tree-cid"] as const) {
        assert.strictEqual(checkOf(report, name).outcome, "pass", name)
      }
      assert.strictEqual(verify({ tree: bytes }).assetTreeCid, assetTreeCid)
    })

    it(`${tree.id}: the same members in another serialisation have another checksum`, () => {
      const forms = Object.entries(tree.contrast.otherSerialisations)
      assert.isAbove(forms.length, 3)
      for (const [form, { sha256, match }] of forms) {
        const report = verify({ tree: bytesOf(tree), record: { assetTreeSha256: sha256 } })
        assert.strictEqual(checkOf(report, "tree-sha256").outcome, match ? "pass" : "fail", form)
      }
    })
  }

  it("with creatorWallet in them are valid when that wallet signed", () => {
    const tree = bytesOf(trees[1]!)
    const report = verify({
      tree,
      record: { ...sign(tree).record, author: "0xa90899f84b31c426E8C07D5795Fd76b9f797E994" }
    })
    assert.strictEqual(report.author, "0xa90899f84b31c426E8C07D5795Fd76b9f797E994")
    assert.strictEqual(report.verdict, "unconfirmed")
  })

  for (const { id, input, expected } of vectors<Shape>("numbers-tree-shapes")) {
    it(`${id}: a legacy shape is read as it is`, () => {
      const tree = utf8(JSON.stringify(input, null, 2))
      const report = verify({
        ...sign(tree),
        expectedAuthor: sign(tree).record.author,
        record: { ...sign(tree).record }
      })
      const isObject = !Array.isArray(input)
      assert.strictEqual(checkOf(report, "tree-json").code, isObject ? "ok" : "tree_not_object")
      assert.strictEqual(checkOf(report, "tree-sha256").outcome, "pass")
      const known = expected.computed_if_JSONstringify2
      if (known !== undefined) {
        assert.strictEqual(checksumOf(tree), known.sha256)
        assert.strictEqual(cidOf(RAW_CODE, tree), known.cid)
      }
      const named = isObject ? (input as JsonObject).assetCid : null
      assert.strictEqual(report.assetCid, named as string | null)
    })
  }
})

describe("assets of the live networks", () => {
  interface Pair {
    readonly id: string
    readonly input: { readonly cid: string }
    readonly expected: { readonly sha256: string; readonly equal: boolean }
  }
  const pairs = vectors<Pair>("numbers-cid-sha-pairs").filter(({ id }) => id !== "summary")

  it("a raw CID holds the asset's sha256, a dag-pb CID does not", () => {
    assert.isAbove(pairs.length, 30)
    for (const { id, input, expected } of pairs) {
      const cid = parseCid(input.cid)!
      assert.strictEqual(Buffer.from(cid.digest).toString("hex") === expected.sha256, expected.equal, id)
      const members = { assetCid: input.cid, assetSha256: expected.sha256 }
      const measured = { size: 1, sha256: expected.sha256, rawCid: input.cid }
      const report = verify({ tree: utf8(JSON.stringify(members)), asset: measured })
      assert.strictEqual(checkOf(report, "asset-sha256").outcome, "pass", id)
      assert.strictEqual(checkOf(report, "asset-cid").code, expected.equal ? "ok" : "asset_cid_not_comparable", id)
    }
  })

  interface FileCid {
    readonly id: string
    readonly input: { readonly bytes_base64?: string }
    readonly expected: { readonly cid?: string; readonly sha256?: string }
  }
  for (const { id, input, expected } of vectors<FileCid>("numbers-file-cids")) {
    if (input.bytes_base64 === undefined) continue
    const bytes = Uint8Array.from(Buffer.from(input.bytes_base64, "base64"))
    it(`${id}: the file's bytes have the sha256 and CID that were published`, () => {
      assert.strictEqual(checksumOf(bytes), expected.sha256)
      if (expected.cid !== undefined) assert.strictEqual(cidOf(RAW_CODE, bytes), expected.cid)
    })
  }
})

describe("messages of sister tools", () => {
  interface Message {
    readonly id: string
    readonly input: { readonly message?: string; readonly digestHex?: string; readonly signature: string }
    readonly expected: {
      readonly signer?: string
      readonly claimedSigner?: string
      readonly valid: boolean
      readonly messageForm?: string | null
    }
  }
  for (const { id, input, expected } of vectors<Message>("numbers-eip191")) {
    it(`${id}: ${expected.messageForm === "raw-32-bytes" ? "signed as raw bytes, is another signer's here" : "recovers as published"}`, () => {
      const recovery = recoverSigner(input.message ?? input.digestHex!, input.signature)
      const published = expected.signer ?? expected.claimedSigner!
      assert.isTrue(isAddressText(published) && recovery.ok)
      const isText = expected.valid && expected.messageForm !== "raw-32-bytes"
      assert.strictEqual(recovery.ok && recovery.signer === published, isText)
    })
  }
})

/** What others build on: the two JSON Schemas, the closed list of codes, the document that explains them, the library's exports. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { CHECKS, CODES } from "@treemark/core/verify"
import * as library from "../../packages/verify/src/index.ts"
import {
  author,
  document,
  proofFile,
  sign,
  signed,
  stranger,
  strangerKey,
  utf8
} from "../core/verification/Fixtures.ts"
import { repository } from "./Command.ts"
import { schemaProblems } from "./JsonSchema.ts"

const read = (path: string): string => readFileSync(join(repository, path), "utf8")
const proofSchema = JSON.parse(read("packages/verify/schema/proof-v1.schema.json"))
const reportSchema = JSON.parse(read("packages/verify/schema/report-v1.schema.json"))

const reports = () => [
  library.verifyProof(proofFile),
  library.verifyProof(proofFile, { asset: utf8("x"), author: stranger }),
  library.verifyTree(signed.tree, { record: { ...sign(signed.tree, { key: strangerKey }).record } }),
  library.verifyTree(utf8("no tree"), { sha256: "12", signature: "0x" }),
  library.verifyTree(utf8("{}"), { record: '{"assetTreeCid":"a"}' }),
  library.verifyRecord({ ...signed.record })
]

describe("the schema of a proof", () => {
  it("describes the proofs that are made", () => {
    assert.deepStrictEqual(schemaProblems(proofSchema, JSON.parse(proofFile)), [])
  })

  it("refuses what the verifier refuses", () => {
    const { ledger, ...rest } = document
    const { txHash: _, ...place } = ledger
    for (const wrong of [
      {},
      rest,
      { ...document, mediaType: "application/vnd.treemark.proof+json;version=2" },
      { ...document, tree: { cid: "x", bytes: "%" } },
      { ...document, ledger: place },
      { ...document, ledger: { ...ledger, blockNumber: -1 } },
      { ...document, commit: { record: [], commitData: "" } }
    ]) {
      assert.isNotEmpty(schemaProblems(proofSchema, wrong))
      assert.throws(() => library.verifyProof(JSON.stringify(wrong)), library.UnusableInput)
    }
  })
})

describe("the schema of a report", () => {
  it("describes every report, and leaves no member out", () => {
    for (const report of reports()) {
      assert.deepStrictEqual(schemaProblems(reportSchema, report), [])
      assert.sameMembers(Object.keys(report), reportSchema.required)
      assert.sameMembers(Object.keys(report.provenance), Object.keys(reportSchema.properties.provenance.properties))
    }
  })

  it("lists exactly the checks and codes there are", () => {
    const { name, code } = reportSchema.properties.checks.items.properties
    assert.deepStrictEqual(name.enum, Object.keys(CHECKS))
    assert.deepStrictEqual(code.enum, ["ok", ...Object.keys(CODES)])
  })

  it("refuses a report that lost a member or has another verdict", () => {
    const [report] = reports()
    const { signer: _, ...rest } = report!
    assert.isNotEmpty(schemaProblems(reportSchema, rest))
    assert.isNotEmpty(schemaProblems(reportSchema, { ...report, verdict: "fine" }))
    assert.isNotEmpty(schemaProblems(reportSchema, { ...report, checks: [{ name: "x" }] }))
  })
})

describe("docs/proof-format.md", () => {
  const text = read("docs/proof-format.md")

  it("explains every check and every code, in the words of the program", () => {
    for (const [name, meaning] of Object.entries(CHECKS)) assert.include(text, `| \`${name}\` | ${meaning} |`)
    for (const [code, { outcome, leadsTo, meaning }] of Object.entries(CODES)) {
      assert.include(text, `| \`${code}\` | ${outcome} | ${leadsTo} | ${meaning} |`)
    }
    const codes = [...text.matchAll(/^\| `([a-z0-9_]+)` \| (?:fail|skipped) \|/gm)].map(([, code]) => code)
    assert.sameMembers(codes, Object.keys(CODES))
  })

  it("shows a proof that the verifier reads", () => {
    const example = /```json\n([\s\S]*?)```/.exec(text)?.[1]
    assert.isDefined(example)
    assert.deepStrictEqual(schemaProblems(proofSchema, JSON.parse(example!)), [])
    assert.strictEqual(library.verifyProof(example!).verdict, "valid")
  })
})

describe("@treemark/verify", () => {
  it("exports what its users rely on, and nothing by accident", () => {
    assert.deepStrictEqual(Object.keys(library).sort(), [
      "AssetMeter",
      "CHECKS",
      "CODES",
      "UnusableInput",
      "checkStatement",
      "proofPage",
      "readAuthors",
      "readCheckpoint",
      "verifyProof",
      "verifyProofAsync",
      "verifyRecord",
      "verifyTree"
    ])
  })

  it("reads a proof from bytes or text, a record from bytes, text or an object", () => {
    assert.strictEqual(library.verifyProof(utf8(proofFile)).author, author)
    for (const record of [{ ...signed.record }, JSON.stringify(signed.record), utf8(JSON.stringify(signed.record))]) {
      assert.strictEqual(library.verifyTree(signed.tree, { record }).verdict, "valid")
    }
  })

  it("throws UnusableInput with a stable code for what it cannot start from, and nothing else", () => {
    const codeOf = (act: () => unknown) => {
      try {
        act()
      } catch (error) {
        return error instanceof library.UnusableInput ? error.code : error
      }
      return "nothing thrown"
    }
    assert.strictEqual(
      codeOf(() => library.verifyProof("{}")),
      "proof_media_type"
    )
    assert.strictEqual(
      codeOf(() => library.verifyProof("")),
      "proof_not_json"
    )
    assert.strictEqual(
      codeOf(() => library.verifyRecord("[]")),
      "record_not_object"
    )
    assert.strictEqual(
      codeOf(() => library.verifyRecord('{"a":1,"a":1}')),
      "record_duplicate_key"
    )
    assert.strictEqual(
      codeOf(() => library.verifyRecord({})),
      "record_members"
    )
    assert.strictEqual(
      codeOf(() => library.verifyRecord("x".repeat(1024 * 1024 + 1))),
      "record_too_large"
    )
    assert.strictEqual(
      codeOf(() => library.verifyProof(proofFile, { author: "ada" })),
      "author_malformed"
    )
  })
})

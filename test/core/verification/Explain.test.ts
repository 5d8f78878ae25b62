/** Explanations as data: every check of every report has one, and no file name or text of a proof can become part of a command. */
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import {
  CHECKS,
  type Explanation,
  explain,
  type FileNames,
  measureAsset,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { commitDataOf } from "../../../packages/core/src/proof/CommitRecord.ts"
import { shellWord } from "../../../packages/core/src/verification/explain/Shell.ts"
import { block, checkpointOf, commitLog, receiptOf } from "./Block.ts"
import { asset, author, inputOf, ledger, signAct, signed, treeMembers, utf8 } from "./Fixtures.ts"

const explained = (input: VerifyInput, names?: FileNames): ReadonlyArray<Explanation> =>
  explain(input, verify(input), names)

const linesOf = (explanations: ReadonlyArray<Explanation>): ReadonlyArray<string> =>
  explanations.flatMap(({ commands }) => commands.map(({ line }) => line))

const whole = async (): Promise<VerifyInput> => {
  const record = { ...signed.record, actSignature: signAct(signed.record, ledger) }
  const data = commitDataOf(record)
  const receipts = [receiptOf([commitLog({ data })])]
  const made = await block({ receipts, transactionIndex: 0, logPosition: 0, logIndex: 0 })
  return {
    ...inputOf({ ...signed, record }),
    treeCid: signed.record.assetTreeCid,
    commitData: data,
    inclusion: made.inclusion,
    ledger: made.place,
    checkpoints: [checkpointOf(made)],
    asset: measureAsset(asset),
    expectedAuthor: author,
    authors: new Map([[author, [{ name: "Ada", from: undefined, until: undefined, revoked: undefined }]]])
  }
}

describe("explanations", () => {
  it("are one for each check, in the report's order, with its outcome, code and values", async () => {
    for (const input of [
      await whole(),
      {},
      inputOf(signed),
      { tree: utf8("no tree") },
      { record: { ...signed.record } }
    ]) {
      const report = verify(input)
      const explanations = explain(input, report)
      assert.deepStrictEqual(
        explanations.map(({ check }) => check),
        Object.keys(CHECKS)
      )
      for (const [at, one] of explanations.entries()) {
        const { name: check, ...rest } = report.checks[at]!
        assert.deepInclude(one, { check, ...rest })
        assert.isAbove(one.paragraphs.join(" ").length, 60)
      }
    }
  })

  it("give a command for every check that can be made by hand", async () => {
    const explanations = explained(await whole(), { authors: "authors.txt" })
    for (const { check, code, commands } of explanations) {
      assert.strictEqual(code, "ok")
      assert.isNotEmpty(commands, check)
      for (const { line, steps } of commands) assert.strictEqual(line, steps.join(" | "))
    }
  })

  it("show which bytes are hashed: how many, the first and the last", async () => {
    const hashedBy = (name: string, input: VerifyInput) =>
      explained(input).find(({ check }) => check === name)?.hashed[0]
    const hex = (text: string) => Buffer.from(text).toString("hex")
    const message = hashedBy("signature", await whole())
    assert.deepInclude(message, { hash: "keccak-256", length: 92 })
    assert.deepStrictEqual(message?.first, { hex: hex("\x19Ethereum Signed"), text: ".Ethereum Signed" })
    assert.strictEqual(message?.last?.text, signed.record.assetTreeSha256.slice(-16))
    assert.strictEqual(hashedBy("tree-sha256", await whole())?.length, signed.tree.length)
    const short = hashedBy("tree-sha256", { tree: utf8("{}") })
    assert.deepStrictEqual([short?.first.text, short?.last], ["{}", null])
    assert.strictEqual(hashedBy("tree-sha256", { tree: utf8("{            \x1b[2J}") })?.last?.text, "J}")
  })

  it("are plain data", async () => {
    const explanations = explained(await whole())
    assert.deepStrictEqual(JSON.parse(JSON.stringify(explanations)), explanations)
  })
})

const HOSTILE = [
  "a b",
  "it's",
  "'; touch owned; '",
  "$(touch owned)",
  "`touch owned`",
  "-rf",
  "--help",
  "new\nline",
  "\x1b[2Jclear",
  "\u202egpj",
  "back\\slash",
  "ünï 👩‍🔬",
  "~",
  "*",
  "a&b|c;d>e<f!g#h",
  "$'\\x41'",
  ""
]

describe("a command", () => {
  it("names a file of any name as one word that bash reads as that name", () => {
    for (const name of HOSTILE) {
      const printed = execFileSync("bash", ["-c", `printf %s ${shellWord(name)}`], { encoding: "utf8" })
      assert.strictEqual(printed, name)
      assert.notMatch(shellWord(name), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }
  })

  it("reads a file behind <, so that its name is never an option; standard input goes by a usual name", async () => {
    const input = await whole()
    for (const name of HOSTILE) {
      const names = { proof: name, asset: name, authors: name }
      for (const line of linesOf(explained(input, names))) {
        if (line.includes(shellWord(name)) && shellWord(name).length > 3) assert.include(line, `< ${shellWord(name)}`)
      }
    }
    const lines = linesOf(explained(input, { proof: "-", asset: "-" })).join("\n")
    assert.include(lines, "< proof.json")
    assert.notMatch(lines, /< -/)
  })

  it("holds no text of the tree, the record or the place on the ledger", () => {
    const evil = "';touch owned;'$(touch owned)\u001b[2J"
    const place = { ...ledger, network: evil, txHash: evil, blockHash: evil, recorder: ledger.recorder }
    const record = Object.fromEntries(Object.keys(signed.record).map((name) => [name, evil]))
    const tree = utf8(JSON.stringify(Object.fromEntries(Object.keys(treeMembers).map((name) => [name, evil]))))
    for (const input of [
      { tree, record, treeCid: evil, commitData: evil, expectedAuthor: evil, asset: measureAsset(asset) },
      { tree, record: { ...signed.record, author: evil, committer: evil }, ledger: place }
    ]) {
      const explanations = explained(input, { proof: "p.json", asset: "a" })
      assert.isNotEmpty(linesOf(explanations))
      for (const line of linesOf(explanations)) assert.notInclude(line, "owned")
    }
  })
})

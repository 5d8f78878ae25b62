/** A file in the wrong place is named for what it is, in plain words, with what to give instead; and our one-file proof is taken as a proof. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { checkpointText } from "../../packages/core/src/proof/CheckpointFile.ts"
import { runCli } from "../../packages/verify/src/Cli.ts"
import { runHistory } from "../../packages/verify/src/history/HistoryCommand.ts"
import { runStatement } from "../../packages/verify/src/StatementCommand.ts"
import { asset, ledger, proofFile, utf8 } from "../core/verification/Fixtures.ts"
import { scratch } from "./Command.ts"
import { hostileSet, pageOf } from "./HostileSet.ts"

const files = scratch()
afterAll(files.remove)
const environment = { version: "0", colour: false }
const proof = files.write("photo.proof.json", proofFile)
const pathOf = (name: string): string => {
  const file = hostileSet.find((one) => one.name === name)
  assert.isDefined(file, name)
  return files.write(`${name.replaceAll(/\W/g, "-")}.bin`, file!.bytes())
}
const told = (...args: ReadonlyArray<string>): string => {
  const run = runCli(args, environment)
  assert.strictEqual(run.exitCode, 2, args.join(" "))
  return run.stderr
}

describe("in a proof's place", () => {
  const cases: ReadonlyArray<readonly [string, RegExp]> = [
    ["nothing", /an empty file\. .*get it again/],
    ["cut at 0.5", /a proof that is cut off before its end\. .*get it again/],
    ["a JPEG", /a JPEG picture\. The proof is the small file.* after --asset/],
    ["a HEIC", /a HEIC picture/],
    ["an MP4", /an MP4 or QuickTime film/],
    ["a PDF", /a PDF document/],
    ["a zip", /a zip archive.*unpack it/],
    ["a gzip bomb", /compressed with gzip.*unpack it/],
    ["a CAR", /a CAR file\. .*npx @treemark\/verify history FILE/],
    ["a checkpoint", /a checkpoint\. .*after --checkpoint/],
    ["a statement", /a statement\. .*npx @treemark\/verify statement FILE/],
    ["an authors file", /an authors file\. .*after --authors/],
    ["an index of a history", /the index of a history\. .*npx @treemark\/verify history FOLDER/],
    ["UTF-16", /a text file in UTF-16\. .*PowerShell/],
    ["a byte order mark", /a proof that begins with a byte order mark/],
    ["a tree", /an asset tree\. .*--record/],
    ["a record", /a commit record\. .*--record/],
    ["a web page", /a web page without a Treemark proof/],
    ["our page without a proof", /page for checking proofs, with no proof in it/],
    ["our page with two proofs", /it holds more than one/],
    ["our page with a comment that holds another", /it holds more than one/],
    ["our page, cut", /cannot be taken out/],
    ["our page with broken base64", /cannot be taken out/]
  ]
  for (const [name, words] of cases) {
    it(`${name} is named`, () => {
      assert.match(told(pathOf(name)), words)
    })
  }

  it("our one-file proof is the proof, byte for byte", () => {
    const page = files.write("photo.html", pageOf(utf8(proofFile)))
    const photo = files.write("photo.jpg", asset)
    const args = ["--asset", photo, "--json"]
    assert.deepStrictEqual(runCli([page, ...args], environment), runCli([proof, ...args], environment))
    assert.strictEqual(runCli([pathOf("our page with a proof")], environment).exitCode, 0)
  })
})

describe("in another place", () => {
  it("the file is named with its path, because a command line may hold several", () => {
    const photo = pathOf("a JPEG")
    assert.match(told(proof, "--checkpoint", photo), /a-JPEG\.bin: This is not a checkpoint file: it is a JPEG picture/)
    assert.match(
      told(proof, "--checkpoint", proof),
      /photo\.proof\.json: .*it is a proof\. .*first and without an option/
    )
    assert.match(told(proof, "--authors", photo), /a-JPEG\.bin: This is not an authors file: it is a JPEG picture/)
    assert.match(told("--record", photo), /a-JPEG\.bin: This is not a commit record: it is a JPEG picture/)
    assert.match(runStatement([proof]).stderr, /This is not a statement: it is a proof/)
  })

  it("a history is a folder or a CAR, and anything else is named", async () => {
    const said = async (path: string) => {
      let text = ""
      const code = await runHistory([path], (_, part) => {
        text += part
      })
      assert.strictEqual(code, 2)
      return text
    }
    assert.match(await said(proof), /This is not an exported history: it is a proof\./)
    assert.match(await said(pathOf("an index of a history")), /it is the index of a history\. .*history FOLDER/)
    assert.match(await said(pathOf("a JPEG")), /it is a JPEG picture/)
    assert.match(await said(pathOf("a CAR of version 2")), /CAR of version 2\. Export it as version 1/)
  })
})

describe("two checkpoints", () => {
  const checkpoint = (name: string, hash: string) =>
    files.write(
      name,
      checkpointText({
        chainId: ledger.chainId,
        hashes: new Map([[12, `0x${hash.repeat(32)}`]]),
        contracts: [],
        signers: []
      } as never)
    )

  it("that disagree about a block are an error that names both files, the block and both hashes", () => {
    const [one, same, two] = [checkpoint("one.json", "aa"), checkpoint("same.json", "aa"), checkpoint("two.json", "bb")]
    const text = told(proof, "--checkpoint", one, "--checkpoint", two)
    for (const part of ["one.json has 0xaaaa", "two.json has 0xbbbb", "block 12 of chain 7053001"])
      assert.include(text, part)
    const json = runCli([proof, "--checkpoint", one, "--checkpoint", two, "--json"], environment)
    assert.strictEqual(JSON.parse(json.stdout).error.code, "checkpoints_disagree")
    assert.notStrictEqual(runCli([proof, "--checkpoint", one, "--checkpoint", same], environment).exitCode, 2)
  })
})

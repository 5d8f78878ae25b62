/** `--checkpoint` and `--authors`, as a command and as a library. */
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { checkpointText, proofOf, proofText } from "@treemark/core/verify"
import { readAuthors, readCheckpoint, UnusableInput, verifyProof } from "../../packages/verify/src/index.ts"
import { block, checkpointOf, commitData } from "../core/verification/Block.ts"
import { author, signed } from "../core/verification/Fixtures.ts"
import { scratch, treemarkVerify } from "./Command.ts"

const files = scratch()
afterAll(files.remove)

const made = await block()
const proofJson = proofText(
  proofOf({
    tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
    commitData,
    ledger: made.place,
    inclusion: { inclusion: made.inclusion }
  })
)
const proof = files.write("proof.json", proofJson)
const checkpoint = files.write("checkpoint.json", checkpointText(checkpointOf(made)))
const authors = files.write("authors", `${author} "Ada Lovelace"\n`)
const missing = join(files.folder, "none")

describe("a missing, empty or broken file of trust", () => {
  it("is said aloud: exit code 2, or unconfirmed for an authors file that names nobody", () => {
    const broken = files.write("broken", "Ada")
    const empty = files.write("empty", "")
    for (const [args, code, told] of [
      [["--authors", missing], 2, "cannot be read as an authors file: there is no such file"],
      [["--authors", broken], 2, "Line 1 of the authors file"],
      [["--authors", empty], 3, "names nobody"],
      [["--checkpoint", missing], 2, "cannot be read as a checkpoint: there is no such file"],
      [["--checkpoint", empty], 2, "This is not a checkpoint file"],
      [["--checkpoint", checkpoint, "--checkpoint", proof], 2, "is not a checkpoint"],
      [["--checkpoint", "-", "--authors", "-"], 2, "for one file only"]
    ] as const) {
      const run = treemarkVerify([proof, ...args])
      assert.strictEqual(run.code, code, args.join(" "))
      assert.include(run.stdout + run.stderr, told)
    }
  })

  it("has a stable code with --json", () => {
    for (const [args, code] of [
      [["--authors", files.write("bad", "0x12 Ada")], "authors_line"],
      [["--checkpoint", proof], "checkpoint_media_type"],
      [["--checkpoint", files.write("c.json", '{"mediaType":1}')], "checkpoint_media_type"],
      [["--checkpoint", missing], "file_unreadable"]
    ] as const) {
      const { stdout } = treemarkVerify([proof, "--json", ...args])
      assert.strictEqual(JSON.parse(stdout).error.code, code)
    }
  })
})

describe("the library", () => {
  it("takes checkpoints and authors as files, as text, or read once for many proofs", () => {
    const text = checkpointText(checkpointOf(made))
    for (const options of [
      { checkpoints: [text], authors: `${author} Ada` },
      { checkpoints: [new TextEncoder().encode(text)], authors: new TextEncoder().encode(`${author} Ada`) },
      { checkpoints: [readCheckpoint(text)], authors: readAuthors(`${author} Ada`) }
    ]) {
      const report = verifyProof(proofJson, options)
      assert.deepInclude(report, { verdict: "valid", signerName: "Ada", time: "2023-11-14T22:13:30Z" })
      assert.strictEqual(report.provenance.ledger, "ledger")
    }
    assert.throws(() => verifyProof(proofJson, { checkpoints: ["{}"] }), UnusableInput)
    assert.throws(() => verifyProof(proofJson, { authors: "Ada" }), UnusableInput)
  })
})

describe("what a person reads", () => {
  it("names the signer, the time and what the ledger covers; without a checkpoint, the block that was not compared", () => {
    const { stdout } = treemarkVerify([proof, "--checkpoint", checkpoint, "--authors", authors])
    assert.include(stdout, `valid: signed by its author, Ada Lovelace (${author}).`)
    assert.match(stdout, /time +2023-11-14T22:13:30Z +ledger\n/u)
    assert.match(stdout, /committer +0x\w+ +ledger\n/u)
    assert.include(
      treemarkVerify([proof]).stdout,
      `not compared. Add --checkpoint FILE. (block 12, ${made.place.blockHash})`
    )
  })

  it("is told why what was given does not prove the time, and not to give what was given", () => {
    const elsewhere = checkpointText({ chainId: 1, hashes: new Map([[1, made.place.blockHash]]) })
    for (const [args, told] of [
      [["--quorum", "2", "--checkpoint", checkpoint], "fewer signers of your checkpoints than you asked for"],
      [["--checkpoint", files.write("elsewhere.json", elsewhere)], "your checkpoint is of another chain"]
    ] as const) {
      const { stdout } = treemarkVerify([proof, ...args])
      const [, answer = ""] = stdout.replaceAll(/\s+/g, " ").split("Since when is that proven?")
      assert.match(answer, /^ Not proven by what you gave\. The file says: 2023-11-14T/)
      assert.include(answer.slice(0, 400), told)
      assert.notInclude(answer, "Give a checkpoint (")
    }
    assert.include(
      treemarkVerify([proof]).stdout.replaceAll(/\s+/g, " "),
      "Give a checkpoint (hashes of the ledger's blocks"
    )
  })

  it("is told when the ledger covers the block, but not the transaction's hash", () => {
    const { transaction: _, ...rest } = made.inclusion
    const document = proofOf({
      tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
      commitData,
      ledger: made.place,
      inclusion: { inclusion: { ...rest, transaction: undefined } }
    })
    const { stdout } = treemarkVerify(["-", "--checkpoint", checkpoint], { input: proofText(document) })
    assert.include(stdout, "(that hash is as the file claims)")
  })
})

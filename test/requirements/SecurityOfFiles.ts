import { assert } from "@effect/vitest"
import {
  inputOfProof,
  measureAsset,
  parseCheckpoint,
  parseProof,
  proofOf,
  proofText,
  verify
} from "@treemark/core/verify"
import { cidOf, cidOfSha256, DAG_PB_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { checkpointText } from "../../packages/core/src/proof/CheckpointFile.ts"
import { commitData } from "../core/verification/Block.ts"
import {
  asset,
  author,
  checkOf,
  inputOf,
  ledger,
  sign,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8,
  without
} from "../core/verification/Fixtures.ts"
import { treemarkVerify } from "../verify/Command.ts"

import {
  ALL_CLAIMED,
  addressOf,
  authors,
  checkpointIn,
  claims,
  files,
  honest,
  hostile,
  RECOVERED,
  witnessed,
  witnesses
} from "./SecurityAttacks.ts"

export const FILES: Readonly<Record<string, () => void | Promise<void>>> = {
  "A block that is not on the ledger, where one unsigned file is all that you ask for.": () => {
    const report = verify(honest)
    assert.deepStrictEqual([report.verdict, report.answers.when], ["valid", "proven"])
    assert.deepStrictEqual(report.witnesses, [{ signer: null, name: null }])
  },
  "That a witness vouches for a block or a contract that it did not sign.": () => {
    const text = witnessed(witnesses)
    assert.strictEqual(checkpointIn(text).signers.length, 2)
    for (const change of [
      (file: string) => file.replace(/"number":\d+/, '"number":1'),
      (file: string) => file.replace('"entries"', `"contracts":["${hostile}"],"entries"`)
    ]) {
      const reading = parseCheckpoint(utf8(change(text)))
      assert.strictEqual(reading.ok ? "" : reading.code, "checkpoint_signature")
    }
  },
  "That one witness is two.": () => {
    const [first, second] = witnesses
    const twice = [witnessed([first!]), witnessed([first!], { comment: undefined })].map(checkpointIn)
    const report = verify({ ...honest, checkpoints: twice, quorum: 2 })
    assert.deepStrictEqual(
      [report.verdict, checkOf(report, "ledger-inclusion").code],
      ["unconfirmed", "checkpoint_quorum_missing"]
    )
    assert.deepStrictEqual(claims(report), ALL_CLAIMED)
    const both = [witnessed([first!]), witnessed([second!])].map(checkpointIn)
    assert.strictEqual(verify({ ...honest, checkpoints: both, quorum: 2 }).verdict, "valid")
  },
  "That a stranger is a witness, where your authors file names them.": () => {
    const [first] = witnesses
    const asked = { ...honest, checkpoints: [checkpointIn(witnessed([first!]))], quorum: 1 }
    const named = (address: string) => authors(`${address} "A witness" witness`)
    assert.strictEqual(verify({ ...asked, authors: named(addressOf(first!)) }).verdict, "valid")
    assert.strictEqual(
      checkOf(verify({ ...asked, authors: named(stranger) }), "ledger-inclusion").code,
      "checkpoint_quorum_missing"
    )
  },
  "That two files agree that do not: the command names both and the block, and says nothing else.": () => {
    files.write(
      "proof.json",
      proofText(proofOf({ tree: { cid: signed.record.assetTreeCid, bytes: signed.tree }, commitData, ledger }))
    )
    for (const fill of ["a", "b"]) {
      const hashes = new Map([[77, `0x${fill.repeat(64)}`]])
      files.write(`${fill}.json`, checkpointText({ chainId: ledger.chainId, hashes, contracts: [] }))
    }
    const args = ["proof.json", "--checkpoint", "a.json", "--checkpoint", "b.json"]
    const { code, stderr, stdout } = treemarkVerify(args, { cwd: files.folder })
    assert.deepStrictEqual([code, stdout], [2, ""])
    for (const told of ["a.json", "b.json", "77"]) assert.include(stderr, told)
  },

  "That its signer calls themselves by any name and describes the asset in any words.": () => {
    const lie = { ...treeMembers, assetCreator: "Rachel Michetti", abstract: "the moon", creatorWallet: stranger }
    const report = verify(inputOf(sign(encodeDagJson(lie), { key: strangerKey, author: stranger })))
    assert.deepStrictEqual([report.verdict, report.answers.who, report.signerName], ["valid", "unknown", null])
  },
  "That another file is the one that was signed, not by a single byte.": () => {
    for (let at = 0; at < asset.length; at++) {
      const { answers, verdict } = verify(inputOf(signed, { asset: measureAsset(asset.with(at, asset[at]! ^ 1)) }))
      assert.deepStrictEqual([verdict, answers.file], ["invalid", "different"])
    }
    assert.strictEqual(verify(inputOf(signed, { asset: measureAsset(asset) })).answers.file, "same")
  },
  "That a file is the asset because it is the root block of its UnixFS CID, or has its hash.": () => {
    const { sha256 } = measureAsset(asset)
    const digest = Uint8Array.from(sha256.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    const tree = encodeDagJson({ ...without("assetSha256"), assetCid: cidOfSha256(DAG_PB_CODE, digest) })
    const report = verify(inputOf(sign(tree), { asset: measureAsset(asset) }))
    assert.deepStrictEqual([report.verdict, report.answers.file], ["unconfirmed", "not-comparable"])
  },
  "That a member of the wrong type is a member left out.": () => {
    for (const wrong of [
      { author: [author] },
      { assetTreeSha256: 1 },
      { committer: 5 },
      { timestampCreated: "1" },
      { actSignature: {} }
    ]) {
      const report = verify(inputOf(signed, { record: { ...signed.record, ...wrong } as never }))
      assert.deepStrictEqual(
        [report.verdict, checkOf(report, "record-members").code],
        ["invalid", "record_member_malformed"]
      )
    }
    const report = verify(inputOf(sign(encodeDagJson({ ...treeMembers, assetCid: 5 }))))
    assert.deepStrictEqual([report.verdict, checkOf(report, "tree-json").code], ["invalid", "tree_member_malformed"])
  },
  "Anything by crashing: every cut and every changed byte of a proof gives a report or a refusal.": () => {
    const bytes = utf8(
      proofText(
        proofOf({
          tree: { cid: cidOf(0x55, signed.tree), bytes: signed.tree },
          commitData,
          ledger,
          inclusion: { inclusion: honest.inclusion! }
        })
      )
    )
    for (let at = 0; at < bytes.length; at += 7) {
      for (const changed of [bytes.slice(0, at), bytes.with(at, bytes[at]! ^ (1 << (at % 8)))]) {
        const reading = parseProof(changed)
        if (reading.ok)
          assert.include(
            ["valid", "unconfirmed", "invalid"],
            verify({ ...inputOfProof(reading.proof), recover: () => RECOVERED }).verdict
          )
        else assert.isNotEmpty(reading.message)
      }
    }
  },
  "Anything by drawing on your terminal: what is printed has no control or invisible character of theirs.": () => {
    const evil = "\x1b[2J\u202e\u200bVALID\r"
    const tree = encodeDagJson({ ...treeMembers, assetCreator: evil, abstract: evil, headline: evil })
    const { record } = sign(tree)
    files.write("evil.json", tree)
    files.write("record.json", JSON.stringify({ ...record, abstract: evil, actionName: evil, provider: evil }))
    const { code, stdout } = treemarkVerify(["evil.json", "--record", "record.json"], { cwd: files.folder })
    assert.strictEqual(code, 0)
    assert.notMatch(stdout, /(?!\n)[\p{Cc}\p{Cf}]/u)
  }
}

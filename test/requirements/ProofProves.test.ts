/** Each sentence of the README's "What a proof proves" has its test here: a sentence without one, or a test without its sentence, fails. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { measureAsset, parseAuthors, type Report, type VerifyInput, verify } from "@treemark/core/verify"
import { encodeDagJson } from "../../packages/core/src/asset-tree/DagJson.ts"
import { block, checkpointOf, commitData, commitLog, otherHash, receiptOf } from "../core/verification/Block.ts"
import {
  asset,
  author,
  checkOf,
  inputOf,
  sign,
  signAct,
  signed,
  stranger,
  strangerKey,
  treeMembers,
  utf8
} from "../core/verification/Fixtures.ts"

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
const section = /^## What a proof proves\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? ""

const made = await block()
const placed: VerifyInput = { commitData, ledger: made.place, inclusion: made.inclusion }
const onLedger: VerifyInput = { ...placed, checkpoints: [checkpointOf(made)] }
const report = (changes: VerifyInput = {}): Report => verify(inputOf(signed, changes))
const codeOf = (of: Report, name: Parameters<typeof checkOf>[1]) => checkOf(of, name).code
const authorsOf = (line: string) => {
  const reading = parseAuthors(utf8(line))
  assert.isTrue(reading.ok)
  return reading.ok ? reading.authors : undefined
}
const strangers = sign(encodeDagJson({ ...treeMembers, creatorWallet: stranger }), {
  key: strangerKey,
  author: stranger
})
/** The commit alone in a block. */
const alone = (parts: NonNullable<Parameters<typeof block>[0]>) =>
  block({ receipts: [receiptOf([commitLog()])], transactionIndex: 0, logPosition: 0, logIndex: 0, ...parts })

/** A contract of five lines that writes the same event, with a recorder of the stranger's choice who never heard of it. */
const byHostileContract = async (): Promise<Report> => {
  const contract = "0x00000000000000000000000000000000DeaDBeef"
  const receipts = [receiptOf([commitLog({ address: contract })])]
  const made = await alone({ receipts, transaction: { key: strangerKey, to: contract } })
  const { inclusion, place } = made
  return report({ commitData, ledger: { ...place, contract }, inclusion, checkpoints: [checkpointOf(made)] })
}
const oneBitOff = (bytes: Uint8Array) => bytes.with(3, bytes[3]! ^ 1)

const SENTENCES: Readonly<Record<string, () => void | Promise<void>>> = {
  "The signer's key signed the tree's exact bytes; change one byte, and the verdict is `invalid`.": () => {
    assert.strictEqual(report().signer, author)
    for (let at = 0; at < signed.tree.length; at += 5) {
      const tree = signed.tree.with(at, signed.tree[at]! ^ 1)
      assert.strictEqual(report({ tree }).verdict, "invalid", `byte ${at}`)
    }
  },
  "`valid` means that the signer is the author named in the file, or whom you named with `--author`.": () => {
    assert.deepStrictEqual([report().verdict, report().author], ["valid", author])
    const others = inputOf(sign(signed.tree, { key: strangerKey }))
    assert.strictEqual(verify(others).verdict, "unconfirmed")
    assert.strictEqual(verify({ ...others, expectedAuthor: stranger }).verdict, "valid")
    assert.strictEqual(report({ expectedAuthor: stranger }).verdict, "unconfirmed")
  },
  "With `--asset`: this file is the one the tree describes, by its sha256 or its CID.": () => {
    for (const missing of ["none", "assetSha256", "assetCid"]) {
      const { [missing]: _, ...members } = treeMembers
      const input = inputOf(sign(encodeDagJson(members)))
      assert.strictEqual(verify({ ...input, asset: measureAsset(asset) }).verdict, "valid", missing)
      assert.strictEqual(verify({ ...input, asset: measureAsset(oneBitOff(asset)) }).verdict, "invalid", missing)
    }
  },
  "With an inclusion proof, a `--checkpoint` of its block and a known contract: this contract wrote this record for this recorder in that block, at that block's time; of any other contract, nothing.":
    async () => {
      const found = report(onLedger)
      assert.strictEqual(codeOf(found, "ledger-inclusion"), "ok")
      assert.strictEqual(codeOf(found, "ledger-contract"), "ok")
      assert.strictEqual(found.time, "2023-11-14T22:13:30Z")
      assert.deepStrictEqual([found.provenance.time, found.provenance.ledger], ["ledger", "ledger"])
      for (const parts of [{ address: stranger }, { recorder: stranger }, { data: `${commitData} ` }]) {
        const other = await alone({ receipts: [receiptOf([commitLog(parts)])] })
        const { inclusion, place: ledger } = other
        const forged = report({ commitData, ledger, inclusion, checkpoints: [checkpointOf(other)] })
        assert.strictEqual(forged.verdict, "invalid")
      }
      assert.strictEqual(
        report({ ...onLedger, checkpoints: [checkpointOf(made, { hash: otherHash })] }).verdict,
        "invalid"
      )
      const fooled = await byHostileContract()
      assert.strictEqual(codeOf(fooled, "ledger-inclusion"), "ok")
      assert.deepStrictEqual(
        [fooled.verdict, codeOf(fooled, "ledger-contract"), codeOf(fooled, "committer-is-recorder")],
        ["unconfirmed", "contract_not_known", "recorder_not_shown"]
      )
      assert.deepInclude(fooled.provenance, { committer: "claimed", ledger: "claimed", time: "claimed" })
      assert.deepStrictEqual([fooled.act?.provenance, fooled.answers.when], ["claimed", "claimed"])
    },
  "Where the inclusion proof shows the transaction, too: its hash, and, when it calls that contract directly, that the recorder sent it.":
    async () => {
      const ledger = { ...made.place, txHash: otherHash }
      const found = report(onLedger)
      assert.deepStrictEqual([codeOf(found, "ledger-transaction"), codeOf(found, "transaction-sender")], ["ok", "ok"])
      assert.strictEqual(report({ ...onLedger, ledger }).verdict, "invalid")
      const inclusion = { ...made.inclusion, transaction: undefined }
      const unseen = report({ ...onLedger, ledger, inclusion })
      for (const name of ["ledger-transaction", "transaction-sender"] as const) {
        assert.strictEqual(codeOf(unseen, name), "transaction_not_shown")
      }
      const by = async (transaction: NonNullable<Parameters<typeof block>[0]>["transaction"]) => {
        const other = await alone({ transaction: transaction ?? {} })
        const { inclusion, place } = other
        return report({ commitData, ledger: place, inclusion, checkpoints: [checkpointOf(other)] })
      }
      const forged = await by({ key: strangerKey })
      assert.deepStrictEqual(
        [forged.verdict, codeOf(forged, "transaction-sender"), forged.provenance.committer],
        ["invalid", "transaction_sender_differs", "claimed"]
      )
      const indirect = await by({ key: strangerKey, to: stranger })
      assert.deepStrictEqual(
        [indirect.verdict, codeOf(indirect, "transaction-sender")],
        ["valid", "transaction_indirect"]
      )
    },
  "With `--authors`: the name that your own file gives the signer's key; dates and revocations are judged by a proven time, never by a claimed one.":
    () => {
      const named = (changes: VerifyInput, line: string) => {
        const { signerName, verdict } = report({ ...changes, authors: authorsOf(`${author} Ada ${line}`) })
        return [signerName, verdict]
      }
      assert.deepStrictEqual(named({}, ""), ["Ada", "valid"])
      assert.deepStrictEqual(named(onLedger, "valid-to=2023-12-31"), ["Ada", "valid"])
      assert.deepStrictEqual(named(onLedger, "valid-to=2023-01-31"), [null, "unconfirmed"])
      assert.deepStrictEqual(named(onLedger, "revoked=2023-12-31"), ["Ada", "valid"])
      for (const line of ["valid-to=2030-12-31", "valid-from=2020-01-01", "revoked=2030-12-31"]) {
        assert.deepStrictEqual(named({}, line), [null, "unconfirmed"], line)
        assert.deepStrictEqual(named(placed, line), [null, "unconfirmed"], line)
      }
      const twice = `revoked=2023-11-14\n${author} "Ada again" valid-to=2030-12-31`
      assert.deepStrictEqual(named(onLedger, twice), [null, "unconfirmed"])
      assert.strictEqual(report({ authors: authorsOf(`${stranger} Bob`) }).verdict, "unconfirmed")
    },
  "That what the tree says is true: anybody can sign anything.": () => {
    const lie = sign(
      encodeDagJson({ ...treeMembers, assetCreator: "Leonardo", assetTimestampCreated: 1, abstract: "the moon" })
    )
    assert.strictEqual(verify(inputOf(lie)).verdict, "valid")
  },
  "That the signer made the asset, owns it or was first: anybody else's signed tree of it is as `valid`.": () => {
    const given = { asset: measureAsset(asset) }
    assert.strictEqual(report(given).verdict, "valid")
    const theirs = verify(inputOf(strangers, given))
    assert.deepStrictEqual([theirs.verdict, theirs.author, theirs.assetCid], ["valid", stranger, report().assetCid])
  },
  "Who stands behind an address: without `--authors` it is a key, and the report says so.": () => {
    assert.strictEqual(report().signerName, null)
    assert.strictEqual(codeOf(report(), "signer-named"), "authors_not_given")
  },
  "When it was signed: without an inclusion proof and a checkpoint, the time is what the file claims.": () => {
    for (const changes of [{}, placed, { ledger: made.place, commitData }]) {
      assert.strictEqual(report(changes).provenance.time, "claimed")
    }
    const later = { ...signed.record, timestampCreated: 1800000000 }
    const claimed = report({ record: later })
    assert.deepStrictEqual([claimed.verdict, claimed.time], ["valid", "2027-01-15T08:00:00Z"])
  },
  "That the commit is on the ledger, without a checkpoint: the report says what was not compared, and the verdict does not rest on it.":
    () => {
      const alone = report({ ledger: made.place, commitData })
      assert.deepStrictEqual([alone.verdict, codeOf(alone, "ledger-inclusion")], ["valid", "inclusion_not_given"])
      const included = report(placed)
      assert.deepStrictEqual([included.verdict, codeOf(included, "ledger-inclusion")], ["valid", "block_not_compared"])
      assert.strictEqual(included.provenance.ledger, "claimed")
    },
  "That your checkpoint is right: a made-up block passes with a made-up checkpoint.": async () => {
    const invented = await block({ timestamp: 1 })
    const { inclusion, place: ledger } = invented
    const found = report({ commitData, ledger, inclusion, checkpoints: [checkpointOf(invented)] })
    assert.deepStrictEqual([found.verdict, found.time], ["valid", "1970-01-01T00:00:01Z"])
  },
  "The network's name, or which of the block's logs it is: those are the file's words even then.": () => {
    const ledger = { ...made.place, network: "another name", logIndex: made.place.logIndex + 5 }
    assert.strictEqual(report({ ...onLedger, ledger }).verdict, "valid")
  },
  "That the key was its owner's alone: a theft counts once your authors file says `revoked`.": () => {
    assert.strictEqual(report({ authors: authorsOf(`${author} Ada`) }).verdict, "valid")
    const revoked = report({ authors: authorsOf(`${author} Ada revoked=2023-01-01 reason="stolen"`) })
    assert.deepStrictEqual([revoked.verdict, codeOf(revoked, "signer-named")], ["unconfirmed", "signer_revoked"])
  },
  "That nothing came later: a newer commit of the same asset leaves an older proof `valid`.": () => {
    const newer = sign(encodeDagJson({ ...treeMembers, abstract: "a better caption" }))
    for (const commit of [signed, newer]) assert.strictEqual(verify(inputOf(commit)).verdict, "valid")
  },
  "Anything about similar files: one byte changed makes another asset.": () => {
    assert.strictEqual(
      codeOf(report({ asset: measureAsset(oneBitOff(asset)) }), "asset-sha256"),
      "asset_sha256_differs"
    )
  },
  "That the author did what the record says was done: without the author's signature of the act, it is the word of the wallet that recorded it.":
    async () => {
      const sold = { ...signed.record, abstract: "I sell all rights", committer: stranger }
      const data = JSON.stringify(sold)
      const receipts = [receiptOf([commitLog({ data, recorder: stranger })])]
      const other = await alone({ receipts, transaction: { key: strangerKey } })
      const place = { ...other.place, recorder: stranger }
      const given = { commitData: data, inclusion: other.inclusion, ledger: place, checkpoints: [checkpointOf(other)] }
      const again = report({ ...given, record: sold })
      assert.deepStrictEqual([again.verdict, again.author], ["valid", author])
      assert.deepInclude(again.act, { by: "recorder", recorder: stranger, provenance: "ledger" })
      const withSignature = (record: typeof signed.record) =>
        report({ ledger: place, record: { ...sold, actSignature: signAct(record, place) } })
      assert.strictEqual(withSignature(signed.record).verdict, "invalid")
      assert.strictEqual(withSignature(sold).act?.by, "author")
    },
  "Each value of the report is marked `signed`, `ledger` or `claimed`.": () => {
    const { provenance, ...values } = report(onLedger)
    for (const [name, mark] of Object.entries(provenance)) {
      assert.include(["signed", "ledger", "claimed"], mark)
      assert.isNotNull(Reflect.get(values, name))
    }
    assert.strictEqual(Object.keys(provenance).length, 8)
  },
  "See [docs/security.md](docs/security.md) for what is trusted.": () => {
    assert.include(readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8"), "## Trusted")
  }
}

describe("what a proof proves, by the README", () => {
  it("is said in sentences that are all tested here, and nothing that is tested goes unsaid", () => {
    const lines = section.split("\n").filter((line) => line !== "" && !/^It (proves|does not prove):$/.test(line))
    const items = lines.filter((line) => /^\d+\. /.test(line)).map((line) => line.replace(/^\d+\. /, ""))
    const prose = lines.filter((line) => !/^\d+\. /.test(line)).flatMap((line) => line.split(/(?<=\.) (?=[A-Z])/))
    assert.deepStrictEqual([...items, ...prose], Object.keys(SENTENCES))
  })

  for (const [sentence, proof] of Object.entries(SENTENCES)) it(sentence, proof)
})

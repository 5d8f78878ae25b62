/** Proofs of inclusion: what they show, what a checkpoint adds, and every way of forging one that we could think of. */
import { assert, describe, it } from "@effect/vitest"
import { inputOfProof, parseProof, proofOf, proofText, type VerifyInput, verify } from "@treemark/core/verify"
import { type Hex, keccak256, pad, toBytes } from "viem"
import { encodeDagJson } from "../../../packages/core/src/asset-tree/DagJson.ts"
import { encodeRlp, type RlpItem, rlpInteger } from "../../../packages/core/src/proof/Rlp.ts"
import {
  BLOCK_TIME,
  type Block,
  block,
  checkpointOf,
  commitData,
  commitLog,
  leafAt,
  otherHash,
  receiptOf
} from "./Block.ts"
import { author, checkOf, committer, inputOf, sign, signed, stranger, treeMembers, utf8 } from "./Fixtures.ts"

const inputAt = ({ inclusion, place }: Block, changes: VerifyInput = {}): VerifyInput =>
  inputOf(signed, { commitData, ledger: place, inclusion, ...changes })
const codeAt = (made: Block, changes: VerifyInput = {}) =>
  checkOf(verify(inputAt(made, { checkpoints: [checkpointOf(made)], ...changes })), "ledger-inclusion").code
const whole = await block()

describe("a commit that is included in its block", () => {
  it("passes when a checkpoint has the block, and its place and record are covered by the ledger", () => {
    const report = verify(inputAt(whole, { checkpoints: [checkpointOf(whole)] }))
    assert.strictEqual(checkOf(report, "ledger-inclusion").outcome, "pass")
    assert.strictEqual(checkOf(report, "ledger-transaction").outcome, "pass")
    assert.strictEqual(report.verdict, "valid")
    assert.strictEqual(report.time, "2023-11-14T22:13:30Z")
    const { author, committer, ledger, time } = report.provenance
    assert.deepStrictEqual(
      { author, committer, ledger, time },
      { author: "signed", committer: "ledger", ledger: "ledger", time: "ledger" }
    )
  })

  it("does not pass without a checkpoint, which anybody's invented block would: the report names the block that nothing was compared with", () => {
    const report = verify(inputAt(whole))
    const check = checkOf(report, "ledger-inclusion")
    assert.deepStrictEqual([check.outcome, check.code], ["skipped", "block_not_compared"])
    assert.strictEqual(check.actual, `block 12, ${whole.place.blockHash}`)
    assert.strictEqual(checkOf(report, "ledger-transaction").code, "transaction_block_not_compared")
    assert.strictEqual(report.verdict, "valid")
    assert.strictEqual(report.provenance.ledger, "claimed")
    assert.strictEqual(report.provenance.committer, "claimed")
    assert.strictEqual(report.time, "2023-11-14T22:13:21Z")
    assert.strictEqual(report.provenance.time, "claimed")
  })

  it("is invalid when any checkpoint has another block at its number, with or without an inclusion proof", () => {
    const other = checkpointOf(whole, { hash: otherHash })
    for (const checkpoints of [[other], [checkpointOf(whole), other], [other, checkpointOf(whole)]]) {
      assert.strictEqual(codeAt(whole, { checkpoints }), "checkpoint_block_differs")
      assert.strictEqual(codeAt(whole, { checkpoints, inclusion: undefined }), "checkpoint_block_differs")
    }
  })

  it("is unconfirmed when the checkpoints given do not have its block, or not its chain", () => {
    const elsewhere = checkpointOf(whole, { chainId: 1 })
    for (const [checkpoints, code] of [
      [[elsewhere], "checkpoint_chain_absent"],
      [[elsewhere, { ...checkpointOf(whole), hashes: new Map() }], "checkpoint_block_absent"]
    ] as const) {
      assert.strictEqual(codeAt(whole, { checkpoints }), code)
      assert.strictEqual(verify(inputAt(whole, { checkpoints })).verdict, "unconfirmed")
    }
  })

  it("may stand in a block of any size, alone, in a legacy receipt, before or behind other logs", async () => {
    const other = receiptOf([])
    const isFound = async (count: number, at: number, type: number) => {
      const receipts = Array.from({ length: count }, (_, index) =>
        index === at ? receiptOf([commitLog()], type) : other
      )
      const made = await block({ receipts, transactionIndex: at, logPosition: 0, logIndex: 0 })
      assert.strictEqual(codeAt(made), "ok", `${at} of ${count}, type ${type}`)
    }
    for (const type of [0, 1, 2, 3, 4, 0x7e]) await isFound(1, 0, type)
    for (const [count, at] of [
      [2, 0],
      [127, 126],
      [128, 127],
      [129, 128],
      [300, 270]
    ] as const) {
      await isFound(count, at, 2)
    }
  })

  it("holds whatever a later fork adds to the header", async () => {
    const further: ReadonlyArray<RlpItem> = Array.from({ length: 30 }, (_, at) => rlpInteger(at))
    assert.strictEqual(codeAt(await block({ further })), "ok")
    assert.strictEqual(codeAt(await block({ further: [] })), "ok")
  })
})

describe("a forged proof of inclusion", () => {
  const at = (parts: Parameters<typeof commitLog>[0]) =>
    block({ receipts: [receiptOf([commitLog(parts)])], transactionIndex: 0, logPosition: 0, logIndex: 0 })

  const ownTopics = [
    keccak256(toBytes("Commit(address,string,string)")),
    pad(committer as Hex),
    keccak256(toBytes(String(treeMembers.assetCid)))
  ]

  it("of another contract's, event's, sender's, asset's or text's log is invalid, each by its code", async () => {
    const cases = [
      [{ address: stranger }, "inclusion_contract_differs"],
      [{ event: "Commit(address,string)" }, "inclusion_event_differs"],
      [{ topics: [] }, "inclusion_event_differs"],
      [{ topics: ownTopics.slice(0, 2) }, "inclusion_event_differs"],
      [{ topics: [...ownTopics, otherHash] }, "inclusion_event_differs"],
      [{ recorder: stranger }, "inclusion_recorder_differs"],
      [{ assetCid: "another" }, "inclusion_asset_differs"],
      [{ data: `${commitData} ` }, "inclusion_commit_data_differs"],
      [{ data: commitData.slice(0, -1) }, "inclusion_commit_data_differs"],
      [{ data: "" }, "inclusion_commit_data_differs"]
    ] as const
    for (const [parts, code] of cases) assert.strictEqual(codeAt(await at(parts)), code)
    assert.strictEqual(codeAt(await at({})), "ok")
  })

  it("that points at another log, another transaction or an impossible place is invalid", async () => {
    const { inclusion, place } = whole
    const changed = (changes: Partial<typeof inclusion>): Block => ({ inclusion: { ...inclusion, ...changes }, place })
    assert.strictEqual(codeAt(changed({ logPosition: 0 })), "inclusion_asset_differs")
    assert.strictEqual(codeAt(changed({ logPosition: 2 })), "inclusion_log_absent")
    assert.strictEqual(codeAt(changed({ transactionIndex: 0 })), "inclusion_path_broken")
    assert.strictEqual(codeAt(changed({ transactionIndex: 2 })), "inclusion_path_broken")
    assert.strictEqual(codeAt(changed({ transactionIndex: Number.MAX_SAFE_INTEGER })), "inclusion_path_broken")
    assert.strictEqual(codeAt({ inclusion, place: { ...place, logIndex: 0 } }), "inclusion_log_index_differs")
    const first = await at({})
    assert.strictEqual(codeAt({ ...first, place: { ...first.place, logIndex: 1 } }), "inclusion_log_index_differs")
  })

  it("with reordered logs, or a receipt that is not in the trie, is invalid", async () => {
    const reordered = receiptOf([commitLog(), commitLog({ assetCid: "another" })])
    const receipt = { ...whole.inclusion.receipt, value: reordered }
    assert.strictEqual(
      codeAt({ ...whole, inclusion: { ...whole.inclusion, receipt, logPosition: 0 } }),
      "inclusion_path_broken"
    )
    const elsewhere = (await leafAt([receiptOf([commitLog()])], 0)).leaf
    assert.strictEqual(
      codeAt({ ...whole, inclusion: { ...whole.inclusion, receipt: elsewhere } }),
      "inclusion_path_broken"
    )
  })

  it("with another block's header, number or hash is invalid", async () => {
    const other = await block({ timestamp: BLOCK_TIME + 1 })
    assert.strictEqual(codeAt({ ...whole, inclusion: other.inclusion }), "inclusion_header_differs")
    assert.strictEqual(
      codeAt({ ...whole, place: { ...whole.place, blockHash: otherHash } }),
      "inclusion_header_differs"
    )
    const numbered = await block({ number: 13 })
    assert.strictEqual(codeAt(numbered), "inclusion_block_number_differs")
  })

  it("with a transaction that is another one, or not in the trie, is invalid by a check of its own", async () => {
    const codeOf = ({ inclusion, place }: Block) =>
      checkOf(verify(inputAt({ inclusion, place })), "ledger-transaction").code
    const { inclusion, place } = whole
    assert.strictEqual(codeOf({ inclusion, place: { ...place, txHash: otherHash } }), "transaction_differs")
    const transaction = { ...inclusion.transaction!, value: Uint8Array.of(2, 0xc0) }
    assert.strictEqual(codeOf({ inclusion: { ...inclusion, transaction }, place }), "transaction_path_broken")
    assert.strictEqual(codeOf({ inclusion: { ...inclusion, transaction: undefined }, place }), "transaction_not_shown")
    assert.strictEqual(codeOf({ inclusion, place: { ...place, blockHash: otherHash } }), "transaction_not_shown")
  })

  it("of bytes that are no header or no receipt is invalid, never an exception", async () => {
    const nested = (bytes: number) => new Uint8Array(bytes).fill(0xc1)
    for (const bytes of [
      new Uint8Array(),
      Uint8Array.of(0x80),
      nested(60_000),
      encodeRlp([]),
      encodeRlp(Array.from({ length: 15 }, () => []))
    ]) {
      assert.strictEqual(codeAt({ ...whole, inclusion: { ...whole.inclusion, header: bytes } }), "inclusion_malformed")
    }
    const word = new Uint8Array(32)
    const address = new Uint8Array(20)
    for (const receipt of [
      Uint8Array.of(0, 0xc0),
      Uint8Array.of(0x80),
      Uint8Array.of(2),
      encodeRlp([word]),
      encodeRlp([word, word, word, word]),
      receiptOf([[address, [word]]]),
      receiptOf([[address, [word.subarray(1)], word]]),
      receiptOf([[address.subarray(1), [word], word]]),
      receiptOf([[address, [word, word, word, word, word], word]]),
      receiptOf([commitLog(), word]),
      encodeRlp([word, word, word, [], []]),
      nested(100_000)
    ]) {
      const made = await block({ receipts: [receipt], transactionIndex: 0, logPosition: 0, logIndex: 0 })
      assert.strictEqual(codeAt(made), "inclusion_malformed")
    }
  })

  it("made by flipping any byte of the header, a node, the receipt or the transaction is invalid", () => {
    const { inclusion } = whole
    const flipped = (bytes: Uint8Array, at: number, bit: number) => bytes.with(at, bytes[at]! ^ (1 << bit))
    const recover = () => ({ ok: true as const, signer: author })
    const isInvalid = (changes: Partial<typeof inclusion>, what: string) => {
      const input = inputAt({ ...whole, inclusion: { ...inclusion, ...changes } }, { recover })
      assert.strictEqual(verify(input).verdict, "invalid", what)
    }
    assert.strictEqual(verify(inputAt(whole, { recover })).verdict, "valid")
    const each = (bytes: Uint8Array, act: (changed: Uint8Array, what: string) => void) => {
      for (let at = 0; at < bytes.length; at += 3) act(flipped(bytes, at, at % 8), `byte ${at}`)
    }
    each(inclusion.header, (header, what) => isInvalid({ header }, `header, ${what}`))
    for (const name of ["receipt", "transaction"] as const) {
      const leaf = inclusion[name]!
      each(leaf.value, (value, what) => isInvalid({ [name]: { ...leaf, value } }, `${name}, ${what}`))
      for (const [index, node] of leaf.path.entries()) {
        each(node, (changed, what) =>
          isInvalid({ [name]: { ...leaf, path: leaf.path.with(index, changed) } }, `node ${index} of ${name}, ${what}`)
        )
      }
      isInvalid({ [name]: { ...leaf, path: [...leaf.path, leaf.path[0]!] } }, "a node too many")
      isInvalid({ [name]: { ...leaf, path: leaf.path.slice(1) } }, "a node too few")
    }
  })

  it("of a tree without an asset leaves the commit unconfirmed", () => {
    const { assetCid: _, ...rest } = treeMembers
    const nameless = sign(encodeDagJson(rest))
    const report = verify({ ...inputAt(whole), tree: nameless.tree, record: { ...signed.record } })
    assert.strictEqual(checkOf(report, "ledger-inclusion").code, "inclusion_asset_unknown")
  })
})

describe("a proof file with an inclusion proof", () => {
  const text = (inclusion: Parameters<typeof proofOf>[0]["inclusion"]) =>
    proofText(
      proofOf({
        tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
        commitData,
        ledger: whole.place,
        inclusion
      })
    )
  const file = text({ inclusion: whole.inclusion })
  const pathsOf = (member: string, value: unknown) => {
    const copy = JSON.parse(file)
    if (value === undefined) delete copy.ledger.inclusion[member]
    else copy.ledger.inclusion[member] = value
    const reading = parseProof(utf8(JSON.stringify(copy)))
    return reading.ok ? [] : reading.problems.map(({ path }) => path)
  }

  it("gives back every byte of it", () => {
    const reading = parseProof(utf8(file))
    assert.deepStrictEqual(reading.ok ? reading.proof.inclusion : undefined, whole.inclusion)
    const { transaction: _, ...rest } = whole.inclusion
    const without = parseProof(utf8(text({ inclusion: { ...rest, transaction: undefined } })))
    assert.deepStrictEqual(without.ok ? without.proof.inclusion : undefined, { ...rest, transaction: undefined })
  })

  it("is refused when a part of it is missing, no hex, too large or too many, and the part is named", () => {
    for (const member of ["header", "receipt", "transaction"]) {
      for (const value of ["", "0x0", "0xzz", "12", 5, null, `0x${"00".repeat(3 * 1024 * 1024 + 1)}`, undefined]) {
        assert.deepStrictEqual(
          pathsOf(member, value),
          [`/ledger/inclusion/${member}`],
          `${member} ${String(value).slice(0, 9)}`
        )
      }
    }
    for (const member of ["receiptPath", "transactionPath"]) {
      for (const value of [[], {}, "0x", ["0x", 1], Array.from({ length: 65 }, () => "0x"), undefined]) {
        assert.deepStrictEqual(pathsOf(member, value), [`/ledger/inclusion/${member}`])
      }
    }
    for (const member of ["transactionIndex", "logPosition"]) {
      for (const value of [-1, 0.5, "1", 2 ** 53, undefined]) {
        assert.deepStrictEqual(pathsOf(member, value), [`/ledger/inclusion/${member}`])
      }
    }
  })

  it("or the reason why it has none, which the report repeats", () => {
    const reading = parseProof(utf8(text({ inclusionMissing: "The node has pruned the block." })))
    assert.isTrue(reading.ok)
    if (!reading.ok) return
    const check = checkOf(verify(inputOfProof(reading.proof)), "ledger-inclusion")
    assert.deepStrictEqual([check.code, check.actual], ["inclusion_left_out", "The node has pruned the block."])
    const asked = verify({ ...inputOfProof(reading.proof), checkpoints: [checkpointOf(whole)] })
    assert.strictEqual(checkOf(asked, "ledger-inclusion").code, "checkpoint_without_inclusion")
    assert.strictEqual(asked.verdict, "unconfirmed")
  })
})

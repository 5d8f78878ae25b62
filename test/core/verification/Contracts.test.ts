/** Whose word the event is: a contract that is known, or one that can name anybody; and the sender found from the transaction. */
import { assert, describe, it } from "@effect/vitest"
import { type Report, type VerifyInput, verify } from "@treemark/core/verify"
import { type BlockParts, block, checkpointOf, commitData, commitLog, type LogParts, receiptOf } from "./Block.ts"
import { author, checkOf, committer, inputOf, ledger, signed, stranger, strangerKey } from "./Fixtures.ts"

const hostile = "0x00000000000000000000000000000000DeaDBeef"

/** A commit alone in its block, with parts of its event and its transaction changed; the reader knows the block. */
const recorded = async (
  log: LogParts,
  { place = {}, ...parts }: BlockParts & { readonly place?: Partial<typeof ledger> } = {}
): Promise<VerifyInput> => {
  const receipts = [receiptOf([commitLog(log)])]
  const made = await block({ receipts, transactionIndex: 0, logPosition: 0, logIndex: 0, ...parts })
  return inputOf(signed, {
    commitData,
    inclusion: made.inclusion,
    ledger: { ...made.place, ...place },
    checkpoints: [checkpointOf(made)]
  })
}

/** A contract of anybody's writes that the committer recorded this; a stranger sent the transaction. */
const forged = await recorded(
  { address: hostile },
  { place: { contract: hostile }, transaction: { key: strangerKey, to: hostile } }
)
const codes = (report: Report) =>
  Object.fromEntries(
    (
      [
        "committer-is-recorder",
        "ledger-inclusion",
        "ledger-contract",
        "ledger-transaction",
        "transaction-sender"
      ] as const
    ).map((name) => [name, checkOf(report, name).code])
  )

describe("a contract that is not known", () => {
  it("proves nothing about who recorded a commit: all of the ledger is claimed, and the report is unconfirmed", () => {
    const report = verify(forged)
    assert.deepStrictEqual(codes(report), {
      "committer-is-recorder": "recorder_not_shown",
      "ledger-inclusion": "ok",
      "ledger-contract": "contract_not_known",
      "ledger-transaction": "ok",
      "transaction-sender": "contract_not_known"
    })
    assert.strictEqual(report.verdict, "unconfirmed")
    assert.deepInclude(report.provenance, { committer: "claimed", ledger: "claimed", time: "claimed" })
    assert.strictEqual(report.time, "2023-11-14T22:13:21Z")
    assert.strictEqual(report.act?.provenance, "claimed")
    assert.strictEqual(report.answers.when, "claimed")
    assert.strictEqual(checkOf(report, "ledger-contract").expected, ledger.contract)
  })

  it("leaves a commit as valid as its place is claimed, when nobody asks for the ledger", () => {
    const { checkpoints: _, ...unasked } = forged
    const report = verify(unasked)
    assert.strictEqual(report.verdict, "valid")
    assert.strictEqual(checkOf(report, "ledger-contract").code, "contract_not_known")
    assert.strictEqual(report.provenance.ledger, "claimed")
  })

  it("does not hide a committer that is another, nor is it needed for one that is an identity", () => {
    const record = { ...signed.record, committer: stranger }
    assert.strictEqual(checkOf(verify({ ...forged, record }), "committer-is-recorder").code, "committer_differs")
    const { committer: _, ...anonymous } = signed.record
    const code = checkOf(verify({ ...forged, record: anonymous }), "committer-is-recorder").code
    assert.strictEqual(code, "recorder_not_shown")
  })

  it("is known once the reader names it, or a checkpoint of its chain does; for another chain that says nothing", async () => {
    const honest = await recorded({ address: hostile }, { place: { contract: hostile }, transaction: { to: hostile } })
    const given = honest.checkpoints![0]!
    for (const changes of [
      { contracts: [{ chainId: ledger.chainId, contract: hostile.toLowerCase() }] },
      { checkpoints: [{ ...given, contracts: [hostile] }] },
      { checkpoints: [given, { ...given, hashes: new Map(), contracts: [hostile] }] }
    ]) {
      const report = verify({ ...honest, ...changes })
      assert.strictEqual(report.verdict, "valid")
      assert.strictEqual(report.provenance.committer, "ledger")
      assert.strictEqual(checkOf(report, "transaction-sender").code, "ok")
    }
    for (const changes of [
      { contracts: [{ chainId: 10507, contract: hostile }] },
      { contracts: [{ chainId: ledger.chainId, contract: stranger }] },
      { checkpoints: [given, { ...given, chainId: 10507, contracts: [hostile] }] }
    ]) {
      assert.strictEqual(checkOf(verify({ ...honest, ...changes }), "ledger-contract").code, "contract_not_known")
    }
  })

  it("is none of the daemon's or the public networks' contracts on another chain", async () => {
    const elsewhere = await recorded({}, { place: { chainId: 1 } })
    const report = verify({ ...elsewhere, checkpoints: [{ ...elsewhere.checkpoints![0]!, chainId: 1 }] })
    assert.strictEqual(checkOf(report, "ledger-contract").code, "contract_not_known")
    assert.strictEqual(checkOf(report, "ledger-contract").expected, "no contract of chain 1 is known")
  })
})

describe("the sender of the transaction", () => {
  it("is found from its signature, and covered with the block", async () => {
    const report = verify(await recorded({}))
    assert.deepInclude(checkOf(report, "transaction-sender"), { code: "ok", expected: committer, actual: committer })
    assert.strictEqual(report.verdict, "valid")
    assert.strictEqual(report.provenance.committer, "ledger")
  })

  it("that is another than the recorder makes the proof invalid, and its place is covered by nothing", async () => {
    const { checkpoints, ...input } = await recorded({}, { transaction: { key: strangerKey } })
    for (const asked of [{ checkpoints }, {}]) {
      const report = verify({ ...input, ...asked })
      const found = checkOf(report, "transaction-sender")
      assert.deepInclude(found, { code: "transaction_sender_differs", expected: committer, actual: stranger })
      assert.strictEqual(report.verdict, "invalid")
      assert.deepStrictEqual([report.provenance.ledger, report.provenance.time], ["claimed", "claimed"])
    }
  })

  it("is not compared where another contract was called, which called the commit contract", async () => {
    const report = verify(await recorded({}, { transaction: { key: strangerKey, to: stranger } }))
    const { actual, code } = checkOf(report, "transaction-sender")
    assert.deepStrictEqual([code, actual], ["transaction_indirect", `a call of ${stranger}`])
    assert.strictEqual(report.verdict, "valid")
  })

  it("of an invented block is compared, but passes only in one that a checkpoint has", async () => {
    const { checkpoints: _, ...unasked } = await recorded({})
    assert.strictEqual(checkOf(verify(unasked), "transaction-sender").code, "transaction_block_not_compared")
  })

  it("is skipped where no transaction is shown, and of types that are not known", async () => {
    const input = await recorded({})
    const inclusion = { ...input.inclusion!, transaction: undefined }
    assert.strictEqual(checkOf(verify({ ...input, inclusion }), "transaction-sender").code, "transaction_not_shown")
    const elsewhere = { ...input.inclusion!, transaction: input.inclusion!.receipt }
    const broken = verify({ ...input, inclusion: elsewhere })
    assert.strictEqual(checkOf(broken, "transaction-sender").code, "transaction_not_shown")
    assert.strictEqual(checkOf(broken, "ledger-transaction").code, "transaction_path_broken")
    const future = verify(await recorded({}, { transaction: Uint8Array.of(5, 0xc1, 0x80) }))
    assert.strictEqual(checkOf(future, "transaction-sender").code, "transaction_type_unknown")
    assert.strictEqual(future.verdict, "valid")
    assert.strictEqual(checkOf(verify(inputOf(signed)), "transaction-sender").code, "ledger_not_given")
  })

  it("is found with the backend that is given", async () => {
    const input = await recorded({})
    const none = verify({ ...input, recoverKey: () => undefined })
    assert.strictEqual(checkOf(none, "transaction-sender").code, "transaction_malformed")
    assert.strictEqual(none.signer, author)
  })
})

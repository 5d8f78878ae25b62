/**
 * Near misses of trust: a key, a contract, a sender, a witness that a reader cannot rely on. Each is made, then named, and what the advice asks for is
 * done and passes. Every command that is shown with it, and needs no node, is run.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import {
  explain,
  inputOfProof,
  parseAuthors,
  parseCheckpoint,
  parseProof,
  proofOf,
  proofText,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { addressOfPrivateKey, signPersonalMessage } from "../../../packages/core/src/asset-tree/Signature.ts"
import { actChecksum } from "../../../packages/core/src/proof/Act.ts"
import { checkpointChecksum, checkpointText } from "../../../packages/core/src/proof/CheckpointFile.ts"
import { scratch } from "../../verify/Command.ts"
import { runAll, without } from "../../verify/RunCommands.ts"
import { type BlockParts, block, checkpointOf, commitLog, receiptOf } from "./Block.ts"
import { asset, author, authorKey, committer, ledger, signed, stranger, strangerKey, utf8 } from "./Fixtures.ts"

const files = scratch()
afterAll(files.remove)

const hostile = "0x00000000000000000000000000000000DeaDBeef"
const names = { proof: "proof.json", authors: "authors.txt", asset: "photo.jpg", checkpoints: ["one.json", "two.json"] }
/** Whose word for an act is taken. */
const SERVICE = `${committer} "Our service" recorder\n`
const witnessKey = new Uint8Array(32).fill(21)
const witness = addressOfPrivateKey(witnessKey)

/** A commit alone in its block, as a file of its own; `contract` is who wrote its event. */
const proofFile = async (
  contract: string = ledger.contract,
  transaction: BlockParts["transaction"] = { to: contract },
  record: object = signed.record
) => {
  const commitData = JSON.stringify(record)
  const receipts = [receiptOf([commitLog({ address: contract, data: commitData })])]
  const made = await block({
    receipts,
    transactionIndex: 0,
    logPosition: 0,
    logIndex: 0,
    ...(transaction && { transaction })
  })
  const place = { ...made.place, contract }
  const { inclusion } = made
  const text = proofText(
    proofOf({
      tree: { cid: signed.record.assetTreeCid, bytes: signed.tree },
      commitData,
      ledger: place,
      inclusion: { inclusion }
    })
  )
  files.write("proof.json", text)
  files.write("photo.jpg", asset)
  const reading = parseProof(utf8(text))
  assert.isTrue(reading.ok)
  return { input: reading.ok ? inputOfProof(reading.proof) : {}, checkpoint: checkpointOf(made) }
}

const authorsFile = (text: string) => {
  files.write("authors.txt", text)
  const reading = parseAuthors(utf8(text))
  assert.isTrue(reading.ok)
  return reading.ok ? reading.authors : undefined
}

/** Writes the checkpoints as files, the first signed by the witness. */
const checkpointFiles = (checkpoint: ReturnType<typeof checkpointOf>) =>
  names.checkpoints.map((name, at) => {
    const file = JSON.parse(checkpointText({ ...checkpoint, contracts: [] }))
    const signature = signPersonalMessage(String(checkpointChecksum(file)), witnessKey)
    const text = JSON.stringify(at === 0 ? { ...file, signatures: [{ signer: witness, signature }] } : file)
    files.write(name, text)
    const reading = parseCheckpoint(utf8(text))
    assert.isTrue(reading.ok)
    return reading.ok ? reading.checkpoint : checkpoint
  })

/** The near miss at `check`, after every command of its explanation was run. */
const missAt = (check: string, input: VerifyInput) => {
  const report = verify(input)
  const explanations = explain(input, report, names).filter((one) => one.check === check)
  if (without.length === 0) assert.isAbove(runAll(explanations, files.folder), 0)
  return { ...explanations[0]?.nearMiss, verdict: report.verdict }
}
const isFine = (input: VerifyInput) =>
  verify(input).verdict === "valid" && explain(input, verify(input)).every(({ nearMiss }) => nearMiss === null)

describe("a near miss of trust", () => {
  it("is named: a key that is revoked, by what the file says of it and whose time counts", async () => {
    const { checkpoint, input } = await proofFile()
    const authors = authorsFile(`${SERVICE}${author} Ada\n${author} Ada revoked=2023-12-01 reason="laptop stolen"\n`)
    const miss = missAt("signer-named", { ...input, authors })
    assert.deepInclude(miss, { kind: "key_revoked", verdict: "unconfirmed" })
    for (const told of ["revoked 2023-12-01", "laptop stolen", "as the commit record claims"])
      assert.include(miss.advice, told)
    assert.isTrue(isFine({ ...input, authors, checkpoints: [checkpoint] }))
  })

  it("is named: a key outside of its dates, and one whose time nothing proves", async () => {
    const { checkpoint, input } = await proofFile()
    const expired = authorsFile(`${author} Ada valid-to=2023-01-31\n`)
    const late = missAt("signer-named", { ...input, authors: expired, checkpoints: checkpointFiles(checkpoint) })
    assert.deepInclude(late, { kind: "key_out_of_dates", verdict: "unconfirmed" })
    assert.include(late.advice, "the block's timestamp")
    const good = authorsFile(`${SERVICE}${author} Ada valid-to=2023-12-31\n`)
    assert.deepInclude(missAt("signer-named", { ...input, authors: good }), { kind: "key_out_of_dates" })
    assert.isTrue(isFine({ ...input, authors: good, checkpoints: [checkpoint] }))
    assert.isUndefined(missAt("signer-named", { ...input, authors: authorsFile(`${stranger} Bob\n`) }).kind)
  })

  it("is named: a contract that is not known, wherever it is one", async () => {
    const { checkpoint, input } = await proofFile(hostile)
    const given = { ...input, checkpoints: checkpointFiles(checkpoint) }
    const miss = missAt("ledger-contract", given)
    assert.deepInclude(miss, { kind: "contract_unknown", verdict: "unconfirmed" })
    assert.include(miss.advice, `--contract ${ledger.chainId}:${hostile}`)
    assert.isTrue(isFine({ ...given, contracts: [{ chainId: ledger.chainId, contract: hostile }] }))
    const jade = "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001"
    assert.include(missAt("ledger-contract", (await proofFile(jade)).input).advice, "it is one on chain 10507")
  })

  it("is named: a transaction that somebody else sent", async () => {
    const { input } = await proofFile(ledger.contract, { key: strangerKey })
    const miss = missAt("transaction-sender", input)
    assert.deepInclude(miss, { kind: "sent_by_another", verdict: "invalid" })
    for (const told of [stranger, committer]) assert.include(miss.advice, told)
    assert.isUndefined(missAt("transaction-sender", (await proofFile()).input).kind)
    for (const broken of [Uint8Array.of(2, 0xc0), Uint8Array.of(0x7e, 1)]) {
      const { input } = await proofFile(ledger.contract, broken)
      assert.isUndefined(
        explain(input, verify(input)).find(({ check }) => check === "transaction-sender")?.nearMiss?.kind
      )
    }
  })

  it("is named: too few witnesses, and which there are", async () => {
    const { checkpoint, input } = await proofFile()
    const checkpoints = checkpointFiles(checkpoint)
    const miss = missAt("ledger-inclusion", { ...input, checkpoints, quorum: 2 })
    assert.deepInclude(miss, { kind: "witnesses_missing", verdict: "unconfirmed" })
    for (const told of [witness, "2 different signers", "2 checkpoint files"]) assert.include(miss.advice, told)
    assert.isTrue(isFine({ ...input, checkpoints, quorum: 1 }))
    const other = { ...checkpoint, hashes: new Map([[99, `0x${"12".repeat(32)}`]]) }
    assert.deepInclude(missAt("ledger-inclusion", { ...input, checkpoints: checkpointFiles(other), quorum: 1 }), {
      kind: "witnesses_missing"
    })
  })

  const acted = (key: Uint8Array, elsewhere: object = {}) => {
    const act = { ...signed.record, chainID: ledger.chainId, contract: ledger.contract, ...elsewhere }
    const actSignature = signPersonalMessage(actChecksum(act), key)
    return proofFile(ledger.contract, { to: ledger.contract }, { ...signed.record, actSignature })
  }

  it("is named: an act of a stranger's, where the reader says whose word they take", async () => {
    const { checkpoint, input } = await proofFile()
    const authors = authorsFile(`${author} Ada\n`)
    const miss = missAt("act-signature", { ...input, authors })
    assert.deepInclude(miss, { kind: "act_of_stranger", verdict: "valid" })
    assert.include(miss.advice, committer)
    const trusting = authorsFile(`${author} Ada\n${committer} "Our service" recorder\n`)
    assert.isTrue(isFine({ ...input, authors: trusting, checkpoints: [checkpoint] }))
    assert.isTrue(isFine(input))
    assert.isTrue(isFine({ ...(await acted(authorKey)).input, authors }))
  })

  it("is named: an act that was signed for another chain, and one that somebody else signed", async () => {
    const { input } = await acted(authorKey, { chainID: 10507, contract: "0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001" })
    const miss = missAt("act-signature", input)
    assert.deepInclude(miss, { kind: "act_of_other_place", verdict: "invalid" })
    assert.include(miss.advice, "for chain 10507")
    const byService = missAt("act-signature", (await acted(new Uint8Array(32).fill(5))).input)
    assert.deepInclude(byService, { kind: "act_by_other_key", verdict: "invalid" })
    assert.include(byService.advice, committer)
    for (const unrelated of [await acted(strangerKey), await acted(authorKey, { abstract: "another message" })]) {
      assert.deepInclude(missAt("act-signature", unrelated.input), { verdict: "invalid" })
      assert.isUndefined(missAt("act-signature", unrelated.input).kind)
    }
    assert.isUndefined(missAt("act-signature", (await acted(authorKey)).input).kind)
  })

  it("is named: a contract wallet's signature, which only a node can ask about", async () => {
    const assetTreeSignature = `0x${"ab".repeat(97)}`
    const { input } = await proofFile(
      ledger.contract,
      { to: ledger.contract },
      { ...signed.record, assetTreeSignature }
    )
    const miss = missAt("signature", input)
    assert.deepInclude(miss, { kind: "signed_by_contract", verdict: "unconfirmed" })
    for (const told of ["97", author, "0x1626ba7e"]) assert.include(miss.advice, told)
    const commands = explain(input, verify(input), names).find(({ check }) => check === "signature")?.commands
    assert.deepInclude(commands?.at(-1), { prints: "0x1626ba7e", needsNode: true })
  })
})

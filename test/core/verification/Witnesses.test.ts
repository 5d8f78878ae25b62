/** Whose word a block is: signed checkpoints, quorums, named witnesses, and the ways of making one witness look like two. */
import { assert, describe, it } from "@effect/vitest"
import { type Checkpoint, parseAuthors, type VerifyInput, verify } from "@treemark/core/verify"
import { block, checkpointOf, commitData, otherHash } from "./Block.ts"
import { author, checkOf, committer, inputOf, signed, stranger, utf8 } from "./Fixtures.ts"

const made = await block()
const asked: VerifyInput = inputOf(signed, { commitData, inclusion: made.inclusion, ledger: made.place })
const signedBy = (...signers: ReadonlyArray<string>): Checkpoint => ({ ...checkpointOf(made), signers })
const authorsOf = (text: string) => {
  const reading = parseAuthors(utf8(`${author} Ada\n${text}`))
  assert.isTrue(reading.ok, reading.ok ? "" : reading.message)
  return reading.ok ? reading.authors : new Map()
}
const judge = (changes: VerifyInput) => {
  const report = verify({ ...asked, ...changes })
  const { actual, code, expected } = checkOf(report, "ledger-inclusion")
  return { verdict: report.verdict, code, expected, actual, witnesses: report.witnesses, when: report.answers.when }
}
const [one, two, three] = [author, committer, stranger]

describe("the witnesses of a block", () => {
  it("are told: each signer once, by the name of its witness line, and one entry for files that nobody signed", () => {
    const authors = authorsOf(`${two} "The archive" witness\n${three} Bob recorder`)
    const checkpoints = [signedBy(three, two), signedBy(), signedBy(two), signedBy()]
    assert.deepStrictEqual(judge({ checkpoints, authors }).witnesses, [
      { signer: three, name: null },
      { signer: two, name: "The archive" },
      { signer: null, name: null }
    ])
    assert.deepStrictEqual(judge({}).witnesses, [])
  })

  it("are only those whose checkpoint has this very block of this chain", () => {
    const elsewhere = [
      { ...signedBy(one), hashes: new Map() },
      { ...signedBy(two), chainId: 1 },
      { ...signedBy(three), hashes: new Map([[made.place.blockNumber, otherHash]]) }
    ]
    assert.deepStrictEqual(judge({ checkpoints: elsewhere }).witnesses, [])
  })

  it("are not named by a line that is revoked, has dates, or names the key as something else", () => {
    for (const line of ["witness revoked=2030-01-01", "witness valid-from=2020-01-01", "recorder", ""]) {
      const { witnesses } = judge({ checkpoints: [signedBy(two)], authors: authorsOf(`${two} Bob ${line}`) })
      assert.deepStrictEqual(witnesses, [{ signer: two, name: null }], line)
    }
  })
})

describe("a quorum", () => {
  it("is met by so many different signers, in one file or in several; files that nobody signed do not count", () => {
    for (const checkpoints of [
      [signedBy(one, two)],
      [signedBy(one), signedBy(two)],
      [signedBy(), signedBy(one), signedBy(one, two)],
      [signedBy(one, two, three)]
    ]) {
      assert.deepInclude(judge({ checkpoints, quorum: 2 }), { code: "ok", verdict: "valid", when: "proven" })
    }
    for (const checkpoints of [
      [signedBy(one)],
      [signedBy(one, one)],
      [signedBy(one), signedBy(one)],
      [signedBy(), signedBy(), signedBy(one)],
      [signedBy(), signedBy()],
      [signedBy(one), { ...signedBy(two), hashes: new Map() }],
      [signedBy(one), { ...signedBy(two), chainId: 1 }],
      []
    ]) {
      const found = judge({ checkpoints, quorum: 2 })
      assert.deepInclude(found, { code: "checkpoint_quorum_missing", verdict: "unconfirmed", when: "claimed" })
      assert.strictEqual(found.expected, "2 different signers")
    }
    assert.include(String(judge({ checkpoints: [signedBy(one)], quorum: 2 }).actual), one)
  })

  it("counts only the witnesses that the authors file names, where it names any; never a key that it revokes", () => {
    const checkpoints = [signedBy(two, three)]
    const ok = (text: string) => judge({ checkpoints, quorum: 2, authors: authorsOf(text) }).code === "ok"
    assert.isTrue(ok(`${two} Archive witness\n${three} Bob witness`))
    assert.isTrue(ok(""))
    assert.isTrue(ok(`${two} Archive recorder`))
    for (const text of [
      `${two} Archive witness`,
      `${two} Archive witness\n${three} Bob`,
      `${two} Archive witness\n${three} Bob recorder`,
      `${two} Archive witness\n${three} Bob witness valid-to=2030-01-01`,
      `${two} Archive witness\n${three} Bob witness\n${three} Bob revoked=2030-01-01`,
      `${three} Bob revoked=2030-01-01`
    ]) {
      assert.isFalse(ok(text), text)
    }
  })

  it("is asked of contracts, too: one witness of two cannot make a contract known", async () => {
    const contract = "0x00000000000000000000000000000000DeaDBeef"
    const place = { ...made.place, contract }
    const known = (checkpoints: ReadonlyArray<Checkpoint>, quorum?: number) =>
      checkOf(verify({ ...asked, ledger: place, checkpoints, quorum }), "ledger-contract").code === "ok"
    const naming = (signer: string) => ({ ...signedBy(signer), contracts: [contract] })
    assert.isTrue(known([{ ...signedBy(), contracts: [contract] }]))
    assert.isTrue(known([naming(one), naming(two)], 2))
    assert.isFalse(known([naming(one), signedBy(two)], 2))
    assert.isFalse(known([naming(one), { ...signedBy(), contracts: [contract] }], 2))
  })

  it("that is missing leaves what the checkpoints say against the block as it is", () => {
    const other = { ...signedBy(), hashes: new Map([[made.place.blockNumber, otherHash]]) }
    const found = judge({ checkpoints: [signedBy(one, two), other], quorum: 2 })
    assert.deepInclude(found, { code: "checkpoint_block_differs", verdict: "invalid" })
    assert.strictEqual(judge({ checkpoints: [], quorum: 1, inclusion: undefined }).code, "checkpoint_without_inclusion")
  })

  it("of nobody is never met, whatever number is asked", () => {
    for (const quorum of [0, -1, Number.NaN, 0.5]) {
      assert.strictEqual(judge({ checkpoints: [signedBy()], quorum }).code, "checkpoint_quorum_missing", String(quorum))
    }
  })
})

describe("a checkpoint made by hand", () => {
  it("without the lists of contracts and signers is one that nobody signed", () => {
    const { chainId, hashes } = checkpointOf(made)
    const bare = { chainId, hashes } as unknown as Checkpoint
    const found = judge({ checkpoints: [bare] })
    assert.deepInclude(found, { code: "ok", witnesses: [{ signer: null, name: null }] })
    assert.strictEqual(
      verify({ ...asked, ledger: { ...made.place, contract: stranger }, checkpoints: [bare] }).verdict,
      "invalid"
    )
  })
})

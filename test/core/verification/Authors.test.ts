/** The authors file: how it is read, and what its names, dates and revocations do to a report. */
import { assert, describe, it } from "@effect/vitest"
import { AUTHORS_LIMIT, parseAuthors, type VerifyInput, verify } from "@treemark/core/verify"
import { processorTime } from "../../layers/Timing.ts"
import { block, checkpointOf, commitData } from "./Block.ts"
import { author, checkOf, inputOf, sign, signed, stranger, strangerKey, utf8 } from "./Fixtures.ts"

const read = (text: string) => {
  const reading = parseAuthors(utf8(text))
  assert.isTrue(reading.ok, reading.ok ? "" : reading.message)
  return reading.ok ? reading.authors : new Map()
}
const refusalOf = (text: string): string => {
  const reading = parseAuthors(utf8(text))
  return reading.ok ? "" : reading.message
}

describe("an authors file", () => {
  it("names addresses, with dates, revocations, quoted text, comments and empty lines", () => {
    const authors = read(
      `# our studio\r\n\n  ${author.toLowerCase()} "Ada Lovelace" valid-from=2024-02-29 valid-to=2024-12-31\n` +
        `${author}\tAda revoked=2025-03-01T12:00:00Z reason="laptop \\"stolen\\""\n${stranger} Bob`
    )
    assert.deepStrictEqual(authors.get(author), [
      { name: "Ada Lovelace", from: 1_709_164_800, until: 1_735_689_600, revoked: undefined },
      { name: "Ada", from: undefined, until: undefined, revoked: { at: 1_740_830_400, reason: 'laptop "stolen"' } }
    ])
    assert.deepStrictEqual(authors.get(stranger)?.[0]?.name, "Bob")
    assert.strictEqual(read("").size, 0)
    assert.strictEqual(read("\ufeff# nobody\n").size, 0)
  })

  it("that is not understood is refused whole, with the line, because that line could revoke a key", () => {
    for (const [line, told] of [
      [author, "needs an address and a name"],
      ["Ada", "needs an address and a name"],
      ["0x12 Ada", "does not begin with an address"],
      [`${author} Ada Lovelace`, "double quotes"],
      [`${author} "Ada`, "not understood"],
      [`${author} ""`, "a name that is empty"],
      [`${author} "\\u001b[2J"`, "control characters"],
      [`${author} "${"x".repeat(201)}"`, "over 200 characters"],
      [`${author} Ada valid-until=2024-01-01`, "not understood"],
      [`${author} Ada valid-to=2024-02-30`, "a date for valid-to that is none"],
      [`${author} Ada valid-to=2023-02-29`, "a date for valid-to that is none"],
      [`${author} Ada valid-from=01.02.2024`, "a date for valid-from that is none"],
      [`${author} Ada revoked=2024-01-01T25:00:00Z`, "a date for revoked that is none"],
      [`${author} Ada revoked=2024-01-01T10:00:00+02:00`, "a date for revoked that is none"],
      [`${author} Ada valid-to=2024-01-01 valid-to=2025-01-01`, "says valid-to twice"],
      [`${author} Ada valid-from=2025-01-01 valid-to=2024-01-01`, "ends before it begins"],
      [`${author} Ada reason=lost`, "no revoked=DATE"],
      [`${author} Ada # a friend`, "second name"],
      [`${author} witness`, "the name comes first"],
      [`${author} recorder Ada`, "the name comes first"],
      [`${author} Ada witness witness`, "says witness twice"],
      [`${author} Ada "witness"`, "second name"],
      [`${author} Ada witness=2024-01-01`, "not understood"],
      [`${author} Ada admin`, "second name"]
    ] as const) {
      const message = refusalOf(`# first\n${line}`)
      assert.include(message, "Line 2 of the authors file", line)
      assert.include(message, told, line)
    }
  })

  it("catches a mistyped address by its checksum, and accepts one in a single letter case", () => {
    const typo = author.replace(/[A-F]/, (letter) => letter.toLowerCase())
    assert.include(refusalOf(`${typo} Ada`), "contradict its checksum")
    assert.strictEqual(read(`0x${author.slice(2).toUpperCase()} Ada`).size, 1)
  })

  it("over 1 MiB, or not UTF-8, is refused", () => {
    for (const [bytes, code] of [
      [new Uint8Array(AUTHORS_LIMIT + 1), "authors_too_large"],
      [Uint8Array.of(0x30, 0xff), "authors_not_utf8"]
    ] as const) {
      const reading = parseAuthors(bytes)
      assert.strictEqual(reading.ok ? "read" : reading.code, code)
    }
  })

  it("with a hostile line of a megabyte is answered at once", () => {
    for (const line of [
      "x".repeat(1_000_000),
      `${author} "${"\\".repeat(900_000)}`,
      `${author} ${"a=".repeat(400_000)}`
    ]) {
      const started = processorTime()
      assert.notStrictEqual(refusalOf(line), "")
      assert.isBelow(processorTime() - started, 2_000)
    }
  })
})

const made = await block()
const claimed: VerifyInput = inputOf(signed)
/** The same commit on the ledger ten seconds later, 2023-11-14T22:13:30Z. */
const proven = inputOf(signed, {
  commitData,
  inclusion: made.inclusion,
  ledger: made.place,
  checkpoints: [checkpointOf(made)]
})
const judge = (input: VerifyInput, lines: string) => {
  const report = verify({ ...input, authors: read(lines) })
  const { code, actual, expected } = checkOf(report, "signer-named")
  return { verdict: report.verdict, name: report.signerName, code, actual, expected }
}

describe("a signer", () => {
  it("who is listed is valid by name, and the report says which time counted", () => {
    const now = judge(claimed, `${author} "Ada Lovelace"`)
    assert.deepInclude(now, { verdict: "valid", name: "Ada Lovelace", code: "ok" })
    assert.strictEqual(now.actual, "2023-11-14T22:13:21Z, as the commit record claims")
    const later = judge(proven, `${author} Ada valid-to=2023-11-14T22:13:30Z`)
    assert.deepInclude(later, { verdict: "valid", name: "Ada", code: "ok" })
    assert.strictEqual(later.actual, "2023-11-14T22:13:30Z, the block's timestamp")
  })

  it("outside of the dates is unconfirmed, to the second, and nameless", () => {
    for (const [input, dates, code] of [
      [proven, "valid-from=2023-11-14T22:13:31Z", "signer_not_yet_valid"],
      [proven, "valid-from=2023-11-14T22:13:30Z", "ok"],
      [proven, "valid-to=2023-11-14T22:13:29Z", "signer_expired"],
      [proven, "valid-to=2023-11-14T22:13:30Z", "ok"],
      [proven, "valid-to=2023-11-13", "signer_expired"]
    ] as const) {
      const found = judge(input, `${author} Ada ${dates}`)
      assert.deepInclude(
        found,
        { code, verdict: code === "ok" ? "valid" : "unconfirmed", name: code === "ok" ? "Ada" : null },
        dates
      )
    }
  })

  it("whose key has dates is unconfirmed while the time is only claimed: a thief of the key writes any", () => {
    for (const dates of [
      "valid-from=2023-11-14",
      "valid-to=2023-11-14",
      "valid-to=2023-11-13",
      "valid-from=2024-01-01"
    ]) {
      const found = judge(claimed, `${author} Ada ${dates}`)
      assert.deepInclude(found, { code: "signing_time_claimed", verdict: "unconfirmed", name: null }, dates)
      assert.strictEqual(found.actual, "2023-11-14T22:13:21Z, as the commit record claims")
    }
    assert.deepInclude(judge(claimed, `${author} Ada valid-to=2022-12-31\n${author} Ada`), { code: "ok", name: "Ada" })
  })

  it("whose key is revoked stays so whatever other lines say of it, in whatever order and role", () => {
    const revoked = `${author} Ada revoked=2023-11-14 reason="laptop stolen"`
    const lines = [revoked, `${author} "Ada Lovelace"`, `${author} Ada valid-from=2020-01-01 valid-to=2030-12-31`]
    for (const order of [lines, [...lines].reverse()]) {
      for (const input of [claimed, proven]) {
        const found = judge(input, order.join("\n"))
        assert.deepInclude(found, { code: "signer_revoked", verdict: "unconfirmed", name: null })
        assert.include(String(found.expected), "laptop stolen")
      }
    }
    const asWitness = `${author} Ada witness revoked=2023-01-01\n${author} Ada`
    assert.deepInclude(judge(claimed, asWitness), { code: "signer_revoked", name: null })
    const twice = `${author} Ada revoked=2030-01-01\n${author} Ada revoked=2023-11-14T22:13:30Z`
    assert.deepInclude(judge(proven, twice), { code: "signer_revoked", name: null })
  })

  it("who is listed as a recorder or a witness only is nobody's author", () => {
    for (const roles of ["recorder", "witness", "recorder witness", "witness recorder"]) {
      const alone = judge(claimed, `${author} Ada ${roles}`)
      assert.deepInclude(alone, { code: "authors_roles_only", verdict: "valid", name: null }, roles)
      const beside = judge(claimed, `${author} Ada ${roles}\n${stranger} Bob`)
      assert.deepInclude(beside, { code: "signer_not_listed", verdict: "unconfirmed", name: null }, roles)
      const both = judge(claimed, `${author} "Ada's machine" ${roles}\n${author} Ada`)
      assert.deepInclude(both, { code: "ok", name: "Ada" }, roles)
      const stolen = judge(claimed, `${author} Ada ${roles} revoked=2023-01-01`)
      assert.deepInclude(stolen, { code: "signer_revoked", verdict: "unconfirmed", name: null }, roles)
    }
  })

  it("whose key is revoked is trusted only for what the ledger shows to be older; a claimed time never helps", () => {
    const line = (date: string) => `${author} Ada revoked=${date} reason="laptop stolen"`
    assert.strictEqual(judge(proven, line("2023-11-15")).code, "ok")
    assert.strictEqual(judge(proven, line("2023-11-14T22:13:31Z")).code, "ok")
    for (const [input, date] of [
      [proven, "2023-11-14T22:13:30Z"],
      [proven, "2023-11-14"],
      [claimed, "2030-01-01"]
    ] as const) {
      const found = judge(input, line(date))
      assert.deepInclude(found, { code: "signer_revoked", verdict: "unconfirmed", name: null })
      assert.include(String(found.expected), "laptop stolen")
    }
  })

  it("with several periods is named by the one that fits", () => {
    const lines = `${author} Old valid-to=2022-12-31\n${author} Now valid-from=2023-01-01\n${author} Later valid-from=2029-01-01`
    assert.deepInclude(judge(proven, lines), { code: "ok", name: "Now" })
  })

  it("who is not listed, or an empty file, is unconfirmed and said so", () => {
    assert.deepInclude(judge(claimed, `${stranger} Bob`), { code: "signer_not_listed", verdict: "unconfirmed" })
    assert.deepInclude(judge(claimed, "# nobody"), { code: "authors_empty", verdict: "unconfirmed" })
  })

  it("who is listed, but is not the author, does not become the author", () => {
    const byStranger = inputOf(sign(signed.tree, { key: strangerKey }))
    const found = judge(byStranger, `${stranger} Bob`)
    assert.deepInclude(found, { code: "ok", name: "Bob", verdict: "unconfirmed" })
  })

  it("with dates needs a time: a record without one, or with a senseless one, is unconfirmed", () => {
    for (const timestampCreated of [undefined, null, "2023", -1, 1.5, 1e300, 253_402_300_800]) {
      const input = { tree: signed.tree, record: { ...signed.record, timestampCreated } } as VerifyInput
      assert.strictEqual(judge(input, `${author} Ada valid-to=2030-01-01`).code, "signing_time_unknown")
      assert.strictEqual(judge(input, `${author} Ada`).code, "ok")
    }
  })
})

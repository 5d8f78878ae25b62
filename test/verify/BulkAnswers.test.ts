/** Each result of a chunk is exactly what verifying that proof alone gives, with every backend and whatever stands in the line. */
import { assert, describe, it } from "@effect/vitest"
import { readJsonObject } from "@treemark/core/verify"
import { loadBackend } from "../../packages/verify/src/backends/Backend.ts"
import type { BackendName } from "../../packages/verify/src/backends/BackendName.ts"
import { answerChunk } from "../../packages/verify/src/bulk/AnswerChunk.ts"
import { makeVerifier } from "../../packages/verify/src/bulk/Verifier.ts"
import { UnusableInput, verifyProof } from "../../packages/verify/src/index.ts"
import { author, proofFile } from "../core/verification/Fixtures.ts"
import { dice, invalidLine, proofNumber, unconfirmedLine, validLine } from "./BulkProofs.ts"

const answered = (input: Uint8Array, verifier: ReturnType<typeof makeVerifier>, json = true) => {
  const buffer = new Uint8Array(input).buffer
  const answer = answerChunk({ kind: "lines", buffer, length: input.length, offset: 0, line: 1 }, verifier, { json })
  return { ...answer, text: new TextDecoder().decode(answer.results) }
}

/** As JSON has it, which knows no negative zero. */
const alone = (bytes: Uint8Array, options: { readonly author?: string } = {}): unknown => {
  try {
    return JSON.parse(JSON.stringify(verifyProof(bytes, options)))
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error
    return { error: { code: error.code, message: error.message, problems: error.problems } }
  }
}

const proof = validLine(0)
const { tree, commit } = proofNumber(0)
const withRecord = (changes: object): string => {
  const record = { ...commit.record, ...changes }
  return JSON.stringify({ ...proofNumber(0), commit: { record, commitData: JSON.stringify(record) } })
}

/** Bytes of lines, without a line break in them. */
const lines: ReadonlyArray<readonly [string, string | Uint8Array]> = [
  ["a proof", proof],
  ["a proof of another signer", validLine(1)],
  ["a proof with spaces", proof.replaceAll(":", " : ")],
  ["a proof with blanks around it", ` \t${proof} \t`],
  ["a signer who is not the author", unconfirmedLine(2)],
  ["a tree that is not the one signed", invalidLine(3)],
  ["a proof cut off", proof.slice(0, 700)],
  ["half a surrogate pair", proof.replace("local-mainnet", "\\ud800")],
  ["a whole surrogate pair, escaped", proof.replace("local-mainnet", "\\ud83d\\udc69")],
  ["a key twice", proof.replace('"tree":', '"tree":1,"tree":')],
  ["a key twice, once escaped", proof.replace('"tree":', '"tr\\u0065e":1,"tree":')],
  ["a key twice in the record", proof.replace('"record":{', '"record":{"author":"0x","author":"0x",')],
  ["a key twice in the commit data", proof.replace('"commitData":"{', '"commitData":"{\\"author\\":1,')],
  ["__proto__", proof.replace('"tree":', '"__proto__":{"a":1},"tree":')],
  ["keys that are numbers", proof.replace('"tree":', '"9":1,"1":2,"tree":')],
  ["a number written otherwise", proof.replace('"blockNumber":12', '"blockNumber":12.0')],
  ["a negative zero", proof.replace('"blockNumber":12', '"blockNumber":-0')],
  ["a huge number", proof.replace('"blockNumber":12', `"blockNumber":${"9".repeat(400)}`)],
  ["nesting up to the limit", proof.replace('"tree":', `"deep":${"[".repeat(63)}${"]".repeat(63)},"tree":`)],
  ["nesting over the limit", proof.replace('"tree":', `"deep":${"[".repeat(64)}${"]".repeat(64)},"tree":`)],
  ["nesting 100,000 deep", "[".repeat(100_000)],
  ["a long member", proof.replace('"tree":', `"long":"${"x".repeat(100_000)}","tree":`)],
  ["two proofs in one line", proof + proof],
  ["no object", "[]"],
  ["another JSON file", '{"a":1}'],
  ["text", "hello"],
  ["NUL", "\0"],
  ["a proof and NUL", `${proof}\0`],
  ["a byte order mark", `\ufeff${proof}`],
  ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)],
  ["terminal escape codes", proof.replace("local-mainnet", "\\u001b[2J")],
  ["an author who is no address", withRecord({ author: "Ada \u202e" })],
  ["high s", withRecord({ assetTreeSignature: `0x${"7".repeat(64)}${"f".repeat(60)}00001b` })],
  ["no signature", withRecord({ assetTreeSignature: 7 })],
  ["a signature of another tree", withRecord({ assetTreeSignature: proofNumber(3).commit.record.assetTreeSignature })],
  ["base64 spelled otherwise", proof.replace(tree.bytes, `${tree.bytes.slice(0, 40)} ${tree.bytes.slice(40)}`)]
]

const bytesOf = (line: string | Uint8Array): Uint8Array => (typeof line === "string" ? Buffer.from(line) : line)
const backends: ReadonlyArray<BackendName> = ["noble", "wasm", "native"]
const hasNative = ["linux-x64", "darwin-arm64", "win32-x64"].includes(`${process.platform}-${process.arch}`)

describe("results in bulk", () => {
  for (const name of backends) {
    it.skipIf(name === "native" && !hasNative)(`are those of one proof alone, line by line, with ${name}`, async () => {
      for (const expectedAuthor of [undefined, author]) {
        const verifier = makeVerifier(await loadBackend(name), { expectedAuthor, authors: undefined, checkpoints: [] })
        const input = Buffer.concat(lines.flatMap(([, line]) => [bytesOf(line), Buffer.from("\n")]))
        const results = answered(input, verifier).text.trimEnd().split("\n")
        assert.strictEqual(results.length, lines.length)
        let offset = 0
        for (const [index, [title, line]] of lines.entries()) {
          const options = expectedAuthor === undefined ? {} : { author: expectedAuthor }
          const expected = { line: index + 1, offset, ...(alone(bytesOf(line), options) as object) }
          assert.deepStrictEqual(JSON.parse(results[index]!), expected, title)
          assert.match(results[index]!, /^[^\p{Cc}\p{Cf}\p{Co}\p{Cn}]*$/u, title)
          offset += bytesOf(line).length + 1
        }
      }
    })
  }

  it("stay the same when noble has met the signers often, and for each of 400 proofs changed at random", async () => {
    const options = { expectedAuthor: undefined, authors: undefined, checkpoints: [] }
    const verifier = makeVerifier(await loadBackend("noble"), options)
    const good = Array.from({ length: 8 }, (_, index) => (index === 5 ? unconfirmedLine(index) : validLine(index)))
    const roll = dice(7)
    const changed = Array.from({ length: 400 }, (_, index) => {
      const bytes = Buffer.from(good[index % good.length]!)
      const at = roll(bytes.length)
      if (index % 4 !== 0) bytes[at] = bytes[at]! ^ (1 + roll(7))
      return bytes
    }).filter((bytes) => !bytes.includes(10))
    const input = Buffer.concat(changed.flatMap((bytes) => [bytes, Buffer.from("\n")]))
    const results = answered(input, verifier).text.trimEnd().split("\n")
    assert.strictEqual(results.length, changed.length)
    const verdicts = new Set<unknown>()
    for (const [index, bytes] of changed.entries()) {
      const { line: _, offset: __, ...result } = JSON.parse(results[index]!)
      assert.deepStrictEqual(result, alone(bytes))
      verdicts.add(result.verdict)
    }
    assert.sameMembers([...verdicts], ["valid", "invalid", "unconfirmed", undefined])
  }, 600_000)

  it("come from a reader whose shortcut for plain JSON accepts nothing that the strict scan refuses", () => {
    const reading = (text: string) => {
      const read = readJsonObject(Buffer.from(text))
      return read.ok ? { ok: true, value: read.value } : { ok: false, code: read.code }
    }
    const parts = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"a":1',
      '"b":{"a":1}',
      '"\\ud83d"',
      '"\\\\"',
      '"/"',
      "1",
      "-0",
      "null",
      "\ud83d\udc69",
      '"\\u0061"'
    ]
    const roll = dice(11)
    // The shortcut is not tried for texts of this length.
    const tooLong = " ".repeat(64 * 1024)
    let accepted = 0
    for (let index = 0; index < 4000; index++) {
      const inner = Array.from({ length: roll(6) }, () => parts[roll(parts.length)]).join(roll(3) === 0 ? "" : ",")
      const text = index % 3 === 0 ? inner : `{${inner}}`
      const strict = reading(text + tooLong)
      assert.deepStrictEqual(reading(text), strict, text)
      if (strict.ok) accepted++
    }
    assert.isAbove(accepted, 50)
    for (const [title, line] of lines) {
      if (typeof line === "string") assert.deepStrictEqual(reading(line), reading(line + tooLong), title)
    }
  })

  it("count each line once, leave blank lines out and keep the line numbers", async () => {
    const verifier = makeVerifier(await loadBackend("wasm"), {})
    const input = Buffer.from(`\n${validLine(0)}\r\n  \n\r\nnonsense\n\n${invalidLine(1)}\n${unconfirmedLine(2)}`)
    const { tally, text } = answered(input, verifier)
    assert.deepStrictEqual(tally, { valid: 1, unconfirmed: 1, invalid: 1, unusable: 1 })
    assert.deepStrictEqual(
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).line),
      [2, 5, 7, 8]
    )
  })

  it("for people are a line for each proof that is not valid, with its place and its codes", async () => {
    const verifier = makeVerifier(await loadBackend("wasm"), {})
    const input = Buffer.from(`${validLine(0)}\n${invalidLine(1)}\n\u001b[2J\n${unconfirmedLine(2)}\n`)
    const shown = answered(input, verifier, false).text.split("\n")
    assert.match(shown[0]!, /^✗ line 2: invalid \[.*tree_sha256_differs.*\] /)
    assert.match(shown[1]!, /^✗ line 3: unusable \[proof_not_json\] /)
    assert.match(shown[2]!, /^– line 4: unconfirmed \[signer_not_author\] /)
    assert.deepStrictEqual(shown.slice(3), [""])
  })

  it("of a proof as its file is written are the same as those of its line", () => {
    assert.deepStrictEqual(verifyProof(proofFile), verifyProof(JSON.stringify(JSON.parse(proofFile))))
  })
})

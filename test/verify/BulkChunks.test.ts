/** How bulk cuts its input: every line once, whole, in order and with its place, however the bytes arrive and wherever parts meet. */
import { assert, describe, it } from "@effect/vitest"
import { PROOF_LIMIT } from "@treemark/core/verify"
import type { Lines } from "../../packages/verify/src/bulk/Chunk.ts"
import { CHUNK_SIZE, LineChunks, MOST_LINES, type Part } from "../../packages/verify/src/bulk/LineChunks.ts"
import { dice } from "./BulkProofs.ts"

const WHOLE: Part = { start: 0, isInsideLine: false, end: undefined }

/** The chunks of `input`, read in pieces of `sizes` in turn. */
const chunksOf = async (input: Uint8Array, part: Part, sizes: ReadonlyArray<number>, isHungry = false) => {
  let at = part.start
  let turn = 0
  const source = new LineChunks(async (into) => {
    const length = Math.min(sizes[turn++ % sizes.length]!, into.length, input.length - at)
    into.set(input.subarray(at, at + length))
    at += length
    return length
  }, part)
  const chunks: Array<Lines & { readonly text: string }> = []
  for await (const chunk of source.chunks(() => isHungry)) {
    chunks.push({ ...chunk, text: Buffer.from(chunk.buffer, 0, chunk.length).toString("latin1") })
    source.recycle(chunk.buffer)
  }
  return chunks
}

const text = (chunks: ReadonlyArray<{ readonly text: string }>): string => chunks.map((chunk) => chunk.text).join("")

describe("chunks of lines", () => {
  it("hold every byte in order, end at line breaks and say where they start", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const roll = dice(seed)
      const lines = Array.from({ length: roll(400) }, () => "x".repeat(roll(seed % 4 === 0 ? 40_000 : 300)))
      const input = Buffer.from(lines.join("\n") + (roll(2) === 0 ? "\n" : ""))
      const sizes = Array.from({ length: 5 }, () => 1 + roll(seed % 3 === 0 ? 50 : 200_000))
      const chunks = await chunksOf(input, WHOLE, sizes, seed % 2 === 0)
      assert.strictEqual(text(chunks), input.toString("latin1"))
      let offset = 0
      let line = 1
      for (const [index, chunk] of chunks.entries()) {
        assert.strictEqual(chunk.offset, offset)
        assert.strictEqual(chunk.line, line)
        assert.isTrue(chunk.text.endsWith("\n") || index === chunks.length - 1)
        assert.isAtMost(chunk.buffer.byteLength, CHUNK_SIZE)
        offset += chunk.length
        line += chunk.text.split("\n").length - 1
      }
    }
  })

  it("of parts that meet hold every line once", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const roll = dice(seed * 77)
      const lines = Array.from({ length: 1 + roll(60) }, (_, index) => `${index}:${"y".repeat(roll(80))}`)
      const input = Buffer.from(lines.join("\n") + (roll(2) === 0 ? "\n" : ""))
      const cuts = [0, ...Array.from({ length: roll(12) }, () => roll(input.length + 1)), input.length].sort(
        (a, b) => a - b
      )
      const seen: Array<string> = []
      for (const [index, start] of cuts.slice(0, -1).entries()) {
        const end = index === cuts.length - 2 ? undefined : cuts[index + 1]!
        const part = { start: Math.max(0, start - 1), isInsideLine: start > 0, end }
        for (const chunk of await chunksOf(input, part, [1 + roll(30), 1 + roll(5000)])) {
          assert.strictEqual(input.toString("latin1", chunk.offset, chunk.offset + chunk.length), chunk.text)
          assert.isTrue(chunk.offset >= start && (chunk.offset === 0 || input[chunk.offset - 1] === 10))
          seen.push(...chunk.text.split("\n").filter((line) => line !== ""))
        }
      }
      assert.deepStrictEqual(seen, lines)
    }
  })

  it("hold a line that is too long for a proof once, cut behind the limit, and go on after it", async () => {
    const input = Buffer.concat([
      Buffer.from("first\n"),
      Buffer.alloc(PROOF_LIMIT * 2 + 5, 0x7a),
      Buffer.from("\nafter\nlast")
    ])
    for (const sizes of [[65_536], [PROOF_LIMIT * 3], [1_000_003, 7]]) {
      const chunks = await chunksOf(input, WHOLE, sizes)
      const places = chunks.map(({ text, offset, line }) => [text.length > 99 ? text.length : text, offset, line])
      const long = places.findIndex(([content]) => content === PROOF_LIMIT + 1)
      assert.isAbove(long, -1)
      assert.strictEqual(text(chunks.slice(0, long)), "first\n")
      assert.deepStrictEqual(places[long]!.slice(1), [6, 2])
      assert.strictEqual(text(chunks.slice(long + 1)), "after\nlast")
      assert.deepStrictEqual(places[long + 1]!.slice(1), [6 + PROOF_LIMIT * 2 + 6, 3])
    }
  })

  it("have few lines, however short these are", async () => {
    const input = Buffer.from("{}\n".repeat(MOST_LINES * 3 + 7))
    for (const end of [undefined, input.length]) {
      const chunks = await chunksOf(input, { ...WHOLE, end }, [65_536])
      assert.strictEqual(text(chunks), input.toString("latin1"))
      for (const chunk of chunks) {
        assert.isAtMost(chunk.text.split("\n").length - 1, MOST_LINES)
        assert.strictEqual(chunk.line, 1 + chunk.offset / 3)
      }
    }
  })

  it("go on behind a long line in a buffer that has room for what follows", async () => {
    const lines = ["short\n".repeat(400_000), `${"x".repeat(3_000_000)}\n`, `${"y".repeat(900_000)}\n`, "last"]
    const input = Buffer.from(lines.join(""))
    const chunks = await chunksOf(input, WHOLE, [PROOF_LIMIT])
    assert.strictEqual(text(chunks), input.toString("latin1"))
    assert.isAtMost(Math.max(...chunks.map((chunk) => chunk.text.split("\n").length - 1)), MOST_LINES)
  })

  it("do not wait to be full when a worker has nothing to do", async () => {
    const input = Buffer.from("one\ntwo\nthree\n")
    assert.strictEqual((await chunksOf(input, WHOLE, [4], true)).length, 3)
    assert.strictEqual((await chunksOf(input, WHOLE, [4], false)).length, 1)
  })
})

/** Lines of a log whose descriptor fails in every way one can: what is lost is counted, what is cut off is ended, and nothing throws. */
import { assert, describe, it } from "@effect/vitest"
import { makeLogLines } from "../../../packages/daemon/src/telemetry/LogLines.ts"

const failing = (code: string) => Object.assign(new Error(code), { code })

/** A descriptor that takes `room` bytes, then fails with `code`. */
const sink = () => {
  const state = { text: "", room: Number.POSITIVE_INFINITY, code: "ENOSPC" }
  let lost = 0
  const lines = makeLogLines({
    descriptor: -1,
    onLost: () => lost++,
    missing: (count, reason) => `${count} missing: ${reason}`,
    write: (_, bytes) => {
      if (state.room === 0) throw failing(state.code)
      const taken = bytes.subarray(0, state.room)
      state.room -= taken.length
      state.text += Buffer.from(taken).toString("utf8")
      return taken.length
    }
  })
  return { state, lines, lost: () => lost }
}

describe("LogLines", () => {
  it("what a full disk does not take is lost and counted; the line that says so comes first when there is space again", () => {
    const { lines, lost, state } = sink()
    lines.write("one")
    state.room = 0
    lines.write("two")
    lines.write("three")
    assert.strictEqual(lost(), 2)
    state.room = Number.POSITIVE_INFINITY
    lines.write("four")
    lines.write("five")
    assert.strictEqual(state.text, "one\n2 missing: ENOSPC\nfour\nfive\n")
    assert.strictEqual(lost(), 2)
  })

  it("a line that was cut off does not run into the next one", () => {
    const { lines, lost, state } = sink()
    state.room = 3
    lines.write("abcdef")
    assert.strictEqual(lost(), 1)
    state.room = Number.POSITIVE_INFINITY
    lines.write("next")
    assert.strictEqual(state.text, "abc\n1 missing: ENOSPC\nnext\n")
  })

  it("a reader that is slow gets every line later, and whole", () => {
    const { lines, lost, state } = sink()
    state.code = "EAGAIN"
    state.room = 5
    lines.write("first")
    lines.write("second")
    assert.strictEqual(state.text, "first")
    state.room = Number.POSITIVE_INFINITY
    lines.flush()
    assert.strictEqual(state.text, "first\nsecond\n")
    assert.strictEqual(lost(), 0)
  })

  it("for a reader that never reads only so much is kept in memory", () => {
    const { lines, lost, state } = sink()
    state.code = "EAGAIN"
    state.room = 0
    const line = "x".repeat(1023)
    for (let n = 0; n < 2048; n++) lines.write(line)
    assert.isAtLeast(lost(), 1024)
    state.room = Number.POSITIVE_INFINITY
    lines.flush()
    lines.write("after")
    assert.isTrue(state.text.endsWith(`${lost()} missing: nobody reads them\nafter\n`))
    assert.isBelow(state.text.length, 1_200_000)
  })

  it("a reader that has gone loses everything from there on, and every line is counted", () => {
    const { lines, lost, state } = sink()
    state.code = "EPIPE"
    state.room = 0
    for (let n = 0; n < 100; n++) lines.write("gone")
    assert.strictEqual(lost(), 100)
  })
})

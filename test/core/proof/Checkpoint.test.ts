import { assert, describe, it } from "@effect/vitest"
import { CHECKPOINT_LIMIT, CHECKPOINT_MEDIA_TYPE, checkpointText, parseCheckpoint } from "@treemark/core/verify"
import { utf8 } from "../verification/Fixtures.ts"

const hash = (digit: string): string => `0x${digit.repeat(64)}`
const file = (changes: object) =>
  JSON.stringify({ mediaType: CHECKPOINT_MEDIA_TYPE, chainId: 10507, entries: [], ...changes })
const refusalOf = (text: string | Uint8Array) => {
  const reading = parseCheckpoint(typeof text === "string" ? utf8(text) : text)
  return reading.ok ? undefined : { code: reading.code, paths: reading.problems.map(({ path }) => path) }
}

describe("a checkpoint file", () => {
  it("gives back the blocks it was made of, in order, a line each", () => {
    const hashes = new Map([
      [20, hash("b")],
      [3, hash("a")]
    ])
    const text = checkpointText({ chainId: 10507, hashes })
    assert.deepStrictEqual(parseCheckpoint(utf8(text)), {
      ok: true,
      checkpoint: { chainId: 10507, hashes, contracts: [], signers: [] }
    })
    assert.include(text, `\n    {"number":3,"hash":"${hash("a")}"},\n    {"number":20,`)
    assert.isTrue(parseCheckpoint(utf8(checkpointText({ chainId: 1, hashes: new Map() }))).ok)
  })

  it("reads hashes in any letter case and members it does not know", () => {
    const reading = parseCheckpoint(utf8(file({ madeBy: "ada", entries: [{ number: 1, hash: hash("A"), note: 1 }] })))
    assert.deepStrictEqual(reading.ok ? [...reading.checkpoint.hashes] : [], [[1, hash("a")]])
  })

  it("that is damaged is refused, and every wrong member is named", () => {
    for (const [changes, paths] of [
      [{ chainId: "1" }, ["/chainId"]],
      [{ chainId: -1 }, ["/chainId"]],
      [{ entries: {} }, ["/entries"]],
      [{ entries: [1] }, ["/entries/0"]],
      [{ entries: [{ number: 1 }] }, ["/entries/0/hash"]],
      [{ entries: [{ number: 1.5, hash: "0x12" }] }, ["/entries/0/number", "/entries/0/hash"]],
      [{ entries: [1, 2].map(() => ({ number: 7, hash: hash("a") })) }, ["/entries/1/number"]]
    ] as const) {
      assert.deepStrictEqual(refusalOf(file(changes)), { code: "checkpoint_members", paths: [...paths] })
    }
    assert.lengthOf(refusalOf(file({ entries: Array.from({ length: 1000 }, () => 1) }))?.paths ?? [], 10)
  })

  it("is told apart from other files, and strict JSON", () => {
    assert.strictEqual(refusalOf("{}")?.code, "checkpoint_media_type")
    assert.strictEqual(refusalOf(file({ mediaType: 1 }))?.code, "checkpoint_media_type")
    for (const text of ["", "[]", '{"chainId":1,"chainId":1}', `${file({})}x`, "[".repeat(100_000)]) {
      assert.strictEqual(refusalOf(text)?.code, "checkpoint_not_json")
    }
    assert.strictEqual(refusalOf(new Uint8Array(CHECKPOINT_LIMIT + 1))?.code, "checkpoint_too_large")
  })
})

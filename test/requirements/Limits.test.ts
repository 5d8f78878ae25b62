/**
 * interface.md, "Limits": each text at its limit and one character over it, and the sizes that decisions.md, section 4, adds.
 * Characters are Unicode code points: an emoji counts 1 (2 UTF-16 units), a family emoji of 7 code points counts 7.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { COMMIT, type Json, Studio, withStudio } from "./Studio.ts"

const FAMILY = "👨‍👩‍👧‍👦"

/** Texts of exactly `count` characters. */
const ALPHABETS: Readonly<Record<string, (count: number) => string>> = {
  "ASCII letters": (count) => "a".repeat(count),
  "emoji of 2 UTF-16 units": (count) => "😀".repeat(count),
  "letters with combining accents": (count) => "e\u0301".repeat(count).slice(0, count),
  "family emoji of 7 code points": (count) => FAMILY.repeat(Math.floor(count / 7)) + "x".repeat(count % 7)
}

const LIMITS = [
  { row: "abstract | 255 characters", limit: 255, path: "/abstract", change: (abstract: string) => ({ abstract }) },
  {
    row: "assetCreator | 21 characters",
    limit: 21,
    path: "/assetCreator",
    change: (assetCreator: string) => ({ assetCreator })
  },
  {
    row: "licenseName | 21 characters",
    limit: 21,
    path: "/licenseName",
    change: (licenseName: string) => ({ licenseName })
  },
  {
    row: "custom.generatedBy | 21 characters",
    limit: 21,
    path: "/custom/generatedBy",
    change: (generatedBy: string) => ({ custom: { generatedBy } })
  }
]

const nested = (levels: number): Json => (levels === 1 ? {} : { deeper: nested(levels - 1) })

withStudio()("interface.md, Limits", (it) => {
  it.effect("the texts of this file have as many characters as they say", () =>
    Effect.sync(() => {
      assert.strictEqual([...FAMILY].length, 7)
      for (const text of Object.values(ALPHABETS)) assert.strictEqual([...text(21)].length, 21)
    })
  )

  for (const { row, limit, path, change } of LIMITS) {
    for (const [alphabet, text] of Object.entries(ALPHABETS)) {
      it.effect(`"${row}": ${limit} ${alphabet} are accepted whole, ${limit + 1} are 400 at ${path}`, () =>
        Effect.gen(function* () {
          const studio = yield* Studio
          const { assetTreeCid } = yield* studio.commit(change(text(limit)))
          const { members } = yield* studio.tree(assetTreeCid)
          assert.include(JSON.stringify(members), JSON.stringify(text(limit)))
          const problem = yield* studio.refusedFields(change(text(limit + 1)), [path])
          assert.strictEqual(
            problem.errors?.[0]?.message,
            `must be at most ${limit} characters; this one has ${limit + 1}`
          )
        })
      )
    }
  }

  it.effect("a limit counts the characters, not how they are escaped in the JSON", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const name = "😀".repeat(21)
      const body = JSON.stringify(studio.request({ assetCreator: "NAME" })).replace("NAME", "\\ud83d\\ude00".repeat(21))
      const answer = yield* studio.post(COMMIT, body)
      assert.strictEqual(answer.status, 200, answer.text)
      const { members } = yield* studio.tree(String(answer.json().assetTreeCid))
      assert.strictEqual(members.assetCreator, name)
    })
  )

  it.effect("custom nests 32 levels, itself the first; 33 are 400 at their place", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const { assetTreeCid } = yield* studio.commit({ custom: nested(32) })
      assert.deepStrictEqual((yield* studio.tree(assetTreeCid)).members.custom, nested(32))
      const place = `/custom${"/deeper".repeat(32)}`
      yield* studio.refusedFields({ custom: nested(33) }, [place])
      yield* studio.refusedFields({ custom: JSON.stringify(nested(33)) }, [place])
    })
  )

  it.effect("integers in custom are within ±(2^53−1); those beyond are 400, for they would lose digits", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const custom = { most: 9_007_199_254_740_991, least: -9_007_199_254_740_991 }
      const { assetTreeCid } = yield* studio.commit({ custom })
      assert.deepStrictEqual((yield* studio.tree(assetTreeCid)).members.custom, custom)
      for (const beyond of ["9007199254740992", "-9007199254740993", "1e30", "1e400"]) {
        const body = JSON.stringify(studio.request({ custom: { n: 0 } })).replace('"n":0', `"n":${beyond}`)
        const problem = yield* studio.refused(studio.post(COMMIT, body), 400, "invalid_fields")
        assert.deepStrictEqual(
          problem.errors?.map(({ path }) => path),
          ["/custom/n"],
          beyond
        )
      }
    })
  )

  it.effect("a JSON body has at most 64 KiB: 65536 bytes are read, 65537 are 413 and free", () =>
    Effect.gen(function* () {
      const studio = yield* Studio
      const spare = 65_536 - Buffer.byteLength(JSON.stringify(studio.request({ headline: "" })))
      const full = studio.request({ headline: "h".repeat(spare) })
      assert.strictEqual(Buffer.byteLength(JSON.stringify(full)), 65_536)
      const answer = yield* studio.post(COMMIT, full)
      assert.strictEqual(answer.status, 200, answer.text)
      const over = studio.post(COMMIT, studio.request({ headline: "h".repeat(spare + 1) }))
      yield* studio.refused(over, 413, "payload_too_large")
    })
  )
})

/** The texts of a commit request: their limits at N and N + 1 characters, whatever a character is made of. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CommitRequest } from "../../../packages/core/src/rules/CommitRequest.ts"
import { decodeCommitRequest } from "../../../packages/core/src/rules/CommitRules.ts"
import { plainBody } from "../Generators.ts"

const decoded = (fields: { readonly [name: string]: unknown }): CommitRequest =>
  Effect.runSync(decodeCommitRequest({ ...plainBody, ...fields }))

/** The problems of a request whose only fault is in `fields`, as "path message". */
const problems = (fields: { readonly [name: string]: unknown }): ReadonlyArray<string> =>
  Effect.runSync(
    decodeCommitRequest({ ...plainBody, ...fields }).pipe(
      Effect.match({
        onSuccess: () => [],
        onFailure: (error) => error.problems.map(({ path, message }) => `${path} ${message}`)
      })
    )
  )

/** One character each in a reader's eye, one, two, four and seven code points. */
const FAMILY = "👨‍👩‍👧‍👦"
const FLAG = "🇹🇼"
const COMBINED = "e\u0301"

describe("texts of a commit request", () => {
  it.each([
    ["assetCreator", 21],
    ["licenseName", 21],
    ["abstract", 255]
  ] as const)("%s may have %i characters and no more, counted in code points", (field, limit) => {
    for (const character of ["a", "é", "中", "🎨", "\u{10ffff}"]) {
      assert.strictEqual(decoded({ [field]: character.repeat(limit) })[field], character.repeat(limit))
      assert.deepStrictEqual(problems({ [field]: character.repeat(limit + 1) }), [
        `/${field} must be at most ${limit} characters; this one has ${limit + 1}`
      ])
    }
    for (const [cluster, size] of [
      [COMBINED, 2],
      [FLAG, 2],
      [FAMILY, 7]
    ] as const) {
      assert.strictEqual([...cluster].length, size)
      const fits = cluster.repeat(Math.floor(limit / size)) + "x".repeat(limit % size)
      assert.strictEqual(decoded({ [field]: fits })[field], fits)
      assert.deepStrictEqual(problems({ [field]: `${fits}y` }), [
        `/${field} must be at most ${limit} characters; this one has ${limit + 1}`
      ])
    }
    assert.strictEqual(decoded({ [field]: "" })[field], "")
  })

  it("custom.generatedBy may have 21 characters and no more, and must be a string", () => {
    assert.deepStrictEqual(decoded({ custom: { generatedBy: FAMILY.repeat(3) } }).custom, {
      generatedBy: FAMILY.repeat(3)
    })
    assert.deepStrictEqual(problems({ custom: { generatedBy: `${FAMILY.repeat(3)}!` } }), [
      "/custom/generatedBy must be at most 21 characters; this one has 22"
    ])
    for (const other of [7, null, true, ["x"], { name: "x" }]) {
      assert.deepStrictEqual(problems({ custom: { generatedBy: other } }), [
        "/custom/generatedBy must be a string: the name of the AI model"
      ])
    }
    assert.deepStrictEqual(problems({ custom: JSON.stringify({ generatedBy: "x".repeat(22) }) }).length, 1)
    assert.deepStrictEqual(problems({ custom: { nested: { generatedBy: "x".repeat(22) } } }), [])
  })

  it("refuses half of a surrogate pair in every text", () => {
    const texts = ["assetCreator", "licenseName", "licenseDocument", "commitMessage", "abstract", "headline"]
    for (const field of texts) {
      const [problem, ...others] = problems({ [field]: "cut \ud83d" })
      assert.match(problem!, new RegExp(`^/${field} must be well-formed Unicode`))
      assert.deepStrictEqual(others, [])
      assert.strictEqual(decoded({ [field]: "🎨" })[field as "headline"], "🎨")
    }
  })

  it("licenseDocument, commitMessage and headline have no limit of their own", () => {
    const long = "x".repeat(50_000)
    const request = decoded({ licenseDocument: long, commitMessage: long, headline: long })
    assert.deepStrictEqual([request.licenseDocument, request.commitMessage, request.headline], [long, long, long])
  })
})

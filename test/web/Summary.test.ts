/** What the page says first, for every combination of answers and verdict, without a browser: when it is green, and when it must not be. */
import { assert, describe, it } from "@effect/vitest"
import { type Report, type Verdict, verify } from "@treemark/core/verify"
import { english } from "../../packages/verify/web/languages/English.ts"
import { summaryOf } from "../../packages/verify/web/Summary.ts"
import { proofInput } from "../core/verification/Fixtures.ts"

const FILES = ["same", "different", "not-given", "not-comparable"] as const
const WHOS = ["expected", "named", "unknown", "not-the-author", "nobody"] as const
const VERDICTS: ReadonlyArray<Verdict> = ["valid", "unconfirmed", "invalid"]

const base = verify(proofInput())
const report = (changes: Partial<Report>): Report => ({ ...base, ...changes })

const all = VERDICTS.flatMap((verdict) =>
  FILES.flatMap((file) => WHOS.map((who) => report({ verdict, answers: { file, who, when: "claimed" } })))
)

describe("what the page says first", () => {
  it("is full success only where the file is the same, the reader named the key, and the verdict is valid", () => {
    const full = all.filter((one) => summaryOf(one).tone === "full")
    assert.deepStrictEqual(
      full.map(({ answers, verdict }) => [verdict, answers.file, answers.who]),
      [
        ["valid", "same", "expected"],
        ["valid", "same", "named"]
      ]
    )
    for (const one of full) assert.strictEqual(summaryOf(one).word, "wordFull")
    assert.deepStrictEqual(
      all.filter((one) => summaryOf(one).word === "wordFull"),
      full
    )
  })

  it("is not confirmed, in those words, where the verdict is unconfirmed, and says of none of these that it holds", () => {
    for (const one of all.filter(({ verdict }) => verdict === "unconfirmed")) {
      const { headline, tone } = summaryOf(one)
      assert.strictEqual(tone, "amber")
      assert.notMatch(english[headline.key], /holds|This is the file/)
    }
    const unknown = report({ verdict: "unconfirmed", answers: { file: "same", who: "unknown", when: "claimed" } })
    assert.strictEqual(english[summaryOf(unknown).headline.key], "Not confirmed")
  })

  it("is not to be relied on where anything but the file's own checks does not hold", () => {
    const failed = (...codes: ReadonlyArray<readonly [name: string, code: string]>) =>
      report({
        verdict: "invalid",
        answers: { file: "different", who: "named", when: "claimed" },
        checks: codes.map(([name, code]) => ({ name, code, outcome: "fail", expected: null, actual: null })) as never
      })
    const onlyFile = summaryOf(failed(["asset-sha256", "asset_sha256_differs"], ["asset-cid", "asset_cid_differs"]))
    assert.deepStrictEqual([onlyFile.tone, onlyFile.headline.key], ["amber", "headDifferent"])
    const both = summaryOf(failed(["asset-sha256", "asset_sha256_differs"], ["tree-cid", "tree_cid_differs"]))
    assert.deepStrictEqual([both.tone, both.headline.key], ["bad", "headBad"])
  })
})

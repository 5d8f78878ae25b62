/** A little fuzzing in every test run; `npm run test:long` takes ten minutes, as `npm run fuzz` does. */
import { assert, describe, it } from "@effect/vitest"
import { amountOf, patience } from "../layers/Long.ts"
import { corpus } from "./Corpus.ts"
import { factsOf } from "./Independent.ts"
import { type Failure, fuzz } from "./Run.ts"
import { judgeProof } from "./RunProof.ts"

const seed = Number(process.env.TREEMARK_FUZZ_SEED ?? Date.now() % 2 ** 31)
const SECONDS = amountOf("TREEMARK_FUZZ_SECONDS", { whole: 600, part: 5 })
/** However busy the machine is. */
const LEAST_CASES = 500

describe("proofs, statements and histories, mutated and forged", () => {
  it("start from proofs of every kind that hold, for us and for the independent checker", () => {
    for (const original of corpus) {
      const given = { reader: original.reader, mustFail: false, isMutated: false, isForged: false }
      const { outcome, problems } = judgeProof(Buffer.from(original.text), given)
      assert.strictEqual(outcome, "valid", original.kind)
      assert.deepStrictEqual(problems, [], original.kind)
      const facts = factsOf(Buffer.from(original.text))
      assert.strictEqual(facts.signer, facts.author, original.kind)
      assert.strictEqual(facts.isIncluded, original.text.includes('"inclusion"'), original.kind)
      assert.strictEqual(facts.isTransactionShown, facts.isIncluded, original.kind)
    }
  })

  it(`never throw, never take a second, and are judged as an independent judge does (${SECONDS} s)`, {
    timeout: patience(10)
  }, () => {
    const failures: Array<Failure> = []
    const end = performance.now() + SECONDS * 1000
    const isDone = (cases: number) => (performance.now() > end && cases >= LEAST_CASES) || failures.length >= 10
    const counts = fuzz(seed, isDone, (failure) => failures.push(failure))
    const again = `run again with TREEMARK_FUZZ_SEED=${seed} npm run fuzz`
    assert.deepStrictEqual(failures, [], `${again} (TREEMARK_FUZZ_CASE=${failures[0]?.number} for the first alone)`)
    for (const outcome of ["valid", "invalid", "unconfirmed", "proof_members", "proof_not_json"]) {
      assert.isAbove(counts[outcome] ?? 0, 5, `too few cases were ${outcome}: ${again}`)
    }
  })
})

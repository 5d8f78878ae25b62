/** The list of mutants follows the code: `npm run test:mutants` makes each change and runs the test that it names. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { MUTANTS } from "./List.ts"
import { placeProblem, repository } from "./Place.ts"

describe("the list of mutants", () => {
  it("has its places in the sources, each once", () => {
    assert.isAtLeast(MUTANTS.length, 60)
    assert.deepStrictEqual(
      MUTANTS.flatMap((mutant) => placeProblem(mutant) ?? []),
      []
    )
  })

  it("names test files that are there", () => {
    assert.deepStrictEqual(
      MUTANTS.map((mutant) => `test/${mutant.in}.test.ts`).filter((file) => !existsSync(join(repository, file))),
      []
    )
  })
})

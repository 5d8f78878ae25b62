/**
 * What attackers can and cannot make a reader believe: each sentence of the table in docs/security.md has its test here, the attack itself; a sentence
 * without one, or a test without its sentence, fails. Where a command decides, it is the command that is run.
 */
import { readFileSync } from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { files } from "./SecurityAttacks.ts"
import { FILES } from "./SecurityOfFiles.ts"
import { PEOPLE } from "./SecurityOfPeople.ts"

afterAll(files.remove)
const SENTENCES = { ...PEOPLE, ...FILES }

const table = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8")
const rows = [...table.matchAll(/^\| (?!Attacker)([A-Z][^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)]

describe("what attackers can make a reader believe, by docs/security.md", () => {
  it("is said in sentences that are all tested here, and nothing that is tested goes unsaid", () => {
    assert.strictEqual(rows.length, 6)
    const said = rows.flatMap(([, , can, cannot]) => [can, cannot].flatMap((cell) => String(cell).split("<br>")))
    assert.deepStrictEqual(said, Object.keys(SENTENCES))
  })

  for (const [, attacker, can, cannot] of rows) {
    for (const [may, cell] of [
      ["can", can],
      ["cannot", cannot]
    ] as const) {
      for (const sentence of String(cell).split("<br>")) {
        it(`${attacker} ${may}: ${sentence}`, () => (SENTENCES[sentence] ?? assert.fail("untested"))())
      }
    }
  }
})

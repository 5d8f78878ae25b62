/**
 * The public names of `@treemark/core`, entry by entry, types among them: exports.txt is the list, and a change of it is a decision
 * (`npx vitest run test/core/Exports.test.ts -u` writes it again).
 */
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, expect, it } from "@effect/vitest"

const core = resolve(import.meta.dirname, "../../packages/core")
const {
  exports: entries
}: { readonly exports: Readonly<Record<string, string | { readonly "@treemark/source": string }>> } = JSON.parse(
  readFileSync(join(core, "package.json"), "utf8")
)

/** What is in braces after `export`, and what is declared with it. */
const namesOf = (source: string): ReadonlyArray<string> => {
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","))
  const declared = [...source.matchAll(/^export (?:declare )?(?:const|function|class|interface|type) (\w+)/gm)]
  return [...listed.map((name) => name.trim().replace(/^type /, "")), ...declared.map(([, name]) => String(name))]
    .filter((name) => name !== "")
    .sort()
}

describe("the exports of @treemark/core", () => {
  it("are entries by name, none of them a pattern", () => {
    assert.deepStrictEqual(
      Object.keys(entries).filter((name) => name.includes("*")),
      []
    )
  })

  it("are these names", async () => {
    const text = Object.entries(entries).flatMap(([entry, target]) =>
      typeof target === "string"
        ? []
        : [`${entry}\n  ${namesOf(readFileSync(join(core, target["@treemark/source"]), "utf8")).join("\n  ")}\n`]
    )
    await expect(text.join("\n")).toMatchFileSnapshot("exports.txt")
  })
})

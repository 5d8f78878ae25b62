/** What the documents show as an example is one. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parseCid } from "@treemark/core"

const folder = new URL("../docs/", import.meta.url)
const texts = [new URL("../README.md", import.meta.url), ...readdirSync(folder).map((name) => new URL(name, folder))]
  .filter(({ pathname }) => pathname.endsWith(".md"))
  .map((file) => readFileSync(file, "utf8"))

describe("the documents", () => {
  it("hold no CID that is none", () => {
    const cids = texts.flatMap((text) => text.match(/\bba[a-z2-7]{40,}\b/gu) ?? [])
    assert.isAbove(cids.length, 5)
    assert.deepStrictEqual(
      cids.filter((cid) => parseCid(cid) === undefined),
      []
    )
  })

  it("send nobody to a package that is not ours: npx with the name of a command", () => {
    for (const text of texts) assert.notMatch(text, /npx (?:-y )?treemark/u)
  })
})

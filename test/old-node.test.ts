/** An older Node gets a message that says what to do, not a syntax error. It is pretended where only Node 24 is at hand. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const repository = resolve(import.meta.dirname, "..")
const PRETEND = `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })`

describe("on Node 20", () => {
  it.each([
    ["packages/daemon/bin/treemarkd.js", 1],
    ["packages/daemon/bin/need-node24.cjs", 1],
    ["packages/verify/bin/treemark-verify.js", 2]
  ])("%s says which Node it needs", (file, exitCode) => {
    const { status, stderr } = spawnSync(process.execPath, ["--import", PRETEND, join(repository, file), "--version"], {
      encoding: "utf8"
    })
    assert.strictEqual(status, exitCode)
    assert.include(stderr, "needs Node 24 or newer; this is Node 20.20.2")
  })

  it("the stubs import nothing by name that Node 20 lacks", () => {
    const missing = /import\s*\{[^}]*\bregisterHooks\b/
    for (const file of ["packages/daemon/bin/treemarkd.js", "packages/verify/bin/treemark-verify.js"]) {
      assert.notMatch(readFileSync(join(repository, file), "utf8"), missing)
    }
  })
})

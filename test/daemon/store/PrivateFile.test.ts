/** Files for the owner only: written once, whole, and never overwritten. */
import { chmod, mkdir, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ensurePrivateFile, writeOnce } from "../../../packages/daemon/src/store/PrivateFile.ts"
import { tempFolder } from "./TempStore.ts"

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

const inFolder = (use: (folder: string) => Promise<void>) =>
  tempFolder.pipe(
    Effect.flatMap((folder) => Effect.promise(() => use(folder))),
    Effect.scoped
  )

describe("a file written once", () => {
  it.live("has mode 0600 in a folder 0700, and its text to the last character", () =>
    inFolder(async (folder) => {
      const file = join(folder, "home", "deep", "secret")
      await writeOnce(file, "line\n")
      assert.strictEqual(await readFile(file, "utf8"), "line\n")
      assert.strictEqual(await modeOf(file), 0o600)
      assert.strictEqual(await modeOf(join(folder, "home")), 0o700)
      assert.strictEqual(await modeOf(join(folder, "home", "deep")), 0o700)
    })
  )

  it.live("is never overwritten: of 8 writers at once one wins, the others fail, no draft stays", () =>
    inFolder(async (folder) => {
      const file = join(folder, "secret")
      const results = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => writeOnce(file, `writer ${n}`)))
      const winners = results.flatMap((result, n) => (result.status === "fulfilled" ? [n] : []))
      assert.strictEqual(winners.length, 1)
      assert.strictEqual(await readFile(file, "utf8"), `writer ${winners[0]}`)
      for (const result of results) {
        if (result.status === "rejected") assert.strictEqual(result.reason.code, "EEXIST")
      }
      assert.deepStrictEqual(await readdir(folder), ["secret"])
    })
  )
})

describe("a file made for a database", () => {
  it.live("is tightened to 0600 when others could read it; an existing folder keeps its mode", () =>
    inFolder(async (folder) => {
      const home = join(folder, "home")
      await mkdir(home)
      await chmod(home, 0o755)
      const file = join(home, "treemark.db")
      ensurePrivateFile(file)
      await chmod(file, 0o644)
      ensurePrivateFile(file)
      assert.strictEqual(await modeOf(file), 0o600)
      assert.strictEqual(await modeOf(home), 0o755)
    })
  )
})

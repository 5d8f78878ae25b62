/** What `treemarkd add` reads off a file, and which files paths name. No daemon. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { detailsOf, secondsOf } from "../../../packages/daemon/src/cli/add/Details.ts"
import { creatorOf, identityOf } from "../../../packages/daemon/src/cli/add/Identity.ts"
import { type ReadFile, readAgain, readFile } from "../../../packages/daemon/src/cli/add/ReadFile.ts"
import { foundFile, type Walked, walk } from "../../../packages/daemon/src/cli/add/Walk.ts"
import { photoOf } from "../../layers/Photo.ts"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "treemark-add-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const found = (name: string) => foundFile(Buffer.from(at(name)))

const codeOf = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => "done",
    (error: { readonly code: string }) => error.code
  )

const all = async (paths: ReadonlyArray<string>, recursive: boolean) => {
  const walked: Array<Walked> = []
  for await (const one of walk(paths, recursive)) walked.push(one)
  return walked.map((one) => [
    one.file.shown.slice(folder.length + 1),
    "skipped" in one ? one.skipped.split(";")[0] : "problem" in one ? one.problem.code : "file"
  ])
}

describe("a file that is added", () => {
  it("says when and by whom it was made, in the time zone of the camera", async () => {
    const photo = photoOf({ artist: "Rachel Michetti", taken: "2024:05:01 12:00:00", zone: "+02:00" })
    assert.deepStrictEqual(await detailsOf(photo), {
      created: Date.parse("2024-05-01T12:00:00+02:00") / 1000,
      creator: "Rachel Michetti"
    })
    assert.deepStrictEqual(await detailsOf(Buffer.from("no picture")), { created: undefined, creator: undefined })
  })

  it("takes no time from a clock that was never set, and ISO times of editors", () => {
    assert.isUndefined(secondsOf("0000:00:00 00:00:00", undefined))
    assert.isUndefined(secondsOf("    :  :     :  :  ", undefined))
    assert.isUndefined(secondsOf(17, undefined))
    assert.strictEqual(secondsOf("2024-05-01T10:00:00.25Z", "+02:00"), Date.parse("2024-05-01T10:00:00Z") / 1000)
    assert.strictEqual(secondsOf("2024:05:01 10:00:00\0", "+0200"), Date.parse("2024-05-01T08:00:00Z") / 1000)
  })

  it("is known by its bytes, the account and the words, not by its name", async () => {
    writeFileSync(at("one.txt"), "same")
    writeFileSync(at("two.txt"), "same")
    const [one, two] = [await readFile(found("one.txt")), await readFile(found("two.txt"))]
    const identity = (read: ReadFile, account = "acc", words = {}) => identityOf(account, read.sha256, "Ada", words)
    assert.strictEqual(identity(one), identity(two))
    assert.notStrictEqual(identity(one), identity(one, "other"))
    assert.notStrictEqual(identity(one, "acc", { headline: "x" }), identity(one, "acc", { abstract: "x" }))
    assert.strictEqual(creatorOf({}, one, "studio"), "studio")
    assert.strictEqual(creatorOf({ creator: "Eve" }, { ...one, creator: "Ada" }, "studio"), "Eve")
    assert.throws(() => creatorOf({}, { ...one, creator: "x".repeat(22) }, "studio"), /--creator NAME/u)
  })

  it("is refused when it is empty, gone, no file, or changes while it is read", async () => {
    writeFileSync(at("empty"), "")
    assert.strictEqual(await codeOf(() => readFile(found("empty"))), "empty")
    assert.strictEqual(await codeOf(() => readFile(found("gone"))), "vanished")
    assert.strictEqual(await codeOf(() => readFile(found("."))), "not_a_file")
    writeFileSync(at("grows"), "abc")
    const read = await readFile(found("grows"))
    appendFileSync(at("grows"), "d")
    assert.strictEqual(
      await codeOf(async () => {
        for await (const _ of readAgain(read));
      }),
      "changing"
    )
  })
})

describe("the files that paths name", () => {
  it("are found whatever their names are, each once, and no link leads in a circle", async () => {
    mkdirSync(at("tree/below"), { recursive: true })
    writeFileSync(Buffer.concat([Buffer.from(at("tree/")), Buffer.from([0xff, 0x0a, 0x1b])]), "x")
    writeFileSync(at("tree/.hidden"), "x")
    writeFileSync(at("tree/below/deep"), "x")
    symlinkSync("..", at("tree/below/up"))
    symlinkSync("self", at("tree/self"))
    symlinkSync("below/deep", at("tree/link"))
    const shallow = [
      ["tree/.hidden", "hidden"],
      ["tree/below", "a folder"],
      ["tree/link", "file"],
      ["tree/self", "link_loop"],
      ["tree/\u{fffd}\n\u001b", "file"]
    ]
    assert.deepStrictEqual(await all([at("tree")], false), shallow)
    assert.deepStrictEqual(await all([at("tree"), at("tree/below/deep")], true), [
      ["tree/.hidden", "hidden"],
      ["tree/below/deep", "file"],
      ["tree/below/up", "a link to a folder"],
      ...shallow.slice(2)
    ])
    assert.deepStrictEqual(await all([at("tree/.hidden"), at("nothing")], false), [
      ["tree/.hidden", "file"],
      ["nothing", "vanished"]
    ])
  })
})

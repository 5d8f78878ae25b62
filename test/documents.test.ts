/** What the documents show as an example is one, and what they name is there. */
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseCid } from "@treemark/core"

const repository = resolve(import.meta.dirname, "..")
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...globSync("docs/**/*.md", { cwd: repository })
].map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }))
const files = globSync("{packages,test,docs,bench}/**/*.{ts,sol,md}", { cwd: repository, exclude: ["**/node_modules"] })

const withoutBlocks = (text: string): string => text.replace(/^```[\s\S]*?^```$/gmu, "")

/** The anchor of a heading, as GitHub and others make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-")

const anchorsIn = (path: string): ReadonlyArray<string> =>
  [...withoutBlocks(readFileSync(path, "utf8")).matchAll(/^#+ (.*)$/gmu)].map(([, heading = ""]) => anchorOf(heading))

describe("the documents", () => {
  it("hold no CID that is none", () => {
    const cids = documents.flatMap(({ text }) => text.match(/\bba[a-z2-7]{40,}\b/gu) ?? [])
    assert.isAbove(cids.length, 5)
    assert.deepStrictEqual(
      cids.filter((cid) => parseCid(cid) === undefined),
      []
    )
  })

  it("send nobody to a package that is not ours: npx with the name of a command", () => {
    for (const { text } of documents) assert.notMatch(text, /npx (?:-y )?treemark/u)
  })

  it("link only to files, and headings in them, that are there", () => {
    const links = documents.flatMap(({ path, text }) =>
      [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)\s]+)\)/gu)].map(([, link = ""]) => ({ path, link }))
    )
    assert.isAbove(links.length, 20)
    const broken = links.filter(({ link, path }) => {
      const [file = "", anchor] = link.split("#")
      const target = file === "" ? join(repository, path) : resolve(repository, dirname(path), file)
      if (!existsSync(target)) return true
      return anchor !== undefined && statSync(target).isFile() && !anchorsIn(target).includes(anchor)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("name only files and folders of ours that are there", () => {
    const named = documents.flatMap(({ path, text }) =>
      [...withoutBlocks(text).matchAll(/`([^`\s]+)`/gu)].map(([, name = ""]) => ({ path, name }))
    )
    const places = named.filter(({ name }) => /^(?:packages|test|docs|bench|\.ci)\//u.test(name) && !name.includes("*"))
    const sources = named.filter(({ name }) => /^[A-Za-z][\w/-]*\.(?:ts|sol|md)$/u.test(name))
    assert.isAbove(places.length, 60)
    assert.deepStrictEqual(
      places.filter(({ name }) => !existsSync(join(repository, name))),
      []
    )
    assert.deepStrictEqual(
      sources.filter(({ name }) => !files.some((file) => file === name || file.endsWith(`/${name}`))),
      []
    )
  })

  it("have every room of the daemon and every folder of core in the picture", () => {
    const picture = documents.find(({ path }) => path === "docs/architecture.md")?.text ?? ""
    const folders = ["packages/daemon/src", "packages/core/src"].flatMap((folder) =>
      readdirSync(join(repository, folder), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    )
    assert.deepStrictEqual(
      folders.map(({ name }) => name).filter((name) => !picture.includes(`\n| \`${name}\` | `)),
      []
    )
  })

  it("name only commands of npm that are there", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const asked = documents.flatMap(({ text }) =>
      [...text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/gu)].map(([, name]) => name ?? "")
    )
    assert.deepStrictEqual(
      asked.filter((name) => !Object.hasOwn(scripts, name)),
      []
    )
  })
})

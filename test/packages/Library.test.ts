/**
 * core and verify as a library, from their tarballs: as ES modules and CommonJS under every Node at hand, bundled into a page, type-checked, weighed,
 * and looked at by the tools that know how packages go wrong.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { build } from "rolldown"
import { build as buildWithVite } from "vite"
import { isLong } from "../layers/Long.ts"
import { isBrowserMissing, startBrowser } from "../web/Browser.ts"
import { fromRegistry, nodes, run, tool, workshop } from "./Installed.ts"

const PROOF = resolve(import.meta.dirname, "../vectors/made-by-80e359a/field.proof.json")
const ADDRESS = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
const REQUEST = {
  encodingFormat: "text/plain",
  assetCid: "bafkreicptxn6f752c4pvb6gqwro7s7wb336idkzr6wmolkifj3aafhvwii",
  assetTimestampCreated: 1_674_981_199,
  assetCreator: "Ada",
  assetSha256: "4f9ddbe2ffba171f50f8d0b45df97ec1defc81ab31f598e5a9054ec0029eb642",
  custom: { é: [1.5, null], a: {} }
}

/** Where each entry is, by the name that the programs below have for it. */
const ENTRIES = {
  plain: "@treemark/core/plain",
  client: "@treemark/core/client",
  core: "@treemark/core/verify",
  verify: "@treemark/verify"
}
const IMPORTS = Object.entries(ENTRIES).map(([name, entry]) => `import * as ${name} from "${entry}"`)
const REQUIRES = Object.entries(ENTRIES).map(([name, entry]) => `const ${name} = require("${entry}")`)

/** Everything that the three things people do with each package pass through. `proof`: the bytes of a proof. */
const PROGRAM = `
const checked = plain.checkRequest(${JSON.stringify(REQUEST)})
const tree = plain.buildTree(checked.request, { author: "${ADDRESS}", serviceName: "studio", signedAt: "elsewhere" })
const report = core.verify(core.inputOfProof(core.parseProof(proof).proof))
const refused = plain.checkRequest({ custom: { "/": 1 }, nope: 1, assetCreator: 5, assetSha256: "x" })
const act = { abstract: "a", action: "b", assetTreeSha256: tree.sha256, author: "${ADDRESS}", chainID: 1, contract: "${ADDRESS}", timestampCreated: 1 }
const answer = JSON.stringify([
  checked, refused, tree.cid, tree.sha256, new TextDecoder().decode(tree.bytes), plain.toEip55("${ADDRESS}"), plain.actChecksum(act),
  plain.parseCid(tree.cid).codec, plain.recoverSigner(tree.sha256, "0x" + "11".repeat(65)), report.verdict,
  verify.verifyProof(proof), typeof client.createClient({ url: "http://127.0.0.1:1" }).commit
])`

/** Bytes, minified and compressed, that a page pays for what is imported. */
const weigh = async (place: string, code: string): Promise<number> => {
  writeFileSync(join(place, "weighed.mjs"), code)
  const { output } = await build({
    input: join(place, "weighed.mjs"),
    cwd: place,
    platform: "browser",
    write: false,
    output: { format: "esm", minify: true, codeSplitting: false }
  })
  return gzipSync(output[0].code, { level: 9 }).length
}

describe("the library as it is released", { timeout: 600_000 }, () => {
  const packages = workshop()
  let place = ""
  let expected = ""

  beforeAll(() => {
    place = packages.install(packages.tarball("core"), packages.tarball("verify"))
    writeFileSync(join(place, "read.mjs"), program(IMPORTS, `import { readFileSync } from "node:fs"`))
    writeFileSync(join(place, "read.cjs"), program(REQUIRES, `const { readFileSync } = require("node:fs")`))
    expected = run(process.execPath, place, "read.mjs")
  }, 600_000)
  afterAll(packages.remove)

  const program = (entries: ReadonlyArray<string>, fs: string): string =>
    [...entries, fs, `const proof = readFileSync("${PROOF}")`, PROGRAM, "console.log(answer)"].join("\n")

  it("answers the same under every Node, imported and required, with no Effect installed", () => {
    const [checked, refused, cid] = JSON.parse(expected)
    assert.isTrue(checked.ok)
    assert.deepStrictEqual(
      refused.errors.map(({ path }: { readonly path: string }) => path),
      ["/assetCid", "/assetCreator", "/assetSha256", "/assetTimestampCreated", "/custom/~1", "/encodingFormat", "/nope"]
    )
    assert.match(cid, /^bagu/)
    assert.throws(() => createRequire(join(place, "x.js")).resolve("effect"))
    for (const [version, node] of nodes(packages)) {
      for (const file of ["read.mjs", "read.cjs"]) assert.strictEqual(run(node, place, file), expected, version)
      const command = join(place, "node_modules/@treemark/verify/bin/treemark-verify.js")
      assert.strictEqual(JSON.parse(run(node, place, command, PROOF, "--json")).verdict, "valid", version)
    }
  })

  it("is used with Effect where that is installed", () => {
    const withEffect = packages.install(packages.tarball("core"), "effect@4.1.0")
    const use = `const answer = [balanceText(amount(99_990_000_000_000n)), DagJson.encode({ b: 1, a: 2 }).cid.slice(0, 4), typeof fundingFor, typeof encodeRlp, typeof portsInMemory]
                 console.log(JSON.stringify(answer))`
    const names = ["{ amount, balanceText, DagJson }", "{ fundingFor }", "{ encodeRlp }", "{ portsInMemory }"]
    const entries = ["@treemark/core", "@treemark/core/charging", "@treemark/core/inclusion", "@treemark/core/memory"]
    const imported = names.map((name, at) => `import ${name} from "${entries[at]}"`)
    writeFileSync(join(withEffect, "use.mjs"), [...imported, use].join("\n"))
    assert.deepStrictEqual(JSON.parse(run(process.execPath, withEffect, "use.mjs")), [
      "0.0000",
      "bagu",
      "function",
      "function",
      "function"
    ])
  })

  it.skipIf(isBrowserMissing)("runs in a page, bundled by esbuild, rolldown, vite and webpack", async ({ skip }) => {
    const page = `${IMPORTS.join("\n")}\nconst proof = new TextEncoder().encode(${JSON.stringify(readFileSync(PROOF, "utf8"))})\n${PROGRAM}\nglobalThis.answer = answer`
    writeFileSync(join(place, "page.mjs"), page)
    execFileSync(tool("esbuild"), ["page.mjs", "--bundle", "--minify", "--outfile=esbuild.js"], { cwd: place })
    const browser = { platform: "browser", cwd: place, input: join(place, "page.mjs") } as const
    await build({ ...browser, output: { file: join(place, "rolldown.js"), format: "iife", minify: true } })
    await buildWithVite({
      root: place,
      logLevel: "error",
      build: { lib: { entry: "page.mjs", formats: ["iife"], name: "page", fileName: () => "vite.js" }, outDir: "vite" }
    })
    const files = ["esbuild.js", "rolldown.js", "vite/vite.js"]
    if (isLong) {
      const tools = fromRegistry(skip, () => packages.install("webpack@5.112.2", "webpack-cli@7.3.1"))
      const entry = ["--entry", "./page.mjs", "--mode", "production", "--output-path", join(place, "webpack")]
      run(process.execPath, place, join(tools, "node_modules/webpack-cli/bin/cli.js"), "build", ...entry)
      files.push("webpack/main.js")
    }
    const chromium = await startBrowser()
    try {
      for (const file of files) {
        const tab = await chromium.browser.newPage()
        await tab.addScriptTag({ path: join(place, file) })
        assert.strictEqual(`${await tab.evaluate("globalThis.answer")}\n`, expected, file)
      }
    } finally {
      await chromium.close()
    }
  })

  it("has types for nodenext, CommonJS and bundlers, of TypeScript 7 and 5.9, without Effect", ({ skip }) => {
    const names = `const client: Client = createClient({ url: "", token: "" })
const error: TreemarkError | undefined = undefined
const checked = checkRequest({})
if (checked.ok) buildTree(checked.request, { author: "", serviceName: "", signedAt: "daemon" }).cid.slice()
else checked.errors[0]?.path.slice()
const verdict: "valid" | "unconfirmed" | "invalid" = verifyProof(new Uint8Array()).verdict
const read = parseProof(new Uint8Array())
// @ts-expect-error: a wallet is a text.
client.balance(5)
export { error, read, verdict }`
    const imports = `import { type Client, createClient, type TreemarkError } from "@treemark/core/client"
import { buildTree, checkRequest } from "@treemark/core/plain"
import { parseProof } from "@treemark/core/verify"
import { verifyProof } from "@treemark/verify"`
    for (const file of ["types.mts", "types.cts"]) writeFileSync(join(place, file), `${imports}\n${names}\n`)
    const common = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2024,dom"]
    const check = (compiler: string, ...args: ReadonlyArray<string>) => {
      try {
        execFileSync(compiler, [...common, ...args], { cwd: place, encoding: "utf8", stdio: "pipe" })
        return ""
      } catch (error) {
        return String((error as { readonly stdout?: string }).stdout)
      }
    }
    // What this repository has of types is not to be found from there; the older compiler takes no empty list.
    const compilers: Array<readonly [compiler: string, ...options: ReadonlyArray<string>]> = [
      [tool("tsc"), "--types", ""]
    ]
    if (isLong) {
      const older = fromRegistry(skip, () => packages.install("typescript@5.9.3"))
      compilers.push([join(older, "node_modules/.bin/tsc")])
    }
    for (const [compiler, ...options] of compilers) {
      const as = (...args: ReadonlyArray<string>) => check(compiler, ...options, "--module", ...args)
      assert.strictEqual(as("nodenext", "types.mts", "types.cts"), "")
      assert.strictEqual(as("esnext", "--moduleResolution", "bundler", "types.mts"), "")
    }
  })

  it("weighs what a page can carry", async () => {
    assert.isBelow(await weigh(place, `export * from "@treemark/core/client"`), 8_000)
    assert.isBelow(await weigh(place, `export * from "@treemark/core/plain"`), 60_000)
    assert.isBelow(
      await weigh(place, `export { inputOfProof, parseProof, verify } from "@treemark/core/verify"`),
      45_000
    )
    assert.isBelow(await weigh(place, `export { verifyProof } from "@treemark/verify"`), 45_000)
  })

  it("has nothing that the tools for packages complain of", () => {
    for (const name of ["core", "verify", "daemon"]) {
      execFileSync(tool("publint"), [packages.tarball(name), "--strict"], { stdio: "pipe" })
    }
    const attw = (name: string, ...args: ReadonlyArray<string>) =>
      execFileSync(tool("attw"), [packages.tarball(name), "--profile", "node16", ...args], { stdio: "pipe" })
    attw("core", "--exclude-entrypoints", ".", "charging", "inclusion", "memory")
    attw("verify", "--exclude-entrypoints", "verify.html")
    // Effect is ES modules alone, and so is what is made of it.
    attw("core", "--ignore-rules", "cjs-resolves-to-esm")
    attw("daemon", "--ignore-rules", "cjs-resolves-to-esm")
  })

  it("holds what is needed, and nothing else", () => {
    const files = (name: string) =>
      execFileSync("tar", ["-tzf", packages.tarball(name)], { encoding: "utf8" })
        .trim()
        .split("\n")
        .map((path) => path.replace(/^package\//, ""))
    const top = (name: string) => [...new Set(files(name).map((path) => path.split("/")[0]))].sort()
    assert.deepStrictEqual(top("core"), ["LICENSE", "README.md", "dist", "package.json"])
    assert.deepStrictEqual(top("verify"), ["LICENSE", "README.md", "bin", "dist", "package.json", "schema"])
    assert.deepStrictEqual(top("daemon"), ["LICENSE", "README.md", "bin", "dist", "package.json"])
  })
})

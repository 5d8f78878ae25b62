/** What is published works alone: the packed tarball, installed offline in an empty folder, as a command, a library and types. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { author, proofFile, signed } from "../core/verification/Fixtures.ts"
import { repository, scratch, treemarkVerify } from "./Command.ts"
import { proofOfCommit, writeFolder } from "./HistoryFixtures.ts"

const files = scratch()
afterAll(files.remove)

const run = (command: string, args: ReadonlyArray<string>, cwd: string) => {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8", timeout: 600_000 })
  assert.strictEqual(status, 0, `${command} ${args.join(" ")}\n${stdout}\n${stderr}`)
  return stdout
}

/** What may be loaded for one proof, and for the rest. */
const ALONE = /^node:(crypto|fs|tty|util)$/
const IN_BULK = /^(node:(crypto|fs|module|os|path|timers\/promises|tty|url|util|worker_threads)|tiny-secp256k1)$/

/** The command of the checkout, from its sources. */
const sources = join(repository, "packages/verify/bin/treemark-verify.js")

const installed = join(files.folder, "node_modules/@treemark/verify")

beforeAll(() => {
  run("npm", ["pack", "-w", "packages/verify", "--pack-destination", files.folder], repository)
  const tarball = readdirSync(files.folder).find((name) => name.endsWith(".tgz"))
  assert.isDefined(tarball)
  files.write("package.json", '{ "name": "consumer", "private": true, "type": "module" }')
  run("npm", ["install", "--offline", "--omit=optional", "--no-audit", "--no-fund", `./${tarball}`], files.folder)
})

describe("the published package", () => {
  it("brings nothing else along", () => {
    assert.deepStrictEqual(
      readdirSync(join(files.folder, "node_modules")).filter((name) => !name.startsWith(".")),
      ["@treemark"]
    )
    assert.deepStrictEqual(readdirSync(join(files.folder, "node_modules/@treemark")), ["verify"])
    assert.sameMembers(readdirSync(installed), ["LICENSE", "README.md", "bin", "dist", "package.json", "schema"])
  })

  it("verifies as a command that npm puts in place", () => {
    const bin = join(files.folder, "node_modules/.bin/treemark-verify")
    assert.strictEqual(treemarkVerify(["-"], { bin, input: proofFile }).code, 0)
    const tree = files.write("tree.json", signed.tree)
    const record = files.write("record.json", JSON.stringify({ ...signed.record, author: "0x" }))
    assert.strictEqual(treemarkVerify([tree, "--record", record], { bin }).code, 1)
    assert.match(treemarkVerify(["--version"], { bin }).stdout, /^treemark-verify \d+\.\d+\.\d+\n$/)
  })

  it("says the same as the sources do", () => {
    const bin = join(installed, "bin/treemark-verify.js")
    for (const input of [proofFile, proofFile.replace(author, `0x${"1".repeat(40)}`), "{}"]) {
      assert.deepStrictEqual(
        treemarkVerify(["-", "--json"], { bin, input }),
        treemarkVerify(["-", "--json"], { bin: sources, input })
      )
    }
  })

  it("verifies in bulk with its own workers, on noble while no optional package is installed", () => {
    const bin = join(installed, "bin/treemark-verify.js")
    const line = JSON.stringify(JSON.parse(proofFile))
    const { code, stdout } = treemarkVerify(["bulk", "-", "--json"], { bin, input: `${line}\nnonsense\n` })
    const [first, second, last] = stdout
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text))
    assert.strictEqual(code, 2)
    assert.deepStrictEqual([first.verdict, second.error.code], ["valid", "proof_not_json"])
    assert.strictEqual(last.summary.backend, "noble")
    for (const name of ["wasm", "native"]) {
      const refused = treemarkVerify(["bulk", "-", "--backend", name], { bin, input: line })
      assert.strictEqual(refused.code, 2)
      assert.include(refused.stderr, `The ${name} backend does not run here`)
    }
  })

  it("verifies as a library", () => {
    files.write("proof.json", proofFile)
    files.write(
      "use.js",
      `import { readFile } from "node:fs/promises"
       import { verifyProof } from "@treemark/verify"
       const report = verifyProof(await readFile("proof.json"))
       console.log(report.verdict, report.author)`
    )
    assert.strictEqual(run(process.execPath, ["use.js"], files.folder), `valid ${author}\n`)
  })

  it("has types that a strict consumer compiles against", () => {
    files.write(
      "use.ts",
      `import { type Report, UnusableInput, verifyProof } from "@treemark/verify"
       const report: Report = verifyProof(new Uint8Array())
       export const verdict: "valid" | "unconfirmed" | "invalid" = report.verdict
       // @ts-expect-error a verdict is not a number
       export const wrong: number = report.verdict
       export const problem: Error = new UnusableInput("usage", "")`
    )
    const options = {
      strict: true,
      module: "nodenext",
      target: "es2024",
      lib: ["es2024"],
      types: [],
      noEmit: true,
      skipLibCheck: false
    }
    writeFileSync(join(files.folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }))
    run(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", "."], files.folder)
  })

  it("verifies a history, a statement's usage and with a named backend, each from a file of its own", () => {
    const bin = join(installed, "bin/treemark-verify.js")
    const folder = writeFolder([0, 1].map((index) => ({ proof: proofOfCommit(index) })))
    const history = treemarkVerify(["history", folder, "--json"], { bin })
    rmSync(folder, { recursive: true })
    assert.strictEqual(history.code, 0)
    assert.deepInclude(JSON.parse(history.stdout).summary, { verdict: "valid", commits: 2, backend: "noble" })
    assert.strictEqual(treemarkVerify(["statement"], { bin }).code, 2)
    const named = treemarkVerify(["-", "--json", "--backend", "noble"], { bin, input: proofFile })
    assert.strictEqual(JSON.parse(named.stdout).backend, "noble")
    assert.strictEqual(treemarkVerify(["-", "--backend", "native"], { bin, input: proofFile }).code, 2)
  })

  it("names no package and no node: module that opens a socket in what it loads", () => {
    const files = readdirSync(join(installed, "dist")).filter((name) => name.endsWith(".js"))
    assert.includeMembers(files, [
      "backend.js",
      "bin.js",
      "bulk.js",
      "bulk-worker.js",
      "history.js",
      "index.js",
      "statement.js"
    ])
    for (const name of files) {
      const text = readFileSync(join(installed, "dist", name), "utf8")
      const imported = [
        ...text.matchAll(/(?:^|[;}])\s*(?:import|export)\b[^;"'`]*?["'`]([\w@./:-]{2,})["'`]/gm),
        ...text.matchAll(/\b(?:import|getBuiltinModule)\(\s*["'`]([\w@./:-]{2,})["'`]\)/g)
      ].map(([, from]) => String(from))
      if (name !== "index.js") assert.isNotEmpty(imported, name)
      const allowed = name === "index.js" ? /^$/ : name === "bin.js" ? ALONE : IN_BULK
      assert.isEmpty(
        imported.filter((specifier) => !allowed.test(specifier) && !files.includes(specifier.replace(/^\.\//, ""))),
        name
      )
    }
  })

  it("carries the licences of the libraries inside it", () => {
    const text = readFileSync(join(installed, "dist/THIRD-PARTY.txt"), "utf8")
    for (const name of ["@noble/curves", "@noble/hashes", "multiformats"]) assert.include(text, `${name} `)
    assert.include(text, "Paul Miller")
  })

  it("publishes its schemas", () => {
    for (const name of ["proof", "report"]) {
      assert.isObject(JSON.parse(readFileSync(join(installed, "schema", `${name}-v1.schema.json`), "utf8")))
    }
  })
})

describe("the command on an old Node", () => {
  it("says which Node it needs, and exits with 2", () => {
    const pretend = files.write("old.cjs", 'Object.defineProperty(process.versions, "node", { value: "20.11.0" })')
    const { status, stderr } = spawnSync(process.execPath, ["--require", pretend, sources, "-"], {
      env: {},
      encoding: "utf8"
    })
    assert.strictEqual(status, 2)
    assert.include(stderr, "needs Node 24 or newer; this is Node 20.11.0")
  })
})

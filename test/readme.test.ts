/** The README's commands and snippets are run here, in their order, against a running daemon; the answers it shows have the real shape. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startDaemon } from "./layers/RunningDaemon.ts"

const repository = resolve(import.meta.dirname, "..")
const readme = readFileSync(join(repository, "README.md"), "utf8")

interface Block {
  readonly language: string
  readonly text: string
}

const blocks: ReadonlyArray<Block> = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
  language: match[1] ?? "",
  text: match[2] ?? ""
}))

/** Blocks of these languages are not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  text: "a picture",
  console:
    "needs GNU parallel and a large file; test/verify/BulkElsewhere.test.ts runs the like where parallel is installed",
  python: "needs Spark; test/verify/BulkElsewhere.test.ts does what Spark's pipe does"
}

/** What the commands write; they write it into a folder of the test. */
const WRITTEN = ["espresso.proof.json", "espresso.html", "espresso-history"]

/** Runs a program and answers its standard output; fails with its standard error. */
const run = (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.callback<string, Error>((resume) => {
    execFile(program, args, { cwd: repository, env, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      resume(
        error === null ? Effect.succeed(stdout) : Effect.fail(new Error(`${args.join(" ")}: ${error.message}${stderr}`))
      )
    )
  })

/** The members of a JSON value with their types, at any depth. */
const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "treemark-readme-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** A TypeScript snippet beside the tests, so that it finds the workspace's packages. */
const runSnippet = (name: string, text: string, env: NodeJS.ProcessEnv) =>
  Effect.acquireUseRelease(
    Effect.tap(Effect.succeed(join(import.meta.dirname, `readme-snippet-${name}-${process.pid}.ts`)), (file) =>
      Effect.promise(() => writeFile(file, text))
    ),
    (file) => run(process.execPath, ["--conditions=@treemark/source", file], env),
    (file) => Effect.promise(() => rm(file, { force: true }))
  )

describe("README", () => {
  it("names the two commands that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"))
    const ci = readFileSync(join(repository, ".ci", "run"), "utf8")
    assert.deepStrictEqual(
      blocks.filter(({ text }) => text.startsWith("npm ci")).map(({ text }) => text.trim()),
      ["npm ci && npm start", "npm ci && npm test"]
    )
    assert.include(ci, "npm ci && npm test")
    for (const [, script] of readme.matchAll(/`npm run (\w+)`/g)) assert.property(scripts, String(script))
  })

  it("links only to files that exist", () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => String(match[1]))
    assert.isAbove(links.length, 2)
    for (const link of links) assert.isAbove(readFileSync(join(repository, link)).length, 0)
  })

  it.live(
    "shows commands and snippets that run, and answers of the real shape",
    () =>
      Effect.gen(function* () {
        const daemon = yield* startDaemon()
        const folder = yield* temporaryFolder
        const { account, token } = yield* daemon.createAccount({
          name: "reader",
          serviceName: "studio",
          credits: "5",
          tokens: "100"
        })
        const env: Record<string, string | undefined> = {
          ...process.env,
          TREEMARK_HOME: daemon.home,
          TOKEN: token,
          WALLET: account.wallet
        }
        const here = (text: string) =>
          WRITTEN.reduce(
            (changed, name) => changed.replaceAll(name, join(folder, name)),
            text.replaceAll("http://127.0.0.1:7053", daemon.url)
          )
        let answer = ""
        let shown = 0
        for (const [index, { language, text }] of blocks.entries()) {
          if (language === "sh" && !text.startsWith("npm ci")) {
            answer = yield* run("bash", ["-euc", here(text).replaceAll("curl ", "curl -sS ")], env)
            if (answer.startsWith('{"assetCid"')) env.ASSET_CID ??= JSON.parse(answer).assetCid
            if (answer.startsWith('{"txHash"')) env.ASSET_TREE_CID ??= JSON.parse(answer).assetTreeCid
          }
          if (language === "json") {
            assert.deepStrictEqual(shapeOf(JSON.parse(answer)), shapeOf(JSON.parse(text)), answer)
            shown += 1
          }
          if (language === "ts" && text.includes("signMessage")) {
            const body = yield* runSnippet("author", `${here(text)}\nconsole.log(JSON.stringify(signed))`, env)
            const committed = yield* daemon.call("/commit", {
              body,
              headers: { authorization: `token ${token}`, "content-type": "application/json" }
            })
            assert.strictEqual(committed.status, 200, committed.text)
          }
          if (language === "ts" && text.includes("verifyProof")) {
            assert.strictEqual(yield* runSnippet("verify", here(text), env), `valid ${account.wallet}\n`)
          }
          if (language === "ts" && text.includes("portsInMemory")) {
            assert.isAtMost(text.trimEnd().split("\n").length, 25)
            assert.strictEqual(yield* runSnippet("memory", text, env), "valid\n")
          }
          assert.include(["sh", "json", "ts", ...Object.keys(NOT_RUN)], language, `block ${index} is not run`)
        }
        assert.strictEqual(shown, 5)
        assert.include(readFileSync(join(folder, "espresso.html"), "utf8"), "<!doctype html>")
      }).pipe(Effect.scoped),
    600_000
  )
})

/** `treemark-verify bulk` as a process: files, folders, standard input, parts, results, the summary and the exit code. */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { PROOF_LIMIT } from "@treemark/core/verify"
import { author, proofFile } from "../core/verification/Fixtures.ts"
import { invalidLine, unconfirmedLine, validLine } from "./BulkProofs.ts"
import { type RunOptions, scratch, stub, treemarkVerify } from "./Command.ts"

const files = scratch()
afterAll(files.remove)

const bulk = (args: ReadonlyArray<string>, options: RunOptions = {}) => treemarkVerify(["bulk", ...args], options)

/** Results and summary of a run with --json. */
const bulkJson = (args: ReadonlyArray<string>, options: RunOptions = {}) => {
  const run = bulk([...args, "--json"], options)
  const lines = run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  return { ...run, results: lines.slice(0, -1), summary: lines.at(-1).summary }
}

const many = Array.from({ length: 600 }, (_, index) => {
  if (index === 77) return "nonsense"
  if (index === 300) return invalidLine(index)
  return index === 410 ? unconfirmedLine(index) : validLine(index % 40)
})
const manyFile = files.write("many.ndjson", `${many.join("\n")}\n`)

describe("bulk, of a file", () => {
  it("gives one result a line in the order of the input, then a summary, and goes on after a bad one", () => {
    const { code, results, summary, stderr } = bulkJson([manyFile, "--workers", "2"])
    assert.strictEqual(code, 1)
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(
      results.map(({ line }) => line),
      many.map((_, index) => index + 1)
    )
    const verdicts = results.map(({ verdict, error }) => verdict ?? error.code)
    assert.deepStrictEqual(
      many.map((_, index) => ({ 77: "proof_not_json", 300: "invalid", 410: "unconfirmed" })[index] ?? "valid"),
      verdicts
    )
    const { seconds, backend, ...counts } = summary
    assert.deepStrictEqual(counts, {
      valid: 597,
      unconfirmed: 1,
      invalid: 1,
      unusable: 1,
      total: 600,
      skipped: 0,
      workers: 2,
      exitCode: 1
    })
    assert.isNumber(seconds)
    assert.include(["noble", "wasm", "native"], backend)
  })

  it("says the same with every number of workers and every backend", () => {
    const outputs = [
      ["--workers", "1"],
      ["--workers", "3"],
      ["--backend", "wasm"],
      ["--backend", "noble"]
    ].map((args) => {
      const { results, summary } = bulkJson([manyFile, ...args])
      return JSON.stringify([results, { ...summary, seconds: 0, workers: 0, backend: "" }])
    })
    assert.strictEqual(new Set(outputs).size, 1)
  })

  it("names the backend that ran", () => {
    const one = files.write("one.ndjson", validLine(0))
    assert.strictEqual(bulkJson([one, "--backend", "wasm"]).summary.backend, "wasm")
    assert.strictEqual(bulkJson([one, "--backend", "noble"]).summary.backend, "noble")
    assert.match(bulk([one, "--backend", "noble"]).stderr, /backend noble/)
  })

  it("prints, for people, what is not valid on standard output and the summary on standard error", () => {
    const { code, stdout, stderr } = bulk([manyFile])
    assert.strictEqual(code, 1)
    const shown = stdout.trimEnd().split("\n")
    assert.strictEqual(shown.length, 3)
    assert.match(shown[0]!, /^✗ line 78: unusable \[proof_not_json\]/)
    assert.match(shown[1]!, /^✗ line 301: invalid \[/)
    assert.match(shown[2]!, /^– line 411: unconfirmed \[signer_not_author\]/)
    assert.match(stderr, /^600 proofs: 597 valid, 1 unconfirmed, 1 invalid, 1 unusable\n[\d.]+ s, [\d,]+ proofs\/s, /)
  })

  it("exits with the worst: invalid before unusable before unconfirmed before valid", () => {
    const exit = (...lines: ReadonlyArray<string>) => bulk(["-"], { input: lines.join("\n") }).code
    assert.strictEqual(exit(validLine(0)), 0)
    assert.strictEqual(exit(validLine(0), unconfirmedLine(1)), 3)
    assert.strictEqual(exit(unconfirmedLine(1), "x", validLine(0)), 2)
    assert.strictEqual(exit("x", unconfirmedLine(1), invalidLine(2)), 1)
  })

  it("with nothing in it is unusable, not valid", () => {
    for (const input of ["", "\n\n  \n"]) {
      const { code, stderr } = bulk(["-"], { input })
      assert.strictEqual(code, 2)
      assert.match(stderr, /no proof/)
    }
  })

  it("in parts gives every result once: shards, and ranges of bytes", () => {
    const whole = bulkJson([manyFile]).results.map(({ line: _, ...result }) => JSON.stringify(result))
    const shards = [1, 2, 3, 4, 5].map((index) => bulkJson([manyFile, "--shard", `${index}/5`]))
    assert.deepStrictEqual(
      shards.flatMap(({ results }) => results.map(({ line: _, ...result }) => JSON.stringify(result))),
      whole
    )
    const ranges = ["0-100000", "100000-100001", "100001-900000", "900000-"].map((range) =>
      bulkJson([manyFile, "--range", range])
    )
    assert.deepStrictEqual(
      ranges.flatMap(({ results }) => results.map(({ line: _, ...result }) => JSON.stringify(result))),
      whole
    )
    assert.strictEqual(ranges[1]!.code, 0, "a part may rightly be empty")
    assert.strictEqual(shards[4]!.results[0]!.line, undefined)
  })

  it("knows --author for every proof", () => {
    const { code, results } = bulkJson(["-", "--author", author], {
      input: `${validLine(0)}\n${JSON.stringify(JSON.parse(proofFile))}`
    })
    assert.strictEqual(code, 3)
    assert.deepStrictEqual(
      results.map(({ verdict }) => verdict),
      ["unconfirmed", "valid"]
    )
  })

  it("takes an authors file, and refuses one that it does not understand before anything is verified", () => {
    const input = JSON.stringify(JSON.parse(proofFile))
    const known = files.write("known.authors", `${author} Ada\n`)
    assert.strictEqual(bulkJson(["-", "--authors", known], { input }).results[0]!.signerName, "Ada")
    const broken = files.write("broken.authors", "Ada\n")
    const { code, stdout } = bulk(["-", "--authors", broken, "--json"], { input })
    assert.strictEqual(code, 2)
    assert.strictEqual(JSON.parse(stdout).error.code, "authors_line")
  })
})

describe("bulk, of hostile lines", () => {
  it("gives a line that is longer than any proof one result, and goes on", () => {
    const long = Buffer.alloc(PROOF_LIMIT + 40 * 1024 * 1024, 0x31)
    const input = Buffer.concat([Buffer.from(`${validLine(0)}\n`), long, Buffer.from(`\n${validLine(1)}\n`)])
    const { code, results } = bulkJson([files.write("long.ndjson", input)])
    assert.strictEqual(code, 2)
    assert.deepStrictEqual(
      results.map(({ line, verdict, error }) => [line, verdict ?? error.code]),
      [
        [1, "valid"],
        [2, "proof_too_large"],
        [3, "valid"]
      ]
    )
  })

  it("takes NULs, bad UTF-8, blank lines and CR LF", () => {
    const input = Buffer.concat([
      Buffer.from("\0\0\n"),
      Buffer.from([0xff, 0xfe, 10]),
      Buffer.from(`\r\n\n${validLine(0)}\r\n${validLine(1)}`)
    ])
    const { results, summary } = bulkJson(["-"], { input })
    assert.deepStrictEqual(
      results.map(({ line, verdict, error }) => [line, verdict ?? error.code]),
      [
        [1, "proof_not_json"],
        [2, "proof_not_json"],
        [5, "valid"],
        [6, "valid"]
      ]
    )
    assert.strictEqual(summary.total, 4)
  })
})

describe("bulk, of a folder", () => {
  const folder = join(files.folder, "proofs")
  mkdirSync(join(folder, "b", "inner"), { recursive: true })
  files.write("proofs/c.json", invalidLine(3))
  files.write("proofs/a.json", proofFile)
  files.write("proofs/b/2.json", validLine(1))
  files.write("proofs/b/inner/1.JSON", "{}")
  files.write("proofs/photo.jpg", "not a proof")
  symlinkSync(join(folder, "a.json"), join(folder, "link.json"))
  symlinkSync(folder, join(folder, "b", "loop"))
  execFileSync("mkfifo", [join(folder, "pipe.json")])

  it("verifies every *.json by name, and passes links and pipes over with a message", () => {
    const { code, results, summary, stderr } = bulkJson([folder])
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      results.map(({ file, verdict, error }) => [file, verdict ?? error.code]),
      [
        ["a.json", "valid"],
        ["b/2.json", "valid"],
        ["b/inner/1.JSON", "proof_media_type"],
        ["c.json", "invalid"]
      ]
    )
    assert.strictEqual(summary.skipped, 3)
    assert.include(stderr, "link.json is a symbolic link, not a file; skipped.")
    assert.include(stderr, "b/loop is a symbolic link, not a file; skipped.")
    assert.include(stderr, "pipe.json is a pipe, not a file; skipped.")
  })

  it("gives the result that each file has alone", () => {
    for (const { file, ...result } of bulkJson([folder]).results) {
      const alone = JSON.parse(treemarkVerify([join(folder, file), "--json"]).stdout)
      assert.deepStrictEqual(result, alone)
    }
  })

  it("in shards gives every file once", () => {
    const found = [1, 2, 3].flatMap((index) =>
      bulkJson([folder, "--shard", `${index}/3`]).results.map(({ file }) => file)
    )
    assert.sameMembers(found, ["a.json", "b/2.json", "b/inner/1.JSON", "c.json"])
    assert.strictEqual(found.length, 4)
  })

  it.skipIf(process.getuid?.() === 0)("gives a file that may not be read one result", () => {
    chmodSync(files.write("proofs/secret.json", proofFile), 0)
    const result = bulkJson([folder]).results.find(({ file }) => file === "secret.json")
    assert.strictEqual(result.error.code, "file_unreadable")
  })
})

describe("bulk, of what cannot be used", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string, RegExp]> = [
    ["nothing", [], "usage", /Which proofs\?/],
    ["two files", ["a", "b"], "usage", /One file or folder at a time/],
    ["a file that is not there", ["/nonexistent/x"], "file_unreadable", /no such file/],
    ["a device", ["/dev/zero"], "file_unreadable", /has no end/],
    ["an unknown option", [manyFile, "--jsn"], "usage", /jsn/],
    ["an unknown backend", [manyFile, "--backend", "gpu"], "usage", /auto, noble, wasm or native/],
    ["no worker", [manyFile, "--workers", "0"], "usage", /from 1 to 256/],
    ["shard 0", [manyFile, "--shard", "0/4"], "usage", /such as 3\/16/],
    ["a shard behind the last", [manyFile, "--shard", "5/4"], "usage", /such as 3\/16/],
    ["a range backwards", [manyFile, "--range", "9-3"], "usage", /two byte offsets/],
    ["both a shard and a range", [manyFile, "--range", "0-3", "--shard", "1/2"], "usage", /not both/],
    ["a range of a folder", [files.folder, "--range", "0-3"], "usage", /a folder has --shard/],
    ["a shard of standard input", ["-", "--shard", "1/2"], "usage", /Only a regular file has parts/],
    ["an author who is no address", [manyFile, "--author", "Ada"], "usage", /0x and 40 hex digits/]
  ]
  for (const [title, args, code, message] of cases) {
    it(`says what is wrong: ${title}`, () => {
      const run = bulk([...args, "--json"])
      assert.strictEqual(run.code, 2)
      assert.match(run.stderr, message)
      assert.strictEqual(JSON.parse(run.stdout).error.code, code)
    })
  }
})

describe("bulk, with others", () => {
  it("prints its help", () => {
    const { code, stdout } = bulk(["--help"])
    assert.strictEqual(code, 0)
    for (const option of ["--json", "--shard", "--range", "--backend", "--workers", "--author"]) {
      assert.include(stdout, option)
    }
  })

  it("answers a proof before the next one comes, and does not wait for a full chunk", async () => {
    const child = spawn(process.execPath, [stub, "bulk", "-", "--json"], { env: {}, stdio: ["pipe", "pipe", "ignore"] })
    const answers = child.stdout[Symbol.asyncIterator]()
    for (const index of [0, 1]) {
      child.stdin.write(`${validLine(index)}\n`)
      const { value } = await answers.next()
      assert.strictEqual(JSON.parse(String(value)).line, index + 1)
    }
    child.stdin.end()
    assert.strictEqual(JSON.parse(String((await answers.next()).value)).summary.total, 2)
  })

  it("ends when nobody reads the results any more", () => {
    const script = `"$0" "$1" bulk "$2" --json | head -1 | wc -l; echo "\${PIPESTATUS[0]}"`
    const output = execFileSync("bash", ["-c", script, process.execPath, stub, manyFile], {
      encoding: "utf8",
      env: { PATH: process.env.PATH }
    })
    assert.deepStrictEqual(output.trim().split(/\s+/), ["1", "2"])
  })
})

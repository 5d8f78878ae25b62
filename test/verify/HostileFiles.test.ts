/** Files that are no files, and surroundings made to mislead: each input has its answer, the verifier writes nothing, and no variable changes a verdict. */
import { execFileSync, spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, truncateSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { STATEMENT } from "../core/statement/StatementFixture.ts"
import { author, proofFile, signed, utf8 } from "../core/verification/Fixtures.ts"
import { isMissing } from "../layers/Parts.ts"
import { type Run, scratch, stub, treemarkVerify } from "./Command.ts"
import { proofOfCommit, writeFolder } from "./HistoryFixtures.ts"

const files = scratch()
afterAll(files.remove)
const history = writeFolder([0, 1].map((index) => ({ proof: proofOfCommit(index) })))
afterAll(() => rmSync(history, { recursive: true }))
const proof = files.write("proof.json", proofFile)
const record = files.write("record.json", JSON.stringify(signed.record))
const lines = files.write("proofs.ndjson", `${JSON.stringify(JSON.parse(proofFile))}\n`.repeat(3))

/** Under a limit of the heap and of time, and with the code that --json tells. */
const refusal = (args: ReadonlyArray<string>, prefix = "") => {
  const command = `${prefix} exec "${process.execPath}" --max-old-space-size=100 "${stub}" "$@" --json`
  const run = spawnSync("sh", ["-c", command, "sh", ...args], { env: {}, encoding: "utf8", timeout: 600_000 })
  return { status: run.status, code: /"code": ?"(\w+)"/.exec(run.stdout)?.[1], text: run.stdout + run.stderr }
}

describe("an input that is no file", () => {
  it("is refused or read to its limit: a folder, a device, a socket, a link to nothing or to itself", async () => {
    mkdirSync(join(files.folder, "folder"))
    symlinkSync("loop", join(files.folder, "loop"))
    symlinkSync("nowhere", join(files.folder, "dangling"))
    const path = join(files.folder, "socket")
    const server = createServer().listen(path)
    await new Promise((resolve) => server.once("listening", resolve))
    for (const name of ["folder", "loop", "dangling", "socket"]) {
      for (const args of [[name], name === "folder" ? ["--record", name] : [proof, "--asset", name]]) {
        const run = refusal(args.map((arg) => (arg === name ? join(files.folder, name) : arg)))
        assert.strictEqual(run.status, 2, `${args.join(" ")}: ${run.text}`)
        assert.strictEqual(run.code, "file_unreadable", args.join(" "))
      }
    }
    server.close()
    assert.strictEqual(refusal(["/dev/null"]).code, "proof_not_json")
    assert.strictEqual(refusal(["/dev/zero"]).code, "file_too_large")
    assert.strictEqual(refusal([proof, "--asset", "/dev/zero"]).code, "file_unreadable")
  })

  it("is read when it is a pipe that somebody writes to, to its limit when it has no end", () => {
    const pipe = join(files.folder, "pipe")
    execFileSync("mkfifo", [pipe])
    assert.strictEqual(refusal([pipe], `cat "${proof}" > "${pipe}" &`).status, 0)
    assert.strictEqual(refusal([pipe], `yes > "${pipe}" 2> /dev/null &`).code, "file_too_large")
    rmSync(pipe)
  })

  it("is read through a link, as a person would expect of the name that they gave", () => {
    const link = join(files.folder, "link.json")
    symlinkSync(proof, link)
    assert.strictEqual(refusal([link]).status, 0)
  })

  it("is compressed, an archive or a gigabyte of digits: refused as what it is, in 100 MB of heap", () => {
    const bomb = files.write("bomb.json", gzipSync(Buffer.alloc(64 * 1024 * 1024)))
    assert.strictEqual(refusal([bomb]).code, "proof_not_json")
    const car = files.write("proof.car", Uint8Array.of(0x3a, 0xa2, 0x65, ...utf8("roots"), 0x80))
    assert.strictEqual(refusal([car]).code, "proof_not_json")
    const digits = files.write("digits.json", "1".repeat(1024))
    truncateSync(digits, 1024 ** 3)
    assert.strictEqual(refusal([digits]).code, "file_too_large")
    assert.strictEqual(refusal(["-"], "yes 1 | tr -d '\\n' |").code, "file_too_large")
  })

  it("lies in a folder of proofs: links, pipes and sockets are passed over, and the proofs beside them verified", () => {
    const folder = join(files.folder, "bulk")
    mkdirSync(folder)
    files.write("bulk/good.json", proofFile)
    symlinkSync("/dev/zero", join(folder, "a.json"))
    symlinkSync(folder, join(folder, "loop"))
    execFileSync("mkfifo", [join(folder, "b.json")])
    const run = treemarkVerify(["bulk", folder, "--json"])
    assert.strictEqual(run.code, 0, run.stderr)
    assert.strictEqual(JSON.parse(run.stdout.trim().split("\n")[0]!).verdict, "valid")
    assert.match(run.stderr, /a\.json is a symbolic link/)
    assert.match(run.stderr, /b\.json is a pipe/)
  })
})

const commands: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["a proof", [proof]],
  ["a proof, explained", [proof, "--explain"]],
  ["a proof as JSON", [proof, "--author", author, "--json"]],
  ["unusable input", [record]],
  ["many proofs", ["bulk", lines, "--json"]],
  ["a statement", ["statement", files.write("statement.json", JSON.stringify(STATEMENT)), "--json"]],
  ["a history", ["history", history, "--json"]]
]

/** The summary of many proofs says how long they took. */
const timeless = (run: Run): Run => ({ ...run, stdout: run.stdout.replace(/"seconds":[\d.]+/, "") })

describe("no environment variable", () => {
  const hostile: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      ["BACKEND", "AUTHOR", "AUTHORS", "CHECKPOINT", "NETWORK", "HOME", "CONFIG", "SEED"].map((name) => [
        `TREEMARK_${name}`,
        "evil"
      ])
    ),
    TZ: "Pacific/Kiritimati",
    LANG: "tr_TR.UTF-8",
    LC_ALL: "tr_TR.UTF-8",
    NO_COLOR: "1",
    TERM: "dumb",
    COLUMNS: "1",
    HTTP_PROXY: "http://127.0.0.1:1",
    HTTPS_PROXY: "http://127.0.0.1:1",
    NODE_ENV: "production",
    NODE_DEBUG: "",
    HOME: "/nonexistent",
    TMPDIR: "/nonexistent",
    CI: "1",
    DEBUG: "*"
  }
  for (const [title, args] of commands) {
    it(`changes what is said of ${title}`, () => {
      const plain = treemarkVerify(args)
      assert.notStrictEqual(plain.code, null)
      assert.deepStrictEqual(timeless(treemarkVerify(args, { env: hostile })), timeless(plain))
      if (!args.includes("--json")) return
      assert.deepStrictEqual(timeless(treemarkVerify(args, { env: { FORCE_COLOR: "3" } })), timeless(plain))
    })
  }
})

describe.skipIf(isMissing("strace"))("nothing is written but the output (needs strace)", () => {
  const trace = join(files.folder, "trace")
  const CALLS =
    "open,openat,openat2,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,truncate,ftruncate,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,mknod,mknodat"
  const writes = (args: ReadonlyArray<string>) => {
    const out = openSync(join(files.folder, "out"), "w")
    const run = spawnSync("strace", ["-f", "-qq", "-e", `trace=${CALLS}`, "-o", trace, process.execPath, ...args], {
      env: {},
      stdio: ["ignore", out, out],
      timeout: 600_000
    })
    closeSync(out)
    assert.notStrictEqual(run.status, null)
    return readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => /\b[a-z0-9_]+\(/.test(line) && !/= -1 E/.test(line))
      .filter((line) => !/\bopen(at2?)?\(/.test(line) || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/.test(line))
      .filter((line) => !/"\/dev\/(null|tty)"/.test(line))
  }
  for (const [title, args] of commands) {
    it(`for ${title}`, () => {
      assert.deepStrictEqual(writes([stub, ...args]), [])
    })
  }

  it("would go unnoticed: the watch sees a file when one is written", () => {
    const written = writes([
      "-e",
      `require("node:fs").writeFileSync(${JSON.stringify(join(files.folder, "seen"))}, "")`
    ])
    assert.strictEqual(written.length, 1)
  })
})

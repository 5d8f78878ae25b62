/** The verifier opens no socket, ever: strace (Debian package `strace`) watches every network call of the process and its threads. */
import { spawnSync } from "node:child_process"
import { closeSync, openSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { asset, author, proofFile, signed, utf8 } from "../core/verification/Fixtures.ts"
import { isMissing } from "../layers/Parts.ts"
import { scratch, stub } from "./Command.ts"
import { blocksOf, carOf, proofOfCommit, writeFolder } from "./HistoryFixtures.ts"

const files = scratch()
afterAll(files.remove)

const trace = join(files.folder, "trace")

/**
 * Runs `node ...args` under strace and gives its exit code and the network calls it made. Its standard streams are files: those that
 * Node gives a child are sockets, and it would ask the kernel about them.
 */
const networkCalls = (args: ReadonlyArray<string>, input: Uint8Array | string = "") => {
  const streams = [
    openSync(files.write("stdin", input), "r"),
    openSync(join(files.folder, "stdout"), "w"),
    openSync(join(files.folder, "stderr"), "w")
  ]
  const watched = ["-f", "-qq", "-e", "trace=network", "-o", trace, process.execPath, ...args]
  const run = spawnSync("strace", watched, { env: {}, stdio: streams, timeout: 600_000 })
  for (const stream of streams) closeSync(stream)
  const calls = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => /\b[a-z_0-9]+\(/.test(line))
  return { code: run.status, calls }
}

const commits = [0, 1].map((index) => ({ proof: proofOfCommit(index) }))
const historyCar = await carOf(blocksOf(commits))

describe.skipIf(isMissing("strace"))("no socket (needs strace)", () => {
  const proof = files.write("proof.json", proofFile)
  const tree = files.write("tree.json", signed.tree)
  const record = files.write("record.json", JSON.stringify(signed.record))
  const photo = files.write("photo.jpg", asset)
  const lines = files.write("proofs.ndjson", JSON.stringify(JSON.parse(proofFile)))
  const folder = writeFolder(commits)
  afterAll(() => rmSync(folder, { recursive: true }))
  const car = files.write("history.car", historyCar)
  const cases: ReadonlyArray<readonly [string, number, ReadonlyArray<string>]> = [
    ["a proof", 0, [proof]],
    ["a proof, its asset, an author, as JSON", 0, [proof, "--asset", photo, "--author", author, "--json"]],
    ["a tree and its record", 0, [tree, "--record", record]],
    ["a record whose actionResult is a URL", 3, ["--record", record]],
    ["standard input", 0, ["-"]],
    ["unusable input", 2, [photo]],
    ["help", 0, ["--help"]],
    ["many proofs, on every core", 0, ["bulk", lines]],
    ["many proofs, with WebAssembly, as JSON", 0, ["bulk", lines, "--backend", "wasm", "--json"]],
    ["a CAR of proofs", 0, ["bulk", car]],
    ["a history in a folder", 0, ["history", folder]],
    ["a history in a CAR, as JSON", 0, ["history", car, "--json"]],
    ["a proof, with the fastest backend", 0, [proof, "--backend", "auto"]]
  ]
  for (const [title, code, args] of cases) {
    it(`is opened for ${title}`, () => {
      const run = networkCalls([stub, ...args], utf8(proofFile))
      assert.strictEqual(run.code, code)
      assert.deepStrictEqual(run.calls, [])
    })
  }

  it("would go unnoticed: the watch sees one when there is one", () => {
    const { calls } = networkCalls([
      "-e",
      'require("node:net").createServer().listen(0, "127.0.0.1", function () { this.close() })'
    ])
    assert.isTrue(calls.some((line) => line.includes("socket(")))
  })
})

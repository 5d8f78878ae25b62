/**
 * bulk under engines that spread work: GNU parallel by shards and by pipes (Debian package `parallel`), and what Spark's RDD.pipe asks of a command: each
 * partition's elements come as lines on standard input of a process of its own, and the lines of standard output are the new elements.
 */
import { spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { isMissing } from "../layers/Parts.ts"
import { invalidLine, unconfirmedLine, validLine } from "./BulkProofs.ts"
import { scratch, stub, treemarkVerify } from "./Command.ts"

const files = scratch()
afterAll(files.remove)

const lines = Array.from({ length: 60 }, (_, index) => {
  if (index === 20) return invalidLine(index)
  return index === 40 ? unconfirmedLine(index) : validLine(index % 12)
})
const ndjson = files.write("proofs.ndjson", `${lines.join("\n")}\n`)
const command = files.write("treemark-verify", `#!/bin/sh\nexec "${process.execPath}" "${stub}" "$@"\n`)
chmodSync(command, 0o755)
const env = { PATH: `${files.folder}:${process.env.PATH}`, HOME: files.folder }

interface Result {
  readonly verdict?: string
  readonly offset?: number
  readonly summary?: { readonly total: number; readonly exitCode: number }
}

const parsed = (text: string): ReadonlyArray<Result> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const resultsOf = (text: string): ReadonlyArray<Result> => parsed(text).filter(({ summary }) => summary === undefined)
const plain = (results: ReadonlyArray<Result>) =>
  results.map(({ offset: _, line: __, ...report }: Result & { line?: number }) => report)

const whole = resultsOf(treemarkVerify(["bulk", ndjson, "--json"]).stdout)

describe.skipIf(isMissing("parallel"))("under GNU parallel", () => {
  const shell = (script: string) => spawnSync("bash", ["-c", script], { cwd: files.folder, env, encoding: "utf8" })

  it("shards give the results of the whole, in its order, and parallel's exit code counts the parts that are not all valid", () => {
    const { status, stdout } = shell(
      "seq 4 | parallel -k treemark-verify bulk proofs.ndjson --shard {}/4 --workers 1 --json"
    )
    assert.deepStrictEqual(plain(resultsOf(stdout)), plain(whole))
    const codes = parsed(stdout).flatMap(({ summary }) => (summary === undefined ? [] : [summary.exitCode]))
    assert.strictEqual(status, codes.filter((code) => code !== 0).length)
    assert.sameMembers(codes, [0, 0, 1, 3])
  })

  it("a file cut into pipes at line breaks gives the same", () => {
    const { stdout } = shell(
      "parallel -k --pipepart -a proofs.ndjson --block 40k treemark-verify bulk - --workers 1 --json"
    )
    assert.deepStrictEqual(plain(resultsOf(stdout)), plain(whole))
    assert.isAbove(parsed(stdout).length - whole.length, 2)
  })
})

describe("under Spark's pipe", () => {
  /** `sc.textFile(...).pipe(command, env)`, as PySpark documents it, for these partitions; no exit code is looked at (checkCode=False). */
  const pipe = (partitions: ReadonlyArray<ReadonlyArray<string>>, args: ReadonlyArray<string>): ReadonlyArray<string> =>
    partitions.flatMap((elements) => {
      const input = elements.map((element) => `${element.replace(/\n+$/, "")}\n`).join("")
      const { stdout } = spawnSync(command, [...args], { input, env: { PATH: env.PATH }, encoding: "utf8" })
      return stdout.split("\n").slice(0, -1)
    })

  it("every partition's lines become one result each, an empty partition none, and each ends with a summary", () => {
    const partitions = [lines.slice(0, 25), [], lines.slice(25, 26), lines.slice(26)]
    const elements = pipe(partitions, ["bulk", "-", "--json", "--workers", "1"]).map((line): Result => JSON.parse(line))
    const results = elements.filter(({ summary }) => summary === undefined)
    assert.deepStrictEqual(plain(results), plain(whole))
    const totals = elements.flatMap(({ summary }) => (summary === undefined ? [] : [summary.total]))
    assert.deepStrictEqual(totals, [25, 0, 1, 34])
  })
})

/**
 * The promise of every door: whatever comes in, out comes a report or the one documented error. The library throws UnusableInput and nothing else; the
 * command prints one document and exits with 0 to 3. "internal" is the last line of defence, and no file known here may reach it.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { CHECKS, CODES } from "@treemark/core/verify"
import { cidOf, DAG_JSON_CODE, RAW_CODE } from "../../packages/core/src/asset-tree/Cid.ts"
import { runCli } from "../../packages/verify/src/Cli.ts"
import { runExplained } from "../../packages/verify/src/explain/RunExplained.ts"
import { runHistory, tellHistory } from "../../packages/verify/src/history/HistoryCommand.ts"
import { jsonText, plainText } from "../../packages/verify/src/history/HistoryText.ts"
import { recordersIn } from "../../packages/verify/src/history/VerifyHistory.ts"
import {
  checkStatement,
  type Report,
  readAuthors,
  readCheckpoint,
  UnusableInput,
  verifyProof,
  verifyProofAsync,
  verifyRecord,
  verifyTree
} from "../../packages/verify/src/index.ts"
import type { Outcome } from "../../packages/verify/src/Outcome.ts"
import { runStatement } from "../../packages/verify/src/StatementCommand.ts"
import { foreseen, guarded } from "../../packages/verify/src/Unforeseen.ts"
import { committer, ledger, proofFile, signed, treeMembers, utf8 } from "../core/verification/Fixtures.ts"
import { partOf } from "../layers/Long.ts"
import { scratch, treemarkVerify } from "./Command.ts"
import { carOf } from "./HistoryFixtures.ts"
import { readReport, reportOf, sourceOf } from "./HistoryReports.ts"
import { filledProofs, filledStatements, type HostileFile, hostileSet, pageOf } from "./HostileSet.ts"

const files = scratch()
afterAll(files.remove)
const good = files.write("good.proof.json", proofFile)
const environment = { version: "0", colour: false }

/** A report of verification that is whole: its verdict, its answers and every check with a code of the list. */
const isReport = (report: Report, name: string): void => {
  assert.include(["valid", "unconfirmed", "invalid"], report.verdict, name)
  assert.hasAllKeys(report.answers, ["file", "who", "when"], name)
  for (const check of report.checks) {
    assert.property(CHECKS, check.name, name)
    if (check.code !== "ok") assert.property(CODES, check.code, name)
  }
}

const isRefusal = (error: unknown, name: string): void => {
  assert.instanceOf(error, UnusableInput, name)
  const { code, message } = error as UnusableInput
  assert.notStrictEqual(code, "internal", `${name}: ${message}`)
  assert.match(message, /\S/, name)
}

/** Gives `bytes` to a function of the library. */
const ask = (name: string, act: () => unknown): void => {
  try {
    const answer = act()
    if (typeof answer === "object" && answer !== null && "answers" in answer) isReport(answer as Report, name)
  } catch (error) {
    isRefusal(error, name)
  }
}

/** One document or a text for people, an exit code, one line on standard error when it is refused, and never a stack. */
const isOutcome = ({ exitCode, stderr, stdout }: Outcome, isJson: boolean, name: string): void => {
  assert.include([0, 1, 2, 3], exitCode, name)
  assert.notMatch(stdout + stderr, /\n +at \S+ \(|"code": ?"internal"|\[internal\]|internal:/, name)
  if (isJson) {
    const document = JSON.parse(stdout)
    assert.strictEqual(document.error !== undefined, exitCode === 2, name)
  }
  if (exitCode === 2) assert.match(stderr, /^treemark-verify: [^\n]+\n$/, name)
  else assert.strictEqual(stderr, "", name)
}

const runs = (path: string): ReadonlyArray<ReadonlyArray<string>> => [
  [path, "--json"],
  [path],
  ["--record", path, "--json"],
  [path, "--record", path, "--json"],
  [good, "--asset", path],
  [good, "--checkpoint", path, "--json"],
  [good, "--authors", path, "--json"]
]

const historyOf = async (...args: ReadonlyArray<string>): Promise<Outcome> => {
  const said = { 1: "", 2: "" }
  const exitCode = await runHistory([...args, "--json"], (file, text) => {
    said[file] += text
  })
  return { exitCode, stdout: said[1], stderr: said[2] }
}

/** Large ones take long; every door gets some of them, and the library and bulk get all. */
const isSmall = ({ bytes }: HostileFile): boolean => bytes().length < 256 * 1024
const large = hostileSet.filter((file) => !isSmall(file))
const lighter = [...hostileSet.filter(isSmall), ...large.filter((_, at) => at % 8 === 0)]

/** Of the proofs with another filling at each place; all of them in a long run. */
const proofs = partOf("filled proofs at every door", filledProofs, 8)
/** What is asked in several ways at each door; the library and bulk get the whole set by bytes in any run. */
const asked = partOf("hostile files at every door", lighter, 4)

describe("the hostile set", () => {
  it("has well over 60 files, each with a name of its own", () => {
    const names = [...hostileSet, ...filledProofs].map(({ name }) => name)
    assert.isAbove(lighter.length, 90)
    assert.isAbove(names.length, 250)
    assert.strictEqual(new Set(names).size, names.length)
  })
})

describe("the library", () => {
  it("answers every file of the set as every argument, or refuses it", () => {
    for (const { bytes, name } of [...hostileSet, ...proofs]) {
      const given = bytes()
      ask(name, () => verifyProof(given))
      if (given.length > 256 * 1024) continue
      ask(name, () => verifyProof(proofFile, { asset: given }))
      ask(name, () => verifyProof(proofFile, { authors: given }))
      ask(name, () => verifyProof(proofFile, { checkpoints: [given] }))
      ask(name, () => verifyTree(given, { record: { ...signed.record } }))
      ask(name, () => verifyTree(signed.tree, { record: given }))
      ask(name, () => verifyRecord(given))
      ask(name, () => checkStatement(given))
      ask(name, () => readAuthors(given))
      ask(name, () => readCheckpoint(given))
    }
  })

  it("answers every statement of the set, or refuses it", () => {
    for (const { bytes, name } of filledStatements) ask(name, () => checkStatement(bytes()))
  })

  it("answers every file inside of a page, or refuses it", () => {
    for (const { bytes, name } of asked) ask(name, () => verifyProof(pageOf(bytes())))
  })

  it("keeps the promise with its promises", async () => {
    for (const { bytes, name } of asked) {
      const blob = () => new Blob([new Uint8Array(bytes())])
      for (const act of [() => verifyProofAsync(blob()), () => verifyProofAsync(proofFile, { asset: blob() })]) {
        await act().then(
          (report) => isReport(report, name),
          (error: unknown) => isRefusal(error, name)
        )
      }
    }
  })
})

describe("the command", () => {
  it("prints one document and exits with 0 to 3, for every file in every place", () => {
    const path = join(files.folder, "hostile")
    for (const { bytes, name } of asked) {
      writeFileSync(path, bytes())
      for (const args of runs(path))
        isOutcome(runCli(args, environment), args.includes("--json"), `${name}: ${args.join(" ")}`)
      isOutcome(runStatement([path, "--json"]), true, name)
    }
    for (const { bytes, name } of proofs) {
      writeFileSync(path, bytes())
      isOutcome(runCli([path, "--json"], environment), true, name)
    }
  })

  it("explains every file, or refuses it", async () => {
    const path = join(files.folder, "explained")
    for (const { bytes, name } of asked) {
      writeFileSync(path, bytes())
      for (const args of [
        [path, "--explain"],
        [path, "--explain", "--json"],
        ["--record", path, "--explain"]
      ]) {
        isOutcome(await runExplained(args, environment), args.includes("--json"), name)
      }
    }
  })

  it("says the same as a process of its own, for some of them", () => {
    const drawn = lighter.filter((_, at) => at % 23 === 0)
    assert.isAbove(drawn.length, 4)
    for (const { bytes, name } of drawn) {
      const path = files.write("drawn", bytes())
      const { code, stderr, stdout } = treemarkVerify([path, "--json"])
      const inProcess = runCli([path, "--json"], environment)
      assert.deepStrictEqual({ exitCode: code, stderr, stdout }, inProcess, name)
    }
  })

  it("in bulk prints a document for each and a summary, from a folder with all of them", () => {
    const folder = join(files.folder, "bulk")
    mkdirSync(folder)
    const all = [...hostileSet, ...proofs]
    for (const [at, { bytes }] of all.entries())
      writeFileSync(join(folder, `${String(at).padStart(4, "0")}.json`), bytes())
    const { code, stderr, stdout } = treemarkVerify(["bulk", folder, "--json", "--workers", "2"])
    rmSync(folder, { recursive: true })
    assert.strictEqual(code, 1)
    assert.notMatch(stderr, / at \S+ \(/)
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.strictEqual(lines.at(-1).summary.total, all.length)
    for (const [at, line] of lines.slice(0, -1).entries()) {
      assert.isTrue(line.verdict !== undefined || line.error !== undefined, all[at]!.name)
      assert.notInclude(["internal", "worker_failed"], line.error?.code, all[at]!.name)
    }
  })
})

/** An index that names every file of the set as a commit's proof. */
const indexOf = (proofs: ReadonlyArray<unknown>) => ({
  assetCid: String(treeMembers.assetCid),
  commits: proofs.map((proof, at) => {
    const { blockHash, txHash } = ledger
    return { blockHash, blockNumber: at, logIndex: 0, proof, recorder: committer, txHash }
  }),
  mediaType: "application/vnd.treemark.history+json;version=1",
  network: { chainId: ledger.chainId, contract: ledger.contract }
})

describe("a history", () => {
  it("of all of them is one document, from a folder with an index and without one, and from a CAR", {
    timeout: 600_000
  }, async () => {
    const folder = join(files.folder, "history")
    mkdirSync(folder)
    const names = lighter.map(({ bytes }, at) => {
      const name = `${String(at).padStart(4, "0")}.proof.json`
      writeFileSync(join(folder, name), bytes())
      return name
    })
    isOutcome(await historyOf(folder), true, "without an index")
    writeFileSync(join(folder, "history.json"), JSON.stringify(indexOf(names)))
    const indexed = await historyOf(folder)
    isOutcome(indexed, true, "with an index")
    assert.strictEqual(JSON.parse(indexed.stdout).commits.length, names.length)
    rmSync(folder, { recursive: true })

    const blocks = lighter.filter(isSmall).map(({ bytes }) => ({ cid: cidOf(RAW_CODE, bytes()), bytes: bytes() }))
    const index = utf8(JSON.stringify(indexOf(blocks.map(({ cid }) => ({ "/": cid })))))
    const car = files.write("all.car", await carOf([{ cid: cidOf(DAG_JSON_CODE, index), bytes: index }, ...blocks]))
    const fromCar = await historyOf(car)
    isOutcome(fromCar, true, "a CAR")
    assert.strictEqual(JSON.parse(fromCar.stdout).commits.length, blocks.length)
  })

  it("that is any one of them, as its file and as its index, is one document", async () => {
    const folder = join(files.folder, "one")
    mkdirSync(folder)
    for (const { bytes, name } of lighter) {
      writeFileSync(join(folder, "history.json"), bytes())
      isOutcome(await historyOf(folder), true, name)
      isOutcome(await historyOf(join(folder, "history.json")), true, name)
    }
  })

  it("that fails half way is still one document, with the error in it, and exit code 2", () => {
    const source = {
      ...sourceOf([reportOf(0, committer), reportOf(3, committer)]),
      strays: () => {
        throw new RangeError("Maximum call stack size exceeded")
      }
    }
    for (const text of [jsonText(), plainText()]) {
      const said = { 1: "", 2: "" }
      const telling = {
        verifier: { verifyBytes: readReport },
        recorders: recordersIn(source, {}),
        backend: "noble",
        text
      } as const
      const code = tellHistory(source, { ...telling, say: (file, part) => (said[file] += part) })
      assert.strictEqual(code, 2)
      assert.match(said[2], /^treemark-verify: Nothing was decided.*report it/)
      if (said[1].startsWith("{")) {
        const document = JSON.parse(said[1])
        assert.deepStrictEqual(
          [document.commits.length, document.error.code, document.summary],
          [2, "internal", undefined]
        )
      } else assert.match(said[1], /This history was not checked to its end\.\n$/)
    }
  })
})

describe("the last line of defence", () => {
  it("makes one refusal of whatever nobody foresaw, and leaves what is foreseen as it is", () => {
    const known = new UnusableInput("usage", "x")
    assert.strictEqual(foreseen(known), known)
    for (const thrown of [
      new RangeError("deep"),
      "text",
      undefined,
      {
        toString: () => {
          throw new Error("no")
        }
      }
    ]) {
      const refusal = foreseen(thrown)
      assert.strictEqual(refusal.code, "internal")
      assert.match(refusal.message, /Nothing was decided.*Do not rely on this input.*report it/)
      assert.throws(
        () =>
          guarded(() => {
            throw thrown
          }),
        UnusableInput
      )
    }
  })

  it("stands behind the command, too: exit code 2, one line, and no stack", () => {
    const explain = () => {
      throw new RangeError("Maximum call stack size exceeded")
    }
    const failing = { ...environment, explaining: { explain, render: () => "" } }
    const run = runCli([good, "--explain", "--json"], failing)
    assert.strictEqual(run.exitCode, 2)
    assert.strictEqual(JSON.parse(run.stdout).error.code, "internal")
    assert.match(run.stderr, /^treemark-verify: Nothing was decided[^\n]*\n$/)
  })
})

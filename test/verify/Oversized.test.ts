/**
 * A proof of any content up to the limit of its size is answered in under a second and 200 MB, by a report or by the one documented
 * error, with an answer of a few kilobytes. Time is the processor's, as the machine may be busy with other things.
 */
import { spawnSync } from "node:child_process"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { parseProof } from "@treemark/core/verify"
import { INCLUSION_LIMIT, inclusionDocument } from "../../packages/core/src/proof/Inclusion.ts"
import { verifyProof } from "../../packages/verify/src/index.ts"
import { UnusableInput } from "../../packages/verify/src/UnusableInput.ts"
import { block } from "../core/verification/Block.ts"
import { document, utf8 } from "../core/verification/Fixtures.ts"
import { partOf } from "../layers/Long.ts"
import { scratch, stub } from "./Command.ts"
import { crafted, filled, forgedReceipt, type Oversized } from "./Oversized.ts"

const files = scratch()
afterAll(files.remove)

const MOST_SECONDS = 1
const MOST_MEGABYTES = 200
const LONGEST_ANSWER = 32 * 1024
const watcher = files.write(
  "watch.cjs",
  `process.on("exit", () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
    require("node:fs").writeSync(2, "\\nspent " + (userCPUTime + systemCPUTime) / 1e6 + " " + maxRSS / 1024)
  })`
)

/** Runs the built command, and says what is wrong with its answer. */
const problemsOf = ({ text, title }: Oversized, ...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const path = files.write("oversized.json", text())
  const run = spawnSync(process.execPath, ["--require", watcher, stub, path, "--json", ...args], {
    env: {},
    encoding: "utf8",
    timeout: 600_000,
    maxBuffer: 256 * 1024 * 1024
  })
  const [, seconds, megabytes] = /spent ([\d.]+) ([\d.]+)$/.exec(run.stderr) ?? []
  const answer: { readonly verdict?: string; readonly error?: object } = JSON.parse(run.stdout)
  const problems = [
    Number(seconds) < MOST_SECONDS ? "" : `${seconds} s`,
    Number(megabytes) < MOST_MEGABYTES ? "" : `${megabytes} MB`,
    run.stdout.length < LONGEST_ANSWER ? "" : `an answer of ${run.stdout.length} characters`,
    run.status === 0 || run.status === 1 || run.status === 2 || run.status === 3 ? "" : `exit code ${run.status}`,
    (answer.verdict === undefined) === (answer.error === undefined) ? "no answer" : ""
  ]
  return problems.filter((problem) => problem !== "").map((problem) => `${title}: ${problem}`)
}

/** Each filling and each place a few times, another sample for each. */
const sampled = filled.filter((_, at) => at % 23 === 7)

/** What a process of its own is made to read. */
const read = (what: string, proofs: ReadonlyArray<Oversized>) => partOf(what, proofs, 4)

describe("a proof as large as it may be", () => {
  it("is answered in a second and 200 MB, whatever its hashes, lists, numbers and texts are", () => {
    assert.deepStrictEqual(
      read("crafted proofs", crafted).flatMap((one) => problemsOf(one)),
      []
    )
  }, 300_000)

  it("is answered so whatever stands at any of its members", () => {
    assert.isAtLeast(sampled.length, 25)
    assert.deepStrictEqual(
      read("filled proofs", sampled).flatMap((one) => problemsOf(one)),
      []
    )
  }, 300_000)

  it("has a report or the one error of the library, too", () => {
    for (const { text, title } of crafted) {
      try {
        assert.include(["valid", "unconfirmed", "invalid"], verifyProof(text()).verdict, title)
      } catch (error) {
        assert.instanceOf(error, UnusableInput, title)
      }
    }
  }, 120_000)
})

describe("the limits", () => {
  it("leave room for the largest transaction that nodes pass on, with its receipt", async () => {
    const commitData = JSON.stringify({ more: "a".repeat(128 * 1024) })
    const { inclusion } = await block({ receipts: [utf8(commitData)], transactionIndex: 0 })
    const file = JSON.stringify({
      ...document,
      commit: { ...document.commit, commitData },
      ledger: {
        ...document.ledger,
        inclusion: {
          ...inclusionDocument(inclusion),
          transaction: inclusionDocument(inclusion).receipt,
          transactionPath: inclusionDocument(inclusion).receiptPath
        }
      }
    })
    assert.isTrue(parseProof(utf8(file)).ok)
  })

  it("count all parts of a proof of inclusion together", () => {
    const most = (bytes: number) => parseProof(utf8(forgedReceipt(new Uint8Array(bytes))))
    assert.isTrue(most(INCLUSION_LIMIT / 2 - 1024).ok)
    const refused = most(INCLUSION_LIMIT / 2)
    assert.deepStrictEqual(refused.ok ? [] : refused.problems.map(({ path }) => path), [
      "/ledger/inclusion/receiptPath"
    ])
  })
})

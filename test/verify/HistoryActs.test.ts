/** Whose work a history shows, and, apart from that, whose word it is what was done with it: the letter R, and recorders whose word is taken. */

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseAuthors, type Report } from "@treemark/core/verify"
import type { NamedRecorders } from "../../packages/verify/src/history/Recorders.ts"
import { findings, recordersIn } from "../../packages/verify/src/history/VerifyHistory.ts"
import { author, committer, stranger, utf8 } from "../core/verification/Fixtures.ts"
import { treemarkVerify } from "./Command.ts"
import { proofOfCommit, writeFolder } from "./HistoryFixtures.ts"
import { copied, readReport, reportOf, sourceOf } from "./HistoryReports.ts"
import { historyJson, keep } from "./HistoryRuns.ts"

const letters = (reports: ReadonlyArray<Report>, named: NamedRecorders = {}): string => {
  const source = sourceOf(reports)
  return [...findings(source, { verifyBytes: readReport }, recordersIn(source, named))]
    .map(({ status }) => status)
    .join("")
}
const authorsFile = (text: string) => {
  const reading = parseAuthors(utf8(text))
  if (!reading.ok) throw new Error(reading.message)
  return reading.authors
}
const proven = (report: Report, time: string): Report => ({
  ...report,
  time,
  provenance: { ...report.provenance, time: "ledger" }
})

describe("a commit of the author's tree by a stranger", () => {
  const reports = [reportOf(0, committer), reportOf(1, stranger), reportOf(2, committer)]

  it("is R, because the recorder of the first commit is the one expected where nobody is named", () => {
    assert.strictEqual(letters(reports), "GRG")
    assert.strictEqual(letters([reports[1]!, reports[2]!]), "GR")
  })

  it("is G when the reader names that recorder, in any letter case, and the others are then not", () => {
    assert.strictEqual(letters(reports, { recorders: [stranger.toLowerCase()] }), "RGR")
    assert.strictEqual(letters(reports, { recorders: [stranger, committer] }), "GGG")
    assert.strictEqual(letters(reports, { recorders: [author] }), "RRR")
    assert.strictEqual(letters(reports, { authors: authorsFile(`${stranger} Bob recorder\n${author} Ada\n`) }), "RGR")
  })

  it("is trusted by a line of the authors file only as that line says: not when it is no recorder's, revoked, or for another time", () => {
    assert.strictEqual(letters(reports, { authors: authorsFile(`${stranger} Bob\n`) }), "GRG")
    assert.strictEqual(
      letters(reports, { authors: authorsFile(`${stranger} Bob recorder revoked=2020-01-01\n`) }),
      "RRR"
    )
    const dated = { authors: authorsFile(`${stranger} Bob recorder valid-to=2024-01-01\n`) }
    assert.strictEqual(letters(reports, dated), "RRR")
    assert.strictEqual(letters([reports[0]!, proven(reports[1]!, "2023-06-01T00:00:00Z")], dated), "RG")
    assert.strictEqual(letters([reports[0]!, proven(reports[1]!, "2025-06-01T00:00:00Z")], dated), "RR")
  })

  it("is G when the author signed the act, whoever recorded it, and R when that act stands there already", () => {
    assert.strictEqual(letters([reports[0]!, copied(1, stranger)]), "GG")
    assert.strictEqual(letters([reports[0]!, copied(1, stranger), copied(2, stranger)]), "GGR")
    assert.strictEqual(letters([copied(0, committer), copied(2, committer)]), "GG")
  })
})

describe("the command", () => {
  const BY_ONE_KEY = [0, 3]
  const signer = proofOfCommit(0).commit.record.author
  const folder = () => {
    const proofs = BY_ONE_KEY.map((index) => proofOfCommit(index))
    const other = { ...proofs[1]!, ledger: { ...proofs[1]!.ledger, recorder: stranger } }
    const record = JSON.stringify({ ...other.commit.record, committer: stranger, abstract: "I sell all rights" })
    const commit = { record: JSON.parse(record), commitData: record }
    return writeFolder([{ proof: proofs[0]! }, { proof: { ...other, commit } }])
  }

  it("ends with 3 for an R, says whose word the act is, and that the first recorder was expected", () => {
    const path = keep(folder())
    const plain = treemarkVerify(["history", path])
    assert.strictEqual(plain.code, 3)
    assert.include(plain.stdout, `\nrecorder expected: ${committer}, because it recorded the first commit`)
    assert.match(
      plain.stdout,
      new RegExp(
        `\nR {4}2 .*\n +action-commit: "I sell all rights" \\(the word of ${stranger}: the author signed the tree, not this act\\)`
      )
    )
    assert.include(
      plain.stdout,
      "– unconfirmed: 2 commits: 1 good, 1 on a recorder's word. The first that is not good is number 2 of 2."
    )
    const { commits, recorders, summary } = historyJson(path)
    assert.deepStrictEqual(recorders, { from: "first-commit", trusted: [committer] })
    assert.deepInclude(commits[1].act, { by: "recorder", recorder: stranger, message: "I sell all rights" })
    assert.strictEqual(commits[1].answers.who, "unknown")
    assert.deepInclude(summary, { verdict: "unconfirmed", good: 1, recorded: 1, breaksAt: 2 })
  })

  it("takes the word of --recorder, and of recorders in the authors file", () => {
    const path = keep(folder())
    const file = join(path, "my.authors")
    writeFileSync(file, `${stranger} Bob recorder\n${committer} Studio recorder\n${signer} Ada\n`)
    const both = historyJson(path, "--recorder", stranger, "--recorder", committer)
    assert.strictEqual(both.code, 0)
    assert.deepStrictEqual(both.recorders, { from: "named", trusted: [stranger, committer] })
    assert.strictEqual(historyJson(path, "--authors", file).code, 0)
    assert.strictEqual(historyJson(path, "--recorder", author).code, 3)
    const wrong = treemarkVerify(["history", path, "--recorder", "bob"])
    assert.deepStrictEqual([wrong.code, /--recorder is an address/.test(wrong.stderr)], [2, true])
  })

  it("shows success only to who named the signer: otherwise it says that nobody confirmed the key", () => {
    const path = keep(writeFolder(BY_ONE_KEY.map((index) => ({ proof: proofOfCommit(index) }))))
    const unknown = treemarkVerify(["history", path]).stdout
    assert.match(unknown, /\nYou have not confirmed whose key signed: 0x.*\n\n… valid: 2 commits: 2 good\.\n/)
    assert.match(
      treemarkVerify(["history", path, "--author", String(signer)]).stdout,
      /\n✓ valid: 2 commits: 2 good\.\n/
    )
  })
})

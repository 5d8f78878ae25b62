/**
 * Proofs, histories, statements and pages that an earlier version made, held to the verdicts that it gave (test/vectors/made-by-80e359a).
 * Checks may be added; none may change its outcome but for the cases listed here, each with the section that decided it.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { runCli } from "../../packages/verify/src/Cli.ts"
import { scratch, treemarkVerify } from "./Command.ts"

const SET = resolve(import.meta.dirname, "../vectors/made-by-80e359a")

interface Judged {
  readonly verdict?: string
  readonly error?: string
  /** `OUTCOME CODE` by the check's name. */
  readonly checks?: { readonly [check: string]: string }
  readonly [member: string]: unknown
}

interface Case extends Judged {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly exitCode: number
  /** Of `bulk`, a judgement for each proof. */
  readonly results?: ReadonlyArray<Judged>
  /** Of `history`. */
  readonly letters?: string
  readonly problems?: ReadonlyArray<ReadonlyArray<string>>
}

type Change = Partial<Pick<Case, "exitCode" | "verdict" | "checks" | "letters">>

/** What was decided since, and what is said now. */
const CHANGED: { readonly [name: string]: { readonly section: string; readonly now: Change } } = {
  "full, authors dated": {
    section: "decisions.md, 10: a key with limits is judged by a proven time; a claimed one is not enough",
    now: { exitCode: 3, verdict: "unconfirmed", checks: { "signer-named": "fail signing_time_claimed" } }
  },
  "full, authors expired": {
    section: "decisions.md, 10: likewise",
    now: { checks: { "signer-named": "fail signing_time_claimed" } }
  },
  "full, authors not-yet": {
    section: "decisions.md, 10: likewise",
    now: { checks: { "signer-named": "fail signing_time_claimed" } }
  },
  "full, authors revoked-and-again": {
    section: "decisions.md, 10: revoked on any line of a key holds for every line of that key",
    now: { exitCode: 3, verdict: "unconfirmed", checks: { "signer-named": "fail signer_revoked" } }
  },
  "full, authors revoked-and-again, block known": {
    section: "decisions.md, 10: likewise",
    now: { exitCode: 3, verdict: "unconfirmed", checks: { "signer-named": "fail signer_revoked" } }
  },
  history: { section: "decisions.md, 10: the letter R, for a stranger's act", now: { letters: "GGGRN" } },
  "history as CAR": { section: "decisions.md, 10: likewise", now: { letters: "GGGRN" } },
  "history, block known": { section: "decisions.md, 10: likewise", now: { letters: "GGGRN" } }
}

const files = scratch()
afterAll(files.remove)

const unpacked = (name: string): Buffer => gunzipSync(readFileSync(join(SET, `${name}.gz`)))
const made: { readonly [argument: string]: string } = {
  "{lighthouse.car}": files.write("lighthouse.car", unpacked("lighthouse.car")),
  "{field.bin}": files.write(
    "field.bin",
    Uint8Array.from({ length: 600_000 }, (_, at) => (at * 31) & 255)
  )
}

const fileOf = (arg: string): string => made[arg] ?? (existsSync(join(SET, arg)) ? join(SET, arg) : arg)

/** A process for the commands that need one; the many that verify one proof share this one. */
const answered = (args: ReadonlyArray<string>): { readonly code: number | null; readonly stdout: string } => {
  if (["bulk", "history", "statement"].includes(args[0] ?? "")) return treemarkVerify(args)
  const { exitCode: code, stdout } = runCli(args, { version: "", colour: false })
  return { code, stdout }
}

const cases: ReadonlyArray<Case> = JSON.parse(readFileSync(join(SET, "cases.json"), "utf8"))

interface Said {
  readonly [member: string]: unknown
  readonly checks?: ReadonlyArray<{ readonly name: string; readonly outcome: string; readonly code: string }>
}

/** The members that `before` has, as they are said now. */
const sameMembers = (said: Said, before: Judged): Judged => {
  const checks = Object.fromEntries((said.checks ?? []).map(({ code, name, outcome }) => [name, `${outcome} ${code}`]))
  const value = (member: string): unknown => {
    switch (member) {
      case "checks":
        return Object.fromEntries(Object.keys(before.checks ?? {}).map((name) => [name, checks[name]]))
      case "error":
        return (said.error as { readonly code: string } | undefined)?.code
      default:
        return said[member]
    }
  }
  return Object.fromEntries(Object.keys(before).map((member) => [member, value(member)]))
}

const answerNow = (stdout: string, { args, letters, results, ...before }: Case): Judged => {
  const { exitCode: _, name: __, problems, ...judged } = before
  if (results !== undefined) {
    const lines = stdout.trim().split("\n")
    const said = lines.map((line) => JSON.parse(line) as Said).filter((line) => !("summary" in line))
    return { results: said.map((line, at) => sameMembers(line, results[at] ?? {})) }
  }
  const document = JSON.parse(stdout)
  if (letters === undefined) return sameMembers(document, judged)
  const commits: ReadonlyArray<{
    readonly status: string
    readonly problems: ReadonlyArray<{ readonly code: string }>
  }> = document.commits
  return {
    verdict: document.summary.verdict,
    letters: commits.map(({ status }) => status).join(""),
    problems: commits.map((commit) => commit.problems.map(({ code }) => code))
  }
}

describe("what 80e359a made, and what it said of it", () => {
  for (const before of cases) {
    it(before.name, () => {
      const { args, exitCode, name, ...judged } = before
      const { code, stdout } = answered([...args.map(fileOf), "--json"])
      const now = { exitCode: code, ...answerNow(stdout, before) }
      const change = CHANGED[name]?.now
      const changed = {
        ...judged,
        exitCode,
        ...change,
        ...(judged.checks === undefined ? {} : { checks: { ...judged.checks, ...change?.checks } })
      }
      assert.deepStrictEqual(now as object, changed)
    })
  }

  it("lists no change of a case that is not there", () => {
    assert.deepStrictEqual(
      Object.keys(CHANGED).filter((name) => !cases.some((one) => one.name === name)),
      []
    )
  })

  it("a page of then holds its proof where a page of today has it", () => {
    const page = unpacked("full.html").toString("utf8")
    const block = /<script type="application\/json" id="embedded-proof">([^<]*)<\/script>/u.exec(page)?.[1]
    const { fileName, proof } = JSON.parse(block ?? "null") as { readonly fileName: string; readonly proof: string }
    const { code, stdout } = answered([files.write(fileName, Buffer.from(proof, "base64")), "--json"])
    const full = cases.find(({ name }) => name === "full")!
    const { args: _, exitCode, name: __, ...judged } = full
    assert.strictEqual(code, exitCode)
    assert.deepStrictEqual(sameMembers(JSON.parse(stdout), judged), judged)
  })
})

/** Runs `treemark-verify history` for the tests, and says what its JSON shows in few words. */
import { rmSync } from "node:fs"
import { afterAll } from "@effect/vitest"
import { treemarkVerify } from "./Command.ts"
import { proofOfCommit } from "./HistoryFixtures.ts"

const made: Array<string> = []
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true })
})
export const keep = (path: string): string => {
  made.push(path)
  return path
}

export const history = (path: string, ...args: ReadonlyArray<string>) =>
  treemarkVerify(["history", keep(path), ...args])

export const historyJson = (path: string, ...args: ReadonlyArray<string>) => {
  const run = history(path, "--json", ...args)
  return { ...run, ...JSON.parse(run.stdout) }
}

export interface Problem {
  readonly code: string
  readonly at: string
}

/** Letters of the commits, codes at each, and codes beside them. */
export const shapeOf = ({
  commits,
  problems
}: {
  commits: ReadonlyArray<{ status: string; problems: ReadonlyArray<Problem> }>
  problems: ReadonlyArray<Problem>
}) => ({
  letters: commits.map(({ status }) => status).join(""),
  codes: commits.map((commit) => commit.problems.map(({ code }) => code)),
  strays: problems.map(({ code }) => code)
})

export const good = [0, 1, 2].map((index) => ({ proof: proofOfCommit(index) }))

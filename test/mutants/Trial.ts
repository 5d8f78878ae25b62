/**
 * A vitest that stays, for one change after another: each is made as the module is read, and nothing is written. Only what runs in the
 * process of the test is changed, so the tests named by mutants are those that need no process beside them.
 */
import { join } from "node:path"
import { createVitest, type TestModule } from "vitest/node"
import type { Mutant } from "./Mutant.ts"
import { placeProblem, repository } from "./Place.ts"

const conditions = ["@treemark/source", "node", "import", "module", "default"]
/** For the run without changes; with one, a single file runs. */
const WORKERS = 2
const PATIENCE_MILLISECONDS = 60_000

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&")

const sourceOf = ({ file }: Mutant): string => join(repository, "packages", file)
const testsOf = (mutant: Mutant): string => join(repository, "test", `${mutant.in}.test.ts`)

export interface Trial {
  /** Why the changes cannot be tried: the place is not there once, or the test is not there or fails without it; undefined for all others. */
  readonly unchanged: (mutants: ReadonlyArray<Mutant>) => Promise<ReadonlyArray<string | undefined>>
  /** Why the change was not noticed; undefined where the named test failed. */
  readonly changed: (mutant: Mutant) => Promise<string | undefined>
  readonly close: () => Promise<void>
}

export const startTrial = async (): Promise<Trial> => {
  let current: Mutant | undefined
  const vitest = await createVitest(
    {
      root: repository,
      config: false,
      watch: false,
      fsModuleCache: false,
      include: ["test/**/*.test.ts"],
      reporters: [{}],
      pool: "forks",
      maxWorkers: WORKERS,
      testTimeout: PATIENCE_MILLISECONDS,
      hookTimeout: PATIENCE_MILLISECONDS
    },
    {
      ssr: { resolve: { conditions, externalConditions: conditions } },
      plugins: [
        {
          name: "mutant",
          enforce: "pre",
          transform: (code, id) =>
            current !== undefined && id.split("?")[0] === sourceOf(current)
              ? code.replace(current.from, () => current?.to ?? "")
              : undefined
        }
      ]
    }
  )
  await vitest.standalone()
  const project = vitest.projects[0]!

  const run = async (tests: ReadonlyMap<string, ReadonlyArray<string>>): Promise<ReadonlyArray<TestModule>> => {
    const specifications = [...tests].map(([file, titles]) =>
      project.createSpecification(file, { testNamePattern: new RegExp(titles.map(escaped).join("|"), "u") })
    )
    return (await vitest.runTestSpecifications(specifications)).testModules
  }

  return {
    unchanged: async (mutants) => {
      const titles = Map.groupBy(mutants, testsOf)
      const modules = await run(new Map([...titles].map(([file, all]) => [file, all.map(({ test }) => test)])))
      return mutants.map((mutant) => {
        const problem = placeProblem(mutant)
        if (problem !== undefined) return problem
        const module = modules.find(({ moduleId }) => moduleId === testsOf(mutant))
        const found = [...(module?.children.allTests() ?? [])].filter(({ name }) => name.includes(mutant.test))
        if (found.length === 0)
          return `test/${mutant.in}.test.ts has no test with ${JSON.stringify(mutant.test)} in its title`
        const other = found.find((test) => test.result().state !== "passed")?.result().state
        return other === undefined ? undefined : `the test is ${other} without the change: ${failureOf(module)}`
      })
    },
    changed: async (mutant) => {
      current = mutant
      vitest.invalidateFile(sourceOf(mutant))
      const modules = await run(new Map([[testsOf(mutant), [mutant.test]]]))
      const module = modules.find(({ moduleId }) => moduleId === testsOf(mutant))
      current = undefined
      vitest.invalidateFile(sourceOf(mutant))
      const named = [...(module?.children.allTests() ?? [])].filter(({ name }) => name.includes(mutant.test))
      if (named.length === 0) return `the changed code cannot be run: ${failureOf(module)}`
      return named.some((test) => test.result().state === "failed") ? undefined : "no test noticed it"
    },
    close: () => vitest.close()
  }
}

const failureOf = (module: TestModule | undefined): string => {
  const errors = [
    ...(module?.errors() ?? []),
    ...[...(module?.children.allTests() ?? [])].flatMap((test) => test.result().errors ?? [])
  ]
  return errors[0]?.message ?? "no error was told"
}

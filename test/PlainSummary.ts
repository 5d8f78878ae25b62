/**
 * A reporter that ends a run with one plain line, `N passed, N failed`, for readers that are not people; before it, one that names the programs
 * for want of which tests were skipped.
 */
import type { Reporter, TestModule } from "vitest/node"
import { missingLine } from "./layers/Parts.ts"

export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const count = (state: string) => states.filter((found) => found === state).length
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length
    const skipped = count("skipped")
    const missing = skipped === 0 ? undefined : missingLine()
    process.stdout.write(
      `\n${missing === undefined ? "" : `${missing}\n\n`}${count("passed")} passed, ${count("failed") + broken} failed${skipped === 0 ? "" : `, ${skipped} skipped`}\n`
    )
  }
}

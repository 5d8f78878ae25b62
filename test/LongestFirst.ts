/**
 * The order of the test files: those that take long begin first, so that the run does not end with one worker waiting for the other. vitest
 * knows how long a file took only where it ran before; on a fresh checkout this list does.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** By how long they take on two idle cores, longest first. */
const LONGEST = [
  "daemon/Postgres",
  "faults/CrashMatrix",
  "faults/Ledger",
  "faults/Environment",
  "faults/Kill",
  "daemon/commits/Replicas",
  "end-to-end/MainJob",
  "end-to-end/Export",
  "verify/Backends",
  "end-to-end/ExportCutOff",
  "web/VerifyPage",
  "daemon/devchain/Durability",
  "readme",
  "fuzz/Fuzz",
  "verify/Doors",
  "verify/Oversized",
  "requirements/Errors",
  "packages"
]

/** Those whose files have a process each come first, as the longest are among them. */
const PROJECTS = ["alone", "shared", "pure"]

export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return found < 0 ? LONGEST.length : found
    }
    // A worker is kept for the next file only where that is of the same project.
    const group = ({ project }: TestSpecification): number => PROJECTS.indexOf(project.name)
    return (await super.sort(files)).sort((a, b) => group(a) - group(b) || rank(a) - rank(b))
  }
}

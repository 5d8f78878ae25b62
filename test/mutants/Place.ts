/** Whether the place of a mutant is where the list says. */
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Mutant } from "./Mutant.ts"

export const repository = resolve(import.meta.dirname, "../..")

/** Why a mutant cannot be made: a place that moved is named, so that the list follows the code. */
export const placeProblem = ({ file, from, to }: Mutant): string | undefined => {
  let text: string
  try {
    text = readFileSync(join(repository, "packages", file), "utf8")
  } catch {
    return `packages/${file} is not there any more: name the file that took over its duty`
  }
  const times = text.split(from).length - 1
  if (times !== 1) return `packages/${file} has the place ${times} times, not once: ${JSON.stringify(from)}`
  return from === to ? "it changes nothing" : undefined
}

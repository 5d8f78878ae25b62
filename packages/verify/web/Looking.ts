/** The first look at what was given: each file with its kind, before any of it is used. */
import type { NamedFile } from "./Giving.ts"
import { kindOf } from "./Kind.ts"
import type { Given, Problem } from "./Sorting.ts"

/** The files with their kinds; a problem when the browser cannot read one. */
export const looked = async (files: ReadonlyArray<NamedFile>): Promise<ReadonlyArray<Given> | Problem> => {
  const given: Array<Given> = []
  for (const { file, name } of files) {
    const kind = await kindOf(file).catch((error: unknown) => {
      if (error instanceof DOMException) return undefined
      throw error
    })
    if (kind === undefined) return unreadable([name])
    given.push({ file, name, kind })
  }
  return given
}

/** Files that the browser cannot read. */
export const unreadable = (names: ReadonlyArray<string>): Problem => ({
  headline: "notRead",
  sentences: [{ key: "unreadable", values: { file: names } }]
})

/** A virtual environment of Python for one peer, from a file of `python/` that pins every package by its version and hash. */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { kept, run } from "./Cache.ts"

const FILES = join(import.meta.dirname, "../python")

/** The folder of the environment's programs. It is made in its place, as its programs hold their own path: a mark says that it is whole. */
export const pythonFolder = async (name: string): Promise<string> => {
  const file = join(FILES, `${name}.txt`)
  const version = hash("sha256", readFileSync(file)).slice(0, 12)
  const mark = await kept(`python/${name}-${version}.whole`, async (draft) => {
    const folder = draft.replace(/\/draft-[^/]*\/it$/u, `/${name}-${version}`)
    await run("python3", ["-m", "venv", "--clear", folder])
    await run(join(folder, "bin/pip"), ["install", "--quiet", "--require-hashes", "--no-deps", "-r", file])
    await run("touch", [draft])
  })
  return join(mark.replace(/\.whole$/u, ""), "bin")
}

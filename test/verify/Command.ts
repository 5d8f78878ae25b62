/** Runs the real `treemark-verify` as a process of its own, the way a person's shell would. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { repository, TREEMARK_VERIFY } from "../layers/Built.ts"

export { repository }
export const stub = TREEMARK_VERIFY

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly bin?: string
  readonly cwd?: string
}

/** No variable of the test run reaches the command: it needs none. */
export const treemarkVerify = (args: ReadonlyArray<string>, options: RunOptions = {}): Run => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [options.bin ?? stub, ...args], {
    input: options.input ?? "",
    env: options.env ?? {},
    cwd: options.cwd,
    encoding: "utf8",
    timeout: 300_000,
    maxBuffer: 64 * 1024 * 1024
  })
  return { code: status, stdout, stderr }
}

/** A folder of its own for one test file, with a writer for files in it. */
export const scratch = () => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-verify-"))
  return {
    folder,
    write: (name: string, content: string | Uint8Array): string => {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}

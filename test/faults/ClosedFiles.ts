/** Files that are closed to a program that has them open already, which even root is then refused: a store that cannot be written. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const chattr = (flag: "+i" | "-i", files: ReadonlyArray<string>): boolean =>
  spawnSync("chattr", [flag, ...files], { stdio: "ignore" }).status === 0

/** Whether that can be had here. */
export const canClose = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-closed-"))
  const file = join(folder, "file")
  const opened = openSync(file, "w")
  try {
    if (!chattr("+i", [file])) return false
    writeSync(opened, "written all the same")
    return false
  } catch {
    return true
  } finally {
    chattr("-i", [file])
    rmSync(folder, { recursive: true })
  }
})()

if (!canClose)
  process.stderr.write("skipped: books that cannot be written, because chattr +i does not close files here\n")

/** Small disks of their own for tests that fill them or find them closed: a tmpfs each, which takes a user who may mount. */
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, statfsSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const mount = (folder: string, options: string): boolean =>
  spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status === 0

/** Whether this user may mount a tmpfs; where not, it is said once and tests that need one are skipped. */
export const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "treemark-mount-"))
  const mounted = mount(folder, "size=64k")
  if (mounted) spawnSync("umount", [folder])
  rmdirSync(folder)
  return mounted
})()

if (!canMount) process.stderr.write("skipped: a full and a read-only disk, because this user may not mount a tmpfs\n")

/** A small disk of its own, unmounted with the scope. */
export const disk = (options: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "treemark-disk-"))
      if (!mount(folder, options)) throw new Error("the disk could not be mounted")
      return folder
    }),
    (folder) =>
      Effect.sync(() => {
        spawnSync("umount", ["-l", folder])
        rmdirSync(folder)
      })
  )

/** Takes every free block of the disk. */
export const fill = (file: string) => {
  const opened = openSync(file, "w")
  try {
    for (let size = 1 << 16; size >= 1; size >>= 1) {
      const chunk = Buffer.alloc(size, 1)
      while (statfsSync(file).bavail > 0) {
        try {
          writeSync(opened, chunk)
        } catch {
          break
        }
      }
    }
  } finally {
    closeSync(opened)
  }
}

/** Import in a process of its own: its memory while a large file passes through, and a disk that is full. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tempFolder } from "../store/TempStore.ts"

const PROGRAM = [
  process.execPath,
  "--conditions=@treemark/source",
  fileURLToPath(new URL("./ImportProcess.ts", import.meta.url))
] as const

const run = ([command = "", ...words]: ReadonlyArray<string>): SpawnSyncReturns<string> =>
  spawnSync(command, words, { encoding: "utf8" })

/** A file system of 4 MiB needs a mount, which some machines do not grant. */
const IN_SMALL_DISK = [
  "unshare",
  "--map-root-user",
  "--mount",
  "sh",
  "-c",
  'mount -t tmpfs -o size=4m tmpfs "$0" && exec "$@"'
]
const mayMount = run([...IN_SMALL_DISK, "/mnt", "true"]).status === 0

describe("import of a large file", () => {
  it.live("of 300 MiB raises the memory by less than 100 MiB", () =>
    Effect.gen(function* () {
      const { stdout, stderr } = run([...PROGRAM, join(yield* tempFolder, "blocks"), "300"])
      assert.notStrictEqual(stdout, "", stderr)
      const report = JSON.parse(stdout)
      assert.strictEqual(report.size, 300 << 20)
      assert.isBelow(report.rise, 100)
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!mayMount)(
    "ends with the store unavailable and the reason ENOSPC when the disk is full, and leaves no draft",
    () =>
      Effect.gen(function* () {
        const disk = join(yield* tempFolder, "disk")
        mkdirSync(disk)
        const { stdout, stderr } = run([...IN_SMALL_DISK, disk, ...PROGRAM, join(disk, "blocks"), "20"])
        assert.notStrictEqual(stdout, "", stderr)
        const report = JSON.parse(stdout)
        assert.strictEqual(report.failed, "StorageUnavailable")
        assert.match(report.cause, /ENOSPC/)
        assert.strictEqual(report.drafts, 0)
      }).pipe(Effect.scoped)
  )
})

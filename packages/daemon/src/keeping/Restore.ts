/**
 * Puts a backup into an empty data folder: everything is copied beside it and checked there (hashes, block names, SQLite's own integrity
 * check), then moved into place in one step. Refused as a whole when anything is not as the backup says.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Schema } from "effect"
import { RestoreRefused } from "./BackupErrors.ts"
import { copyBlocks } from "./BlockCopies.ts"
import { BLOCKS_FOLDER, MANIFEST_FILE, Manifest, sha256OfFile } from "./Manifest.ts"

const decodeManifest = Schema.decodeUnknownEffect(Schema.fromJsonString(Manifest))

/** Restores the backup in `folder` into `home`, which is missing or empty. Answers the backup's manifest. */
export const restore = Effect.fn("Restore.restore")(function* (folder: string, home: string) {
  const refused = (problem: string) => new RestoreRefused({ folder, home, problem })
  const attempt = <A>(work: () => Promise<A>) =>
    Effect.tryPromise({
      try: work,
      catch: (cause) =>
        cause instanceof RestoreRefused ? cause : refused(`${cause instanceof Error ? cause.message : String(cause)}.`)
    })

  const text = yield* attempt(() => readFile(join(folder, MANIFEST_FILE), "utf8")).pipe(
    Effect.mapError(() => refused(`it has no ${MANIFEST_FILE} that can be read, so it is no finished backup.`))
  )
  const manifest = yield* decodeManifest(text).pipe(
    Effect.mapError((error) => refused(`its ${MANIFEST_FILE} is damaged or of another version (${error.message}).`))
  )
  const inHome = yield* attempt(() => entriesOf(home))
  if (inHome.length > 0) {
    return yield* refused(
      `a backup goes into an empty data folder, and this one holds ${inHome.slice(0, 3).join(", ")}. Name another one with --home, or move what is there away.`
    )
  }
  const draft = join(dirname(home), `.restoring-${randomUUID()}`)
  yield* attempt(async () => {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    for (const file of manifest.files) {
      const path = join(draft, file.name)
      await copyFile(join(folder, file.name), path, constants.COPYFILE_EXCL)
      await chmod(path, 0o600)
      if ((await stat(path)).size !== file.size || (await sha256OfFile(path)) !== file.sha256) {
        throw refused(`its ${file.name} is damaged: size or sha256 is not what ${MANIFEST_FILE} says.`)
      }
      if (file.name.endsWith(".db"))
        checkDatabase(path, (problem) => refused(`its ${file.name} is damaged: ${problem}.`))
    }
    const blocks = await copyBlocks(join(folder, BLOCKS_FOLDER), join(draft, BLOCKS_FOLDER), true)
    if (blocks.count !== manifest.blocks.count) {
      throw refused(`it holds ${blocks.count} blocks, and ${MANIFEST_FILE} names ${manifest.blocks.count}.`)
    }
    await mkdir(dirname(home), { recursive: true })
    await rmdir(home).catch(() => undefined)
    await rename(draft, home)
  }).pipe(Effect.tapError(() => Effect.promise(() => rm(draft, { recursive: true, force: true }))))
  return manifest
})

const entriesOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

const checkDatabase = (path: string, refused: (problem: string) => RestoreRefused): void => {
  const database = new DatabaseSync(path)
  try {
    const found = Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {})[0]
    if (found !== "ok") throw refused(`SQLite says ${String(found)}`)
  } finally {
    database.close()
  }
}

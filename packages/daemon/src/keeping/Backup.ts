/**
 * A live copy of everything a data folder holds: books, chains, blocks, seed and settings, as of one moment. While the embedded chains
 * are copied nothing is written to the books (their one connection is taken), so no commit is in the one and not in the other; blocks are
 * copied last, because they are only ever added. Open databases are copied by SQLite itself, never as files.
 */
import { constants } from "node:fs"
import { chmod, copyFile, mkdir, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { backup, type DatabaseSync } from "node:sqlite"
import type { NetworkRole } from "@treemark/core"
import { Clock, Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import packageJson from "../../package.json" with { type: "json" }
import { LocalChains } from "../devchain/LocalChains.ts"
import { writeOnce } from "../store/PrivateFile.ts"
import { readerOf, Snapshot } from "../store/Snapshot.ts"
import { BackupFailed, BackupFolderTaken } from "./BackupErrors.ts"
import { copyBlocks } from "./BlockCopies.ts"
import { BACKUP_MEDIA_TYPE, BLOCKS_FOLDER, MANIFEST_FILE, Manifest, sha256OfFile } from "./Manifest.ts"
import { dumpPostgres } from "./PostgresDump.ts"

/** All pages in one step: a copy in several steps starts over whenever the database is written to. */
const ALL_PAGES = 2 ** 31 - 1

export interface BackupRequest {
  /** A folder that is new or empty, absolute. */
  readonly folder: string
  /** Without it, what opens the seed has to be kept elsewhere. */
  readonly withKey: boolean
}

/** What a backup has to find: the data folder, and where database and blocks are when they are elsewhere. */
export interface BackupPlaces {
  readonly home: string
  readonly profile: string
  readonly databaseUrl: Option.Option<unknown>
  readonly contentUrl: Option.Option<string>
  readonly contentFolder: Option.Option<string>
}

export class Backup extends Context.Service<
  Backup,
  {
    readonly run: (request: BackupRequest) => Effect.Effect<Manifest, BackupFailed | BackupFolderTaken>
  }
>()("@treemark/daemon/keeping/Backup") {
  static readonly layer = (
    places: BackupPlaces
  ): Layer.Layer<Backup, never, SqlClient.SqlClient | Snapshot | LocalChains> => Layer.effect(Backup, make(places))
}

const make = Effect.fnUntraced(function* (settings: BackupPlaces) {
  const sql = yield* SqlClient.SqlClient
  const snapshot = yield* Snapshot
  const { chains } = yield* LocalChains

  const copyChains = (folder: string) =>
    Effect.forEach(
      Object.entries(chains) as ReadonlyArray<[NetworkRole, NonNullable<(typeof chains)[NetworkRole]>]>,
      ([role, chain]) =>
        attempt(folder, () => chain.request({ method: "treemark_backup", params: [join(folder, `chain-${role}.db`)] })),
      { discard: true }
    )

  const copyStore = (folder: string) =>
    sql.onDialectOrElse({
      pg: () =>
        dumpPostgres(sql, snapshot, join(folder, "treemark.db"), copyChains(folder)).pipe(
          Effect.mapError(told(folder))
        ),
      orElse: () =>
        Effect.gen(function* () {
          const reader: DatabaseSync = yield* sql.withTransaction(Effect.tap(readerOf(sql), () => copyChains(folder)))
          yield* attempt(folder, () => backup(reader, join(folder, "treemark.db"), { rate: ALL_PAGES }))
        }).pipe(Effect.scoped, Effect.mapError(told(folder)))
    })

  const notes = (withKey: boolean, copied: ReadonlyArray<string>): ReadonlyArray<string> => [
    ...(Option.isSome(settings.databaseUrl)
      ? [
          "The books were in PostgreSQL and are a SQLite file here. Restored, they are an installation of their own: unset TREEMARK_DATABASE_URL (and database_url in treemark.toml) before it is started, or move it into an empty database first: treemarkd export --to postgres://…"
        ]
      : []),
    ...(Option.isSome(settings.contentUrl)
      ? [`The blocks are at ${settings.contentUrl.value} and not in this folder: they stay where they are.`]
      : []),
    ...(copied.includes("seed.key")
      ? ["This folder opens all wallets: seed.json and seed.key are both in it. Keep it as you would keep money."]
      : [
          withKey
            ? "The seed is opened by the password in the settings (seed_password), which is not in this folder."
            : "What opens the seed is not in this folder: keep seed.key or the password elsewhere, and put seed.key back after restoring."
        ])
  ]

  const run = Effect.fn("Backup.run")(function* ({ folder, withKey }: BackupRequest) {
    yield* attempt(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }))
    if ((yield* attempt(folder, () => readdir(folder))).length > 0) return yield* new BackupFolderTaken({ folder })
    yield* copyStore(folder)
    const plain = ["seed.json", "treemark.toml", ...(withKey ? ["seed.key"] : [])]
    yield* Effect.forEach(plain, (name) => attempt(folder, () => copyIfThere(settings.home, folder, name)))
    const files = yield* attempt(folder, () => describe(folder))
    const source = Option.getOrElse(settings.contentFolder, () => join(settings.home, BLOCKS_FOLDER))
    const blocks = Option.isSome(settings.contentUrl)
      ? { count: 0, bytes: 0 }
      : yield* attempt(folder, () => copyBlocks(source, join(folder, BLOCKS_FOLDER), false))
    const manifest: Manifest = {
      mediaType: BACKUP_MEDIA_TYPE,
      version: packageJson.version,
      createdAt: DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)),
      profile: settings.profile,
      files,
      blocks,
      notes: notes(
        withKey,
        files.map(({ name }) => name)
      )
    }
    const text = yield* Effect.orDie(encodeManifest(manifest))
    yield* attempt(folder, () => writeOnce(join(folder, MANIFEST_FILE), `${text}\n`))
    return manifest
  })
  return Backup.of({ run })
})

/** Whatever went wrong, as the failure of this backup. */
const told =
  (folder: string) =>
  (error: { readonly message: string }): BackupFailed =>
    error instanceof BackupFailed
      ? error
      : new BackupFailed({ folder, problem: `${error.message.replace(/\.$/u, "")}.` })

const encodeManifest = Schema.encodeEffect(Schema.fromJsonString(Manifest))

const attempt = <A>(folder: string, work: () => Promise<A>): Effect.Effect<A, BackupFailed> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new BackupFailed({ folder, problem: `${cause instanceof Error ? cause.message : String(cause)}.` })
  }).pipe(Effect.uninterruptible)

const copyIfThere = async (home: string, folder: string, name: string): Promise<void> => {
  try {
    await copyFile(join(home, name), join(folder, name), constants.COPYFILE_EXCL)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
}

/** Every file of the backup with its size and hash; only their owner may read them from here on. */
const describe = async (folder: string): Promise<Manifest["files"]> => {
  const names = (await readdir(folder)).sort()
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      await chmod(path, 0o600)
      return { name, size: (await stat(path)).size, sha256: await sha256OfFile(path) }
    })
  )
}

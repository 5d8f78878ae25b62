/** A real store file in a folder of its own, removed with the scope, and ways to open it in this process or in another one. */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Migrations from "../../../packages/daemon/src/store/Migrations.ts"
import * as Sqlite from "../../../packages/daemon/src/store/Sqlite.ts"

/** A folder for one test. */
export const tempFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "treemark-store-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** The migrated store of `filename`. */
export const storeLayer = (filename: string) => Migrations.layer.pipe(Layer.provideMerge(Sqlite.layer({ filename })))

/** Runs `use` on a fresh migrated store. */
export const withStore = <A, E>(use: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    return yield* use.pipe(Effect.provide(storeLayer(join(folder, "treemark.db"))))
  }).pipe(Effect.scoped)

/** A second process on `filename`: `hold` keeps the store open, `write` commits rows and prints each after its commit. */
export const spawnWriter = (mode: "hold" | "write", filename: string): ChildProcessByStdio<null, Readable, null> =>
  spawn(
    process.execPath,
    ["--conditions=@treemark/source", fileURLToPath(new URL("./WriterProcess.ts", import.meta.url)), mode, filename],
    { stdio: ["ignore", "pipe", "inherit"] }
  )

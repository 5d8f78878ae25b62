/** `treemarkd migrate`: the store's tables to this program's version, told step by step. `start` does the same by itself. */

import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { SqlClient } from "effect/sql"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { LATEST, migrate, type Step, stepsBetween, versionOf } from "../store/Migrations.ts"
import * as Postgres from "../store/Postgres.ts"
import { openedReader } from "../store/Snapshot.ts"
import { client, storeFile, toldByDatabase } from "../store/Store.ts"
import { CommandFailed, EXIT, explain } from "./Failures.ts"
import { print } from "./Output.ts"
import { sharedFlags } from "./Root.ts"

export const migrateCommand = Command.make(
  "migrate",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDescription("Change nothing; exit code 1 when something is pending"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  ({ check }) =>
    Effect.gen(function* () {
      const { home, json } = yield* sharedFlags
      const settings = settingsLayer(home === undefined ? {} : { home })
      yield* Effect.gen(function* () {
        const told = toldByDatabase(yield* Settings)
        if (check) yield* Effect.mapError(looked(json), told)
        else yield* Effect.mapError(migrated(json), told)
      }).pipe(Effect.provide(settings))
    }).pipe(Effect.mapError(explain))
).pipe(
  Command.withDescription("Bring the store's tables to this version; forward only, all steps or none"),
  Command.withExamples([
    { command: "treemarkd migrate --check", description: "What an upgrade would do; beside a running daemon too" },
    { command: "treemarkd migrate", description: "Do it; treemarkd start would do it as well" }
  ])
)

interface Outcome {
  readonly before: number
  readonly after: number
  readonly latest: number
  readonly steps: ReadonlyArray<Step>
}

const tell = (json: boolean, outcome: Outcome, text: string) => print(json, outcome, text)

const stepsText = (steps: ReadonlyArray<Step>): string =>
  steps.map(({ name, version, what }) => `${String(version).padStart(4, "0")} ${name}: ${what}`).join("\n")

const migrated = (json: boolean) =>
  Effect.gen(function* () {
    const before = yield* versionOf
    yield* migrate
    const steps = stepsBetween(before, LATEST)
    const text =
      steps.length === 0
        ? `The store is of version ${before} already, the newest this treemarkd knows. Nothing was changed.`
        : `The store was of version ${before} and is now of version ${LATEST}:\n${stepsText(steps)}`
    yield* tell(json, { before, after: LATEST, latest: LATEST, steps }, text)
  }).pipe(Effect.provide(Layer.unwrap(Effect.map(Settings, client))))

const looked = (json: boolean) =>
  Effect.gen(function* () {
    const before = yield* Effect.scoped(versionNow)
    const steps = stepsBetween(before, LATEST)
    const outcome = { before, after: before, latest: LATEST, steps }
    if (steps.length === 0) {
      return yield* tell(json, outcome, `The store is of version ${before}, the newest this treemarkd knows.`)
    }
    return yield* new CommandFailed({
      code: "migration_pending",
      message: `${before === 0 ? NO_STORE : pendingText(before)} Pending:\n${stepsText(steps)}`,
      exitCode: EXIT.failed,
      document: { ...outcome, steps: steps.map((step) => ({ ...step })) }
    })
  })

const NO_STORE = `There are no tables yet. treemarkd migrate, or start, makes a store of version ${LATEST}.`

const pendingText = (before: number): string =>
  `The store is of version ${before}, and this treemarkd brings it to ${LATEST}. Take a backup with the old version (treemarkd backup DIR), then run treemarkd migrate, or start.`

/** The store's version, read beside whoever has it open. */
const versionNow = Effect.gen(function* () {
  const settings = yield* Settings
  const file = storeFile(settings.home)
  if (Option.isSome(settings.databaseUrl)) {
    const layer = Postgres.layer({ url: settings.databaseUrl.value, connections: 1 })
    return yield* Effect.provide(versionOf, layer)
  }
  if (!existsSync(file)) return 0
  const reader = yield* openedReader(Effect.sync(() => new DatabaseSync(file, { readOnly: true })))
  return yield* Effect.provideService(versionOf, SqlClient.SqlClient, reader)
})

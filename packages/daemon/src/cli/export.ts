/** `treemarkd export --to postgres://…`: an embedded installation's books move to PostgreSQL. The daemon must be stopped. */

import { existsSync } from "node:fs"
import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer, Option, type Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { type Exported, exportStore, undoExport } from "../keeping/ExportStore.ts"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { migrate } from "../store/Migrations.ts"
import * as Sqlite from "../store/Sqlite.ts"
import { storeFile } from "../store/Store.ts"
import { CommandFailed, EXIT, explain, failed } from "./Failures.ts"
import { print } from "./Output.ts"
import { sharedFlags } from "./Root.ts"

export const exportCommand = Command.make(
  "export",
  {
    to: Flag.Redacted("to").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription(
        "An empty database: postgres://USER:PASSWORD@HOST:PORT/DATABASE (default: TREEMARK_DATABASE_URL)"
      ),
      Flag.optional
    ),
    undo: Flag.Boolean("undo").pipe(
      Flag.withDescription("Go on with the file instead, as it was when it was moved"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  ({ to, undo }) =>
    Effect.gen(function* () {
      const { home, json } = yield* sharedFlags
      yield* (undo ? takenBack(json) : moved(json, to)).pipe(
        Effect.provide(embeddedStore),
        Effect.provide(settingsLayer(home === undefined ? {} : { home }))
      )
    }).pipe(Effect.mapError(explain))
).pipe(
  Command.withDescription("Move the books of this data folder to PostgreSQL; stop the daemon first"),
  Command.withExamples([
    {
      command: "treemarkd export --to postgres://treemark@db.example.org/treemark",
      description: "All of it or nothing; a password is better given in TREEMARK_DATABASE_URL"
    },
    { command: "treemarkd export --undo", description: "Back to the file, without what was done since" }
  ])
)

/** The file in the data folder, whatever database the settings name, and nobody else with it. */
const embeddedStore = Layer.unwrap(
  Effect.gen(function* () {
    const { home } = yield* Settings
    const filename = storeFile(home)
    if (!existsSync(filename)) {
      return yield* failed(
        "no_store",
        `There is no ${filename}, so nothing can be moved. Name the data folder with --home.`
      )
    }
    return Sqlite.layer({ filename })
  })
)

const moved = Effect.fnUntraced(function* (json: boolean, to: Option.Option<Redacted.Redacted<string>>) {
  const { contentFolder, contentUrl, databaseUrl, home } = yield* Settings
  const url = Option.orElse(to, () => databaseUrl)
  if (Option.isNone(url)) {
    return yield* new CommandFailed({
      code: "usage",
      message: "Name the database with --to postgres://USER:PASSWORD@HOST:PORT/DATABASE, or set TREEMARK_DATABASE_URL.",
      exitCode: EXIT.usage
    })
  }
  const done = yield* Effect.scoped(exportStore(url.value)).pipe(Effect.provide(NodeCrypto.layerSecureRandom))
  const content = Option.getOrElse(contentUrl, () => Option.getOrElse(contentFolder, () => `${home}/blocks`))
  yield* print(json, { ...done }, exportedText(done, home, content))
})

const exportedText = ({ hadArrived, place, rows, tables }: Exported, home: string, content: string): string =>
  [
    hadArrived
      ? `Everything had arrived in ${place} already, by the run before.`
      : `${rows} rows of ${tables} tables are in ${place} now, compared one by one; the books balance there.`,
    "",
    "What to do next:",
    `1. Set TREEMARK_DATABASE_URL (or database_url in ${home}/treemark.toml) to that database, then: treemarkd start`,
    "2. See whether all is well: treemarkd audit",
    `What stays where it is: the seed of the wallets and the embedded chains in ${home}, the content in ${content}.`,
    "The old file is marked as moved and is not opened any more; remove it when you no longer need it. Back to it: treemarkd export --undo"
  ].join("\n")

const takenBack = Effect.fnUntraced(function* (json: boolean) {
  yield* migrate
  const place = yield* undoExport
  yield* print(
    json,
    { undone: true, place },
    `The file in this data folder is used again, as of its move to ${place}. Commits made there since are on the ledger and not in these books: use this only when nothing was, and unset TREEMARK_DATABASE_URL.`
  )
})

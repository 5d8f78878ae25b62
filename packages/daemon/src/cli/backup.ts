/** `treemarkd backup DIR` and `treemarkd restore DIR`: a whole installation into a folder, while it runs, and back. */
import { resolve } from "node:path"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { homeFolder } from "../HomeFolder.ts"
import type { Manifest } from "../keeping/Manifest.ts"
import { restore } from "../keeping/Restore.ts"
import { explain } from "./Failures.ts"
import { facts, print } from "./Output.ts"
import { sharedFlags, withAdmin } from "./Root.ts"

export const backupCommand = Command.make(
  "backup",
  {
    folder: Argument.String("dir").pipe(Argument.withDescription("A new or empty folder on the daemon's machine")),
    withKey: Flag.Boolean("key").pipe(
      Flag.withDescription("Copy seed.key too; --no-key leaves out what opens the wallets"),
      Flag.withDefault(true)
    )
  },
  ({ folder, withKey }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const path = resolve(folder)
        const manifest = yield* client.books.backup({ payload: { folder: path, withKey } })
        yield* print(
          json,
          { folder: path, ...manifest },
          `${manifestText(path, manifest)}\n\nTo use it: treemarkd restore ${path} --home NEW_FOLDER`
        )
      })
    )
).pipe(
  Command.withDescription("Copy books, chains, blocks, seed and settings into a folder, while the daemon runs"),
  Command.withExamples([
    { command: "treemarkd backup /var/backups/treemark-2026-11-21", description: "Everything as of this moment" }
  ])
)

export const restoreCommand = Command.make(
  "restore",
  { folder: Argument.String("dir").pipe(Argument.withDescription("A folder that treemarkd backup made")) },
  ({ folder }) =>
    Effect.gen(function* () {
      const { home, json } = yield* sharedFlags
      const target = homeFolder(home)
      const manifest = yield* restore(resolve(folder), target)
      yield* print(
        json,
        { home: target, ...manifest },
        `${manifestText(target, manifest)}\n\nStart it with: treemarkd start --home ${target}. See then whether all is well: treemarkd audit`
      )
    }).pipe(Effect.mapError(explain))
).pipe(
  Command.withDescription("Put a backup into an empty data folder, checked against its hashes"),
  Command.withExamples([
    {
      command: "treemarkd restore /var/backups/treemark-2026-11-21 --home /srv/treemark",
      description: "Into a new folder"
    }
  ])
)

const manifestText = (folder: string, { blocks, createdAt, files, notes }: Manifest): string =>
  [
    facts([
      ["folder", folder],
      ["as of", createdAt],
      ["files", files.map(({ name }) => name).join(", ")],
      ["blocks", `${blocks.count} (${blocks.bytes} bytes)`]
    ]),
    ...notes
  ].join("\n")

/** `treemarkd wallet …`: the service's wallet, and the words behind every wallet. Words are read and shown, never arguments. */
import { existsSync } from "node:fs"
import { NodeCrypto } from "@effect/platform-node"
import { Console, Effect, Option, Redacted, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { readDaemonFile } from "../admin/DaemonFile.ts"
import { storeFile } from "../Services.ts"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { layer as migrationsLayer } from "../store/Migrations.ts"
import { layer as sqliteLayer } from "../store/Sqlite.ts"
import { Seed } from "../wallets/Seed.ts"
import { facts, failed, print } from "./Output.ts"
import { sharedFlags, withAdmin } from "./Root.ts"

const show = Command.make("show", {}, () =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const wallet = yield* client.wallet.show()
      yield* print(
        json,
        wallet,
        facts([["committer", wallet.committer], ...wallet.balances.map((one) => [one.name, one.balance] as const)])
      )
    })
  )
).pipe(Command.withDescription("Show the service's own wallet (the committer) and its balances"))

const backup = Command.make(
  "backup",
  {
    yes: Flag.Boolean("yes").pipe(
      Flag.withDescription("Show the words without asking; whoever reads them owns every wallet here"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  ({ yes }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        if (!yes) {
          return yield* failed(
            "not_confirmed",
            "The backup shows 24 words, and whoever reads them owns every wallet of this daemon. When nobody looks over your shoulder, run: treemarkd wallet backup --yes"
          )
        }
        const { words } = yield* client.wallet.backup()
        yield* print(json, { words }, words)
        yield* Console.error(
          "Write these words on paper, in this order. treemarkd wallet restore brings the wallets back from them."
        )
      })
    )
).pipe(Command.withDescription("Show the 24 words (BIP-39) that bring all wallets back"))

const restore = Command.make("restore", {}, () =>
  Effect.gen(function* () {
    const { home, json } = yield* sharedFlags
    const settings = yield* Effect.provide(Settings, settingsLayer(home === undefined ? {} : { home }))
    if (Option.isSome(yield* readDaemonFile(settings.home))) {
      return yield* failed(
        "running",
        "The daemon is running with its seed. Stop it first (treemarkd stop), then restore."
      )
    }
    const stdio = yield* Stdio.Stdio
    const words = (yield* stdio.stdin.pipe(Stream.decodeText(), Stream.mkString)).trim().split(/\s+/).join(" ")
    const place = { home: settings.home, password: Option.getOrUndefined(settings.seedPassword) }
    const id = yield* Seed.restore(
      { ...place, expectedId: yield* seedIdOfStore(settings.home) },
      Redacted.make(words, { label: "seed words" })
    ).pipe(Effect.provide(NodeCrypto.layerSecureRandom))
    yield* print(json, { seedId: id }, `The wallets' seed ${id} is in place. Start the daemon with: treemarkd start`)
  }).pipe(Effect.mapError((error) => (error._tag === "CommandFailed" ? error : failed(error._tag, error.message))))
).pipe(
  Command.withDescription("Bring the wallets back from their words, read from standard input"),
  Command.withExamples([
    { command: "treemarkd wallet restore < words.txt", description: "Into a data folder that has no seed" }
  ])
)

/** The seed an existing store belongs to; undefined when there is no store yet. */
const seedIdOfStore = (home: string) =>
  existsSync(storeFile(home))
    ? Seed.idOfStore.pipe(Effect.provide(migrationsLayer), Effect.provide(sqliteLayer({ filename: storeFile(home) })))
    : Effect.succeed(undefined)

export const walletCommand = Command.make("wallet").pipe(
  Command.withDescription("The service's wallet and the backup of all wallets"),
  Command.withSubcommands([show, backup, restore])
)

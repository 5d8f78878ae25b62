/** `treemarkd wallet …`: the service's wallet, and the words behind every wallet. Words are read and shown, never arguments. */
import { existsSync } from "node:fs"
import { NodeCrypto } from "@effect/platform-node"
import { Console, Effect, Option, Redacted, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { readDaemonFile } from "../admin/DaemonFile.ts"
import { Settings, layer as settingsLayer } from "../Settings.ts"
import { type StorePlace, storeFile, layer as storeLayer } from "../store/Store.ts"
import { Seed } from "../wallets/Seed.ts"
import { explain, failed } from "./Failures.ts"
import { facts, print } from "./Output.ts"
import { sharedFlags, withAdmin } from "./Root.ts"

const show = Command.make("show", {}, () =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const wallet = yield* client.wallet.show()
      yield* print(
        json,
        wallet,
        wallet.committers
          .map(({ address, balances }) =>
            facts([["committer", address], ...balances.map((one) => [one.name, one.balance] as const)])
          )
          .join("\n\n")
      )
    })
  )
).pipe(
  Command.withDescription("Show the wallets that send commits (the first is the service's own) and their balances"),
  Command.withExamples([{ command: "treemarkd wallet show", description: "Do they still have gas?" }])
)

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
).pipe(
  Command.withDescription("Show the 24 words (BIP-39) that bring all wallets back"),
  Command.withExamples([
    { command: "treemarkd wallet backup --yes", description: "When nobody looks over your shoulder" }
  ])
)

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
    if (yield* stdio.stdinIsTerminal) yield* Console.error("Type the words, then Enter and Ctrl-D:")
    const words = (yield* stdio.stdin.pipe(Stream.decodeText(), Stream.mkString)).trim().split(/\s+/).join(" ")
    const place = { home: settings.home, password: Option.getOrUndefined(settings.seedPassword) }
    const id = yield* Seed.restore(
      { ...place, expectedId: yield* seedIdOfStore(settings) },
      Redacted.make(words, { label: "seed words" })
    ).pipe(Effect.provide(NodeCrypto.layerSecureRandom))
    yield* print(json, { seedId: id }, `The wallets' seed ${id} is in place. Start the daemon with: treemarkd start`)
  }).pipe(Effect.mapError(explain))
).pipe(
  Command.withDescription("Bring the wallets back from their words, read from standard input"),
  Command.withExamples([
    { command: "treemarkd wallet restore < words.txt", description: "Into a data folder that has no seed" }
  ])
)

/** The seed an existing store belongs to; undefined when there is no store yet. */
const seedIdOfStore = (place: StorePlace) =>
  Option.isSome(place.databaseUrl) || existsSync(storeFile(place.home))
    ? Effect.provide(Seed.idOfStore, storeLayer(place))
    : Effect.succeed(undefined)

export const walletCommand = Command.make("wallet").pipe(
  Command.withDescription("The service's wallet and the backup of all wallets"),
  Command.withSubcommands([show, backup, restore])
)

/** `treemarkd log ASSET_CID`: every commit of an asset that the ledger has, a line each, and the export of their proofs. */
import { type HistoryDocument, STATUS_LETTERS, STATUS_MEANINGS } from "@treemark/core"
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { colours } from "./Colours.ts"
import { emptyFolder, writeCar, writeFolder } from "./HistoryExport.ts"
import { assetArgument, networkFlag, recordersFlag } from "./HistoryFlags.ts"
import { readLog } from "./LogPages.ts"
import { documentOf, emptyText, type Log, type LoggedCommit, lineOf, summaryOf } from "./LogText.ts"
import { assetCidOf } from "./NamedAsset.ts"
import { printableJson } from "./Printable.ts"
import { withAdmin } from "./Root.ts"

const Limit = Schema.Int.check(Schema.isGreaterThan(0))

export const logCommand = Command.make(
  "log",
  {
    asset: assetArgument,
    network: networkFlag,
    recorders: recordersFlag,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("Only so many of the newest commits"),
      Flag.withMetavar("N"),
      Flag.withSchema(Limit),
      Flag.optional
    ),
    proofs: Flag.String("proofs").pipe(
      Flag.withDescription("Folder to export the proofs into, with history.json, which lists them"),
      Flag.withMetavar("DIR"),
      Flag.optional
    ),
    car: Flag.String("car").pipe(
      Flag.withDescription("CAR file to export the same into"),
      Flag.withMetavar("FILE"),
      Flag.optional
    )
  },
  ({ asset, car, limit, network, proofs, recorders }) =>
    withAdmin(
      Effect.fnUntraced(function* (admin, { json }) {
        if (Option.isSome(proofs)) yield* emptyFolder(proofs.value)
        const assetCid = yield* assetCidOf(admin, asset)
        const paint = yield* colours
        const printPage = (page: ReadonlyArray<LoggedCommit>) =>
          page.length === 0 || json ? Effect.void : Console.log(page.map((commit) => lineOf(commit, paint)).join("\n"))
        const asked = { assetCid, network, limit: Option.getOrUndefined(limit), recorders }
        const log = yield* readLog(admin, asked, printPage)
        if (!json && log.commits.length === 0) yield* Console.log(emptyText(assetCid, log))
        const exported =
          log.commits.length === 0 || (Option.isNone(proofs) && Option.isNone(car))
            ? undefined
            : yield* Effect.scoped(exportTo(admin, { assetCid, ...log }, proofs, car))
        if (json) return yield* Console.log(printableJson(documentWith(assetCid, log, exported)))
        if (exported !== undefined) yield* Console.log(exportText(exported))
        if (process.stderr.isTTY) yield* Console.error(summaryOf(log.commits))
      })
    )
).pipe(
  Command.withShortDescription("List the commits of an asset, by anybody, newest last"),
  Command.withDescription(
    `List the commits of an asset, by anybody, newest last

  A line each: its number (with --limit how many are after it, ~0 is the last), its letter, transaction, block, the block's time, author, action and message.
  The letters: ${STATUS_LETTERS.map((letter) => `${letter} ${STATUS_MEANINGS[letter]}`).join("; ")}.
  In brackets stand whose word it is what was done, and why a commit is not G; docs/proof-format.md explains each code.`
  ),
  Command.withExamples([
    { command: "treemarkd log photo.jpg", description: "What was done with the asset, and what of it holds" },
    {
      command: "treemarkd log bafkrei… --limit 10 --network testnet",
      description: "The newest ten on the test network"
    },
    {
      command: "treemarkd log bafkrei… --proofs history",
      description: "All proofs, for: npx @treemark/verify history history"
    }
  ])
)

interface Exported {
  readonly history: HistoryDocument
  readonly folder: string | undefined
  readonly car: string | undefined
}

const exportTo = Effect.fnUntraced(function* (
  admin: Parameters<typeof readLog>[0],
  log: Log & { readonly assetCid: string },
  proofs: Option.Option<string>,
  car: Option.Option<string>
) {
  const files = yield* FileSystem.FileSystem
  const folder = Option.isSome(proofs) ? proofs.value : yield* files.makeTempDirectoryScoped({ prefix: "treemarkd-" })
  const history = yield* writeFolder(admin, log, folder)
  if (Option.isSome(car)) yield* writeCar(history, folder, car.value)
  return { history, folder: Option.getOrUndefined(proofs), car: Option.getOrUndefined(car) } satisfies Exported
})

const withoutProof = ({ commits }: HistoryDocument): number => commits.filter(({ proof }) => proof === null).length

const exportText = ({ car, folder, history }: Exported): string => {
  const missing = withoutProof(history)
  const note = missing === 0 ? "" : `, ${missing} without its tree and so without a proof`
  return [folder, car]
    .flatMap((where) =>
      where === undefined
        ? []
        : [
            `${where} written: ${history.commits.length} commits${note}. Anybody can check it offline: npx @treemark/verify history ${where}`
          ]
    )
    .join("\n")
}

const documentWith = (assetCid: string, log: Log, exported: Exported | undefined) => ({
  ...documentOf(assetCid, log),
  ...(exported === undefined
    ? {}
    : {
        exported: {
          folder: exported.folder ?? null,
          car: exported.car ?? null,
          proofs: log.commits.length - withoutProof(exported.history),
          withoutProof: withoutProof(exported.history)
        }
      })
})

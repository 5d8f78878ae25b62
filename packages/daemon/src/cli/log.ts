/** `treemarkd log ASSET_CID`: every commit of an asset that the ledger has, a line each, and the export of their proofs. */
import { type HistoryDocument, STATUS_LETTERS, STATUS_MEANINGS, type StatusLetter } from "@treemark/core"
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { type Colours, colours, type Paint } from "./Colours.ts"
import { emptyFolder, writeCar, writeFolder } from "./HistoryExport.ts"
import { assetCidArgument, networkFlag, recordersFlag } from "./HistoryFlags.ts"
import { type LoggedCommit, readLog } from "./LogPages.ts"
import { printable, printableJson } from "./Printable.ts"
import { withAdmin } from "./Root.ts"

const Limit = Schema.Int.check(Schema.isGreaterThan(0))

export const logCommand = Command.make(
  "log",
  {
    assetCid: assetCidArgument,
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
  ({ assetCid, car, limit, network, proofs, recorders }) =>
    withAdmin(
      Effect.fnUntraced(function* (admin, { json }) {
        if (Option.isSome(proofs)) yield* emptyFolder(proofs.value)
        const paint = yield* colours
        const printPage = (page: ReadonlyArray<LoggedCommit>) =>
          page.length === 0 || json ? Effect.void : Console.log(page.map((commit) => lineOf(commit, paint)).join("\n"))
        const asked = { assetCid, network, limit: Option.getOrUndefined(limit), recorders }
        const log = yield* readLog(admin, asked, printPage)
        if (!json && log.commits.length === 0) yield* Console.log(`No commits of ${assetCid} on ${log.network.name}.`)
        const exported =
          log.commits.length === 0 || (Option.isNone(proofs) && Option.isNone(car))
            ? undefined
            : yield* Effect.scoped(exportTo(admin, { assetCid, ...log }, proofs, car))
        if (json) return yield* Console.log(printableJson(documentOf(assetCid, log, exported)))
        if (exported !== undefined) yield* Console.log(exportText(exported))
        if (process.stderr.isTTY) yield* Console.error(summaryOf(log.commits))
      })
    )
).pipe(
  Command.withDescription(
    `List the commits of an asset, by anybody, newest last

  A line each: its number (with --limit how many are after it, ~0 is the last), its letter, transaction, block, the block's time, author, action and message.
  The letters: ${STATUS_LETTERS.map((letter) => `${letter} ${STATUS_MEANINGS[letter]}`).join("; ")}.
  In brackets stand whose word it is what was done, and why a commit is not G; docs/proof-format.md explains each code.`
  ),
  Command.withExamples([
    { command: "treemarkd log bafkrei…", description: "What was done with the asset, and what of it holds" },
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

type Log = Effect.Success<ReturnType<typeof readLog>>

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

const documentOf = (assetCid: string, { commits, network }: Log, exported: Exported | undefined) => ({
  assetCid,
  network,
  commits: commits.map(({ commitData, index, name: _, ...commit }) => ({ index, ...commit, ...recordOf(commitData) })),
  ...(exported === undefined
    ? {}
    : {
        exported: {
          folder: exported.folder ?? null,
          car: exported.car ?? null,
          proofs: commits.length - withoutProof(exported.history),
          withoutProof: withoutProof(exported.history)
        }
      })
})

const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

const recordOf = (commitData: string) =>
  Option.match(decodeRecord(commitData), { onNone: () => ({ commitData }), onSome: (commit) => ({ commit }) })

const LETTERS: Readonly<Record<StatusLetter, keyof Colours>> = {
  G: "green",
  R: "yellow",
  U: "yellow",
  B: "red",
  N: "faint"
}

const lineOf = (commit: LoggedCommit, paint: Colours): string => {
  const letter: Paint = paint[LETTERS[commit.status]]
  const { codes, reason } = commit
  const why = [...wordOf(commit), ...(reason === null ? [] : [reason]), ...(commit.status === "N" ? bad(codes) : codes)]
  return [
    commit.name.padStart(4),
    letter(commit.status),
    paint.yellow(printable(commit.txHash.slice(0, 10))),
    String(commit.blockNumber).padStart(8),
    commit.time.replace(/\.000Z$/u, "Z").padEnd(20),
    printable(commit.author ?? "nobody", 64).padEnd(42),
    printable(commit.action ?? "-", 64),
    paint.strong(printable(commit.abstract ?? "", 120)),
    ...(why.length === 0 ? [] : [paint.faint(`[${why.map((part) => printable(part, 200)).join(" ")}]`)])
  ]
    .join("  ")
    .trimEnd()
}

/** Whose word the act is, where the tree is its author's. */
const wordOf = ({ recorder, status, word }: LoggedCommit): ReadonlyArray<string> => {
  if (word === "author") return ["act signed by the author"]
  if (status === "R") return [`the word of ${recorder}, not the author's`]
  return word === "recorder" ? [`recorded by ${recorder}`] : []
}

/** Without the tree nearly everything is open; only what is wrong already is worth a word. */
const bad = (codes: ReadonlyArray<string>): ReadonlyArray<string> => codes.filter((code) => code !== "tree_not_given")

const summaryOf = (commits: ReadonlyArray<LoggedCommit>): string => {
  const counts = STATUS_LETTERS.map((letter) => [letter, commits.filter(({ status }) => status === letter).length])
  const told = counts.filter(([, count]) => count !== 0).map(([letter, count]) => `${count} ${letter}`)
  return `${commits.length} ${commits.length === 1 ? "commit" : "commits"}${told.length === 0 ? "" : `: ${told.join(", ")}`}`
}

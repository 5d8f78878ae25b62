/** `treemarkd add PATH…`: registers and commits files and folders, each file once, however often it is run. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { GrantedTokens } from "../accounts/GrantedTokens.ts"
import { AccountName } from "../admin/AccountName.ts"
import { type Admin, onlyAccount } from "./AddAccount.ts"
import { type Added, type Adding, addFiles } from "./add/AddFiles.ts"
import { summaryOf } from "./add/Outcome.ts"
import { type Walked, walk } from "./add/Walk.ts"
import { watchFolders } from "./add/Watch.ts"
import { CommandFailed, EXIT } from "./Failures.ts"
import { withAdmin } from "./Root.ts"

/** Code points, as the rules of a request count. */
const upTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => {
      const count = [...text].length
      return count >= 1 && count <= most ? undefined : `must have 1 to ${most} characters; this one has ${count}`
    })
  )

const said = (name: string, metavar: string, description: string, most: number) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.withMetavar(metavar),
    Flag.withSchema(upTo(most)),
    Flag.optional
  )

const choice = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false), Flag.withoutNegation)

const LONGEST_TEXT = 10_000

export const addCommand = Command.make(
  "add",
  {
    paths: Argument.String("path").pipe(Argument.withDescription("Files and folders"), Argument.variadic({ min: 1 })),
    account: Flag.String("account").pipe(
      Flag.withDescription("Account that commits and pays (default: the only one)"),
      Flag.withMetavar("NAME"),
      Flag.withSchema(AccountName),
      Flag.optional
    ),
    recursive: choice("recursive", "Also what is in the folders below"),
    creator: said("creator", "NAME", "Who made them (default: as each file says, else the account's name)", 21),
    license: said("license", "NAME|URL", "Their licence: a name of at most 21 characters, or its address", 2_000),
    headline: said("headline", "TEXT", "Their title", LONGEST_TEXT),
    abstract: said("abstract", "TEXT", "Their caption, at most 255 characters", 255),
    limit: Flag.String("limit").pipe(
      Flag.withDescription(
        "Native tokens that all runs with a limit may spend in a day of UTC (default: as the account has)"
      ),
      Flag.withMetavar("AMOUNT"),
      Flag.withSchema(GrantedTokens),
      Flag.optional
    ),
    message: said("message", "TEXT", "What this commit is for", LONGEST_TEXT),
    dryRun: choice("dry-run", "Only say what would be committed, and for how much"),
    watch: choice("watch", "Stay, and add what comes into the folders once it stopped growing")
  },
  ({ account, dryRun, limit, paths, recursive, watch, ...words }) =>
    withAdmin(
      Effect.fnUntraced(function* (admin: Admin, { json }) {
        const adding: Adding = {
          admin,
          account: Option.getOrElse(account, () => "") || (yield* onlyAccount(admin)),
          words: Object.fromEntries(
            Object.entries(words).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
          ),
          isDryRun: dryRun,
          dailyLimit: Option.getOrUndefined(limit),
          json
        }
        yield* licenseFits(adding.words.license)
        const added = yield* addFiles(adding, yield* Effect.promise(() => listed(paths, recursive)))
        yield* tellSummary(added, json)
        if (watch && !dryRun) yield* watchFolders(adding, { paths, recursive, first: added })
        if (added.counts.failed > 0) return yield* someFailed(added, json)
      })
    )
).pipe(
  Command.withShortDescription("Register and commit files, each once"),
  Command.withDescription(
    `Register and commit files, each once

  A file that this account has committed with the same words is passed over and costs nothing, under whatever name, so the same
  command again does only what is missing. When a file was made, and by whom, is read from its EXIF and XMP.`
  ),
  Command.withExamples([
    { command: "treemarkd add holiday --dry-run", description: "What a folder would cost" },
    { command: "treemarkd add holiday --recursive --license CC-BY-4.0", description: "A folder and those below it" },
    {
      command: "treemarkd add ~/Pictures/out --watch --limit 5",
      description: "Whatever is put there from now on, for at most 5 a day"
    }
  ])
)

const LONGEST_LICENSE = 21

const licenseFits = (license: string | undefined) =>
  license === undefined || /^https?:\/\//u.test(license) || [...license].length <= LONGEST_LICENSE
    ? Effect.void
    : new CommandFailed({
        code: "usage",
        message: `--license takes a name of at most ${LONGEST_LICENSE} characters, or an address that begins with https://.`,
        exitCode: EXIT.usage
      })

const listed = async (paths: ReadonlyArray<string>, recursive: boolean): Promise<ReadonlyArray<Walked>> => {
  const all: Array<Walked> = []
  for await (const walked of walk(paths, recursive)) all.push(walked)
  return all
}

const tellSummary = ({ counts }: Added, json: boolean) =>
  Console.log(json ? JSON.stringify({ summary: counts }) : summaryOf(counts))

/** Each file's reason was told; the end says only that there are some. */
const someFailed = ({ counts, ended }: Added, json: boolean) =>
  new CommandFailed({
    code: ended?.code ?? "some_failed",
    message:
      counts.failed === 1
        ? "1 file was not committed; its line says why and what to do."
        : `${counts.failed} files were not committed; their lines say why and what to do.`,
    exitCode: ended?.code === "unavailable" ? EXIT.unavailable : EXIT.failed,
    isTold: json
  })

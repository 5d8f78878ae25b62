/** `treemarkd diff ASSET_CID [FROM] [TO]`: what changed in the tree and in the record between two commits of an asset. */
import { changesOf, type JsonValue, jsonPatchOf } from "@treemark/core"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { DiffSide } from "../admin/HistoryApi.ts"
import { type Colours, colours } from "./Colours.ts"
import { assetArgument, networkFlag } from "./HistoryFlags.ts"
import { assetCidOf } from "./NamedAsset.ts"
import { printable, printableJson } from "./Printable.ts"
import { withAdmin } from "./Root.ts"

const commitArgument = (name: string, description: string, fallback: string) =>
  Argument.String(name).pipe(Argument.withDescription(description), Argument.withDefault(fallback))

export const diffCommand = Command.make(
  "diff",
  {
    asset: assetArgument,
    from: commitArgument("from", "The older commit (default ~1, the one before the last)", "~1"),
    to: commitArgument("to", "The newer commit (default ~0, the last)", "~0"),
    network: networkFlag
  },
  ({ asset, network, ...names }) =>
    withAdmin(
      Effect.fnUntraced(function* (admin, { json }) {
        const assetCid = yield* assetCidOf(admin, asset)
        const {
          from,
          network: on,
          to
        } = yield* admin.client.history.diff({ params: { assetCid }, query: { network, ...names } })
        if (json) return yield* Console.log(printableJson(documentOf(assetCid, on, from, to)))
        yield* Console.log(textOf(from, to, yield* colours).join("\n"))
      })
    )
).pipe(
  Command.withShortDescription("Show what changed between two commits of an asset, in its tree and in the record"),
  Command.withDescription(
    `Show what changed between two commits of an asset, in its tree and in the record

  A commit is named by its number in the log (1), from the last back (~1), the start of its transaction's hash, or
  its assetTreeCid. With --json the changes are two JSON Patches (RFC 6902).`
  ),
  Command.withExamples([
    { command: "treemarkd diff photo.jpg", description: "What the last commit changed" },
    { command: "treemarkd diff bafkrei… 1 ~0 --json", description: "From the first to the last, as JSON Patch" }
  ])
)

const placeOf = ({ record: _, tree: __, treeMissing: ___, ...place }: DiffSide) => place

/** Why the trees cannot be compared; undefined when they can. */
const missingOf = (from: DiffSide, to: DiffSide): string | undefined => from.treeMissing ?? to.treeMissing ?? undefined

const documentOf = (assetCid: string, network: unknown, from: DiffSide, to: DiffSide) => {
  const missing = missingOf(from, to)
  return {
    assetCid,
    network,
    from: placeOf(from),
    to: placeOf(to),
    tree: missing === undefined ? jsonPatchOf(from.tree as JsonValue, to.tree as JsonValue) : null,
    ...(missing === undefined ? {} : { treeMissing: missing }),
    record: jsonPatchOf(from.record as JsonValue, to.record as JsonValue)
  }
}

const LONGEST_VALUE = 2_000

const textOf = (from: DiffSide, to: DiffSide, paint: Colours): ReadonlyArray<string> => {
  const missing = missingOf(from, to)
  const isSameTree = from.assetTreeCid === to.assetTreeCid
  const tree =
    missing !== undefined
      ? [`  ${printable(missing)}`]
      : changeLines(
          from.tree as JsonValue,
          to.tree as JsonValue,
          paint,
          isSameTree ? "the same tree" : "the same members, written in another way"
        )
  return [
    paint.red(`--- ${nameOf(from)}`),
    paint.green(`+++ ${nameOf(to)}`),
    paint.strong("tree"),
    ...tree,
    paint.strong("record"),
    ...changeLines(from.record as JsonValue, to.record as JsonValue, paint, "the same record")
  ]
}

const nameOf = ({ assetTreeCid, blockNumber, index, txHash }: DiffSide): string =>
  `${index === null ? "" : `${index}  `}${printable(txHash)}  block ${blockNumber}  ${printable(assetTreeCid ?? "no tree")}`

const changeLines = (from: JsonValue, to: JsonValue, paint: Colours, same: string): ReadonlyArray<string> => {
  const changes = changesOf(from, to)
  if (changes.length === 0) return [`  ${paint.faint(same)}`]
  return changes.flatMap(({ after, before, path }) => [
    ...(before === undefined ? [] : [paint.red(`- ${lineOf(path, before)}`)]),
    ...(after === undefined ? [] : [paint.green(`+ ${lineOf(path, after)}`)])
  ])
}

const lineOf = (path: string, value: JsonValue): string =>
  `${printable(path, LONGEST_VALUE)}: ${printable(printableJson(value), LONGEST_VALUE)}`

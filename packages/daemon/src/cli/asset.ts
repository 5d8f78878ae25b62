/** `treemarkd asset …`: registration, from a file (streamed) or by the names of content that lives elsewhere. */
import { basename } from "node:path"
import { setFlagsFromString } from "node:v8"
import { Effect, FileSystem, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { RegisteredAsset } from "../content/Assets.ts"
import type { Admin } from "./Admin.ts"
import { CommandFailed, EXIT, failed, unreadable } from "./Failures.ts"
import { facts, print, table } from "./Output.ts"
import { progressBar } from "./Progress.ts"
import { withAdmin } from "./Root.ts"

const assetText = (asset: RegisteredAsset): string =>
  facts([
    ["asset", asset.assetCid],
    ["sha256", asset.assetSha256],
    ["type", asset.encodingFormat],
    ["size", asset.size === null ? "not told" : `${asset.size} bytes`]
  ])

const register = Command.make(
  "register",
  {
    file: Argument.String("file").pipe(Argument.withDescription("File to register"), Argument.optional),
    cid: Flag.String("cid").pipe(Flag.withDescription("CID of content that lives elsewhere"), Flag.optional),
    sha256: Flag.String("sha256").pipe(Flag.withDescription("sha256 of that content, 64 hex digits"), Flag.optional),
    type: Flag.String("type").pipe(Flag.withDescription("MIME type (default: read off the content)"), Flag.optional),
    size: Flag.Int("size").pipe(Flag.withDescription("Size in bytes of content that lives elsewhere"), Flag.optional)
  },
  ({ file, cid, sha256, type, size }) =>
    withAdmin(
      Effect.fnUntraced(function* (admin, { json }) {
        if (Option.isSome(file)) {
          const asset = yield* registerFile(admin, file.value, Option.getOrUndefined(type), json)
          return yield* print(json, asset, assetText(asset))
        }
        if (Option.isNone(cid) || Option.isNone(sha256)) {
          return yield* new CommandFailed({
            code: "usage",
            message: "Name a FILE to register, or --cid and --sha256 of content that lives elsewhere.",
            exitCode: EXIT.usage
          })
        }
        const asset = yield* admin.client.assets.registerElsewhere({
          payload: {
            assetCid: cid.value,
            assetSha256: sha256.value,
            encodingFormat: Option.getOrElse(type, () => "application/octet-stream"),
            size: Option.getOrNull(size)
          }
        })
        yield* print(json, asset, assetText(asset))
      })
    )
).pipe(
  Command.withDescription("Register an asset, so that it can be committed"),
  Command.withExamples([
    { command: "treemarkd asset register photo.jpg", description: "Import a file of any size" },
    {
      command: "treemarkd asset register --cid bafy… --sha256 63560b… --type image/png",
      description: "Content that lives elsewhere"
    }
  ])
)

/**
 * Keeps V8's young generation as small as it starts: chunks that were written are garbage outside its heap, which it would
 * otherwise collect too late, and a long file would take a hundred megabytes more.
 */
const keepMemoryLow = () => setFlagsFromString("--semi-space-growth-factor=1")

/** Streams the file to the daemon, with a progress bar on a terminal. */
const registerFile = Effect.fnUntraced(function* (
  admin: Admin["Service"],
  path: string,
  type: string | undefined,
  json: boolean
) {
  const files = yield* FileSystem.FileSystem
  const facts = yield* Effect.mapError(files.stat(path), (error) => unreadable(path, error))
  if (facts.type !== "File") return yield* failed("unreadable", `${path} is not a file.`)
  const size = Number(facts.size)
  yield* Effect.mapError(files.access(path, { readable: true }), (error) => unreadable(path, error))
  keepMemoryLow()
  const progress = yield* progressBar(`registering ${basename(path)}`, size, !json)
  const bytes = files.stream(path, { chunkSize: 1 << 18 }).pipe(Stream.tap((chunk) => progress.advance(chunk.length)))
  const file = { bytes, fileName: basename(path), contentType: type, size }
  return yield* Effect.ensuring(admin.register(file), progress.end)
})

const list = Command.make("list", {}, () =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const assets = yield* client.assets.list()
      yield* print(
        json,
        { assets },
        table(
          ["ASSET", "TYPE", "SIZE", "SHA256"],
          assets.map((asset) => [asset.assetCid, asset.encodingFormat, String(asset.size ?? "-"), asset.assetSha256]),
          "No assets yet. Register one with: treemarkd asset register FILE"
        )
      )
    })
  )
).pipe(
  Command.withDescription("List the registered assets"),
  Command.withExamples([{ command: "treemarkd asset list", description: "What can be committed" }])
)

export const assetCommand = Command.make("asset").pipe(
  Command.withDescription("Registered assets"),
  Command.withSubcommands([register, list])
)

/** `treemarkd proof ASSET_TREE_CID`: writes the one file that offline verification needs. */
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { unwritable } from "./Failures.ts"
import { print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const TreeCid = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9]+$/u, { message: "must be a CID, such as the assetTreeCid that a commit answered" })
)

export const proofCommand = Command.make(
  "proof",
  {
    assetTreeCid: Argument.String("asset-tree-cid").pipe(
      Argument.withDescription("CID of the asset tree, from the commit's answer"),
      Argument.withSchema(TreeCid)
    ),
    out: Flag.String("out").pipe(
      Flag.withDescription("File to write (default: standard output)"),
      Flag.withMetavar("FILE"),
      Flag.optional
    )
  },
  ({ assetTreeCid, out }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const { proof } = yield* client.operations.proof({ params: { assetTreeCid } })
        if (Option.isNone(out)) return yield* Console.log(proof)
        const files = yield* FileSystem.FileSystem
        yield* Effect.mapError(files.writeFileString(out.value, `${proof}\n`), (error) => unwritable(out.value, error))
        yield* print(
          json,
          { assetTreeCid, file: out.value },
          `${out.value} written. Anybody can check it offline: npx treemark-verify ${out.value}`
        )
      })
    )
).pipe(
  Command.withDescription("Write the proof of a commit, for offline verification"),
  Command.withExamples([
    { command: "treemarkd proof baguqeera… --out photo.proof.json", description: "Write the proof into a file" }
  ])
)

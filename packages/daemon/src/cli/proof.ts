/** `treemarkd proof ASSET_TREE_CID`: writes the one file that offline verification needs. */
import { proofPage } from "@treemark/verify"
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { verifyPage } from "../http/verify/VerifyPage.ts"
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
    html: Flag.Boolean("html").pipe(
      Flag.withDescription("Write a page with the proof inside, which anybody opens in a browser to see it verified"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    out: Flag.String("out").pipe(
      Flag.withDescription("File to write (default: standard output)"),
      Flag.withMetavar("FILE"),
      Flag.optional
    )
  },
  ({ assetTreeCid, html, out }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const { proof } = yield* client.operations.proof({ params: { assetTreeCid } })
        const text = html ? pageOf(yield* verifyPage, proof, assetTreeCid) : proof
        if (Option.isNone(out)) return yield* Console.log(text)
        const files = yield* FileSystem.FileSystem
        yield* Effect.mapError(files.writeFileString(out.value, `${text}\n`), (error) => unwritable(out.value, error))
        yield* print(
          json,
          { assetTreeCid, file: out.value },
          html
            ? `${out.value} written. Anybody can check it offline: open it in a browser, with the asset at hand.`
            : `${out.value} written. Anybody can check it offline: npx @treemark/verify ${out.value}`
        )
      })
    )
).pipe(
  Command.withDescription("Write the proof of a commit, for offline verification"),
  Command.withExamples([
    { command: "treemarkd proof baguqeera… --out photo.proof.json", description: "Write the proof into a file" },
    {
      command: "treemarkd proof baguqeera… --html --out photo.html",
      description: "Write a page that shows it verified"
    }
  ])
)

/** The page with the bytes of the proof file inside that the command would write without --html. */
const pageOf = (page: string, proof: string, assetTreeCid: string): string =>
  proofPage(page, new TextEncoder().encode(`${proof}\n`), `${assetTreeCid}.proof.json`).trimEnd()

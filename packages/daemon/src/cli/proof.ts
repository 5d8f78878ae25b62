/** `treemarkd proof FILE|CID`: writes the one file that offline verification needs. */
import { proofPage } from "@treemark/verify"
import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { verifyPage } from "../http/verify/VerifyPage.ts"
import { CommandFailed, EXIT, unwritable } from "./Failures.ts"
import { assetName } from "./NamedAsset.ts"
import { TRANSACTION, treeNamed } from "./NamedTree.ts"
import { print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const Named = assetName("the assetTreeCid that a commit answered", TRANSACTION)

export const proofCommand = Command.make(
  "proof",
  {
    named: Argument.String("what").pipe(
      Argument.withDescription(
        "The asset's file, or a CID: of the asset tree, or of the asset (its newest commit here)"
      ),
      Argument.withSchema(Named)
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
  ({ named, html, out }) =>
    withAdmin(
      Effect.fnUntraced(function* (admin, { json }) {
        if (html && json && Option.isNone(out)) {
          return yield* new CommandFailed({
            code: "usage",
            message: "A page is no JSON document. Leave out --html or --json, or name a file for the page: --out FILE",
            exitCode: EXIT.usage
          })
        }
        const assetTreeCid = yield* treeNamed(admin, named)
        const { proof } = yield* admin.client.operations.proof({ params: { assetTreeCid } })
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
    { command: "treemarkd proof photo.jpg --out photo.proof.json", description: "Of the newest commit of a file" },
    {
      command: "treemarkd proof baguqeera… --html --out photo.html",
      description: "Write a page that shows it verified"
    }
  ])
)

/** The page with the bytes of the proof file inside that the command would write without --html. */
const pageOf = (page: string, proof: string, assetTreeCid: string): string =>
  proofPage(page, new TextEncoder().encode(`${proof}\n`), `${assetTreeCid}.proof.json`).trimEnd()

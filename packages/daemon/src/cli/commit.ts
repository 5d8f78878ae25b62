/** `treemarkd commit REQUEST`: commits an asset for an account, with the same rules and charges as over HTTP. */
import { Effect, FileSystem, Option, Schema, Stdio, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { QuoteResponse } from "../http/commit/CommitApi.ts"
import { failed, unreadable } from "./Failures.ts"
import { facts, print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const decodeJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))

export const commitCommand = Command.make(
  "commit",
  {
    request: Argument.String("request").pipe(
      Argument.withDescription("File with the commit request as JSON; - reads standard input")
    ),
    account: Flag.String("account").pipe(Flag.withDescription("Account that commits and pays: its id or name")),
    idempotencyKey: Flag.String("idempotency-key").pipe(
      Flag.withDescription("Your name for this commit: repeated with the same name it is never sent or charged twice"),
      Flag.optional
    ),
    quote: Flag.Boolean("quote").pipe(
      Flag.withDescription("Only say what it would cost; nothing is done and nothing charged"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  ({ request, account, idempotencyKey, quote }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const text = yield* readText(request)
        const body = yield* decodeJson(text).pipe(
          Effect.mapError((error) =>
            failed(
              "malformed_json",
              `${request} is not JSON, and a commit request is: ${error.message}. To register and commit a file itself: treemarkd add ${request}`
            )
          )
        )
        if (quote) {
          const quoted = yield* client.books.quote({ params: { account }, payload: { request: body } })
          return yield* print(json, quoted, quoteText(quoted))
        }
        const receipt = yield* client.operations.commit({
          params: { account },
          payload: { request: body, idempotencyKey: Option.getOrNull(idempotencyKey) }
        })
        yield* print(
          json,
          receipt,
          facts([
            ["asset", receipt.assetCid],
            ["asset tree", receipt.assetTreeCid],
            ["transaction", receipt.txHash],
            ["explorer", receipt.explorer]
          ])
        )
      })
    )
).pipe(
  Command.withDescription("Commit a registered asset for an account"),
  Command.withExamples([
    { command: "treemarkd commit request.json --account studio", description: "Commit what the file says" }
  ])
)

const quoteText = ({ expiresAt, gasCeiling, price, priceListVersion, total }: typeof QuoteResponse.Type): string =>
  facts([
    ["price", `${price} (price list ${priceListVersion})`],
    ["gas at most", gasCeiling],
    ["needed", `${total}; what the gas does not take is given back`],
    ["expires", expiresAt]
  ])

const readText = (path: string) =>
  path === "-"
    ? Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stdin.pipe(Stream.decodeText(), Stream.mkString))
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
        Effect.mapError((error) => unreadable(path, error))
      )

/** `treemarkd account statement ACCOUNT`: what an account had, got and paid in a period, with the receipts. */
import type { Statement } from "@treemark/core"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AccountName } from "../admin/AdminApi.ts"
import { CommandFailed, EXIT } from "./Failures.ts"
import { table } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const moment = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withMetavar("DATE"), Flag.optional)

export const statementCommand = Command.make(
  "statement",
  {
    account: Argument.String("account").pipe(
      Argument.withDescription("Id or name of the account"),
      Argument.withSchema(AccountName)
    ),
    from: moment("from", "Begins then: 2026-11-01 (midnight UTC) or 2026-11-01T12:30:00Z (default: its first day)"),
    to: moment("to", "Ends before then (default: now)"),
    csv: Flag.Boolean("csv").pipe(
      Flag.withDescription("Print the movements as CSV"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  ({ account, csv, from, to }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        if (csv && json) {
          return yield* new CommandFailed({
            code: "usage",
            message: "CSV is no JSON document. Leave out --csv or --json.",
            exitCode: EXIT.usage
          })
        }
        const { statement } = yield* client.books.statement({
          params: { account },
          query: {
            ...Option.match(from, { onNone: () => ({}), onSome: (text) => ({ from: text }) }),
            ...Option.match(to, { onNone: () => ({}), onSome: (text) => ({ to: text }) }),
            format: csv ? "csv" : "json"
          }
        })
        yield* Console.log(csv || json ? statement.trimEnd() : statementTable(JSON.parse(statement) as Statement))
      })
    )
).pipe(
  Command.withDescription("Print an account's statement: balances, every movement, receipts"),
  Command.withExamples([
    { command: "treemarkd account statement studio --from 2026-11-01 --to 2026-12-01", description: "A month" },
    {
      command: "treemarkd account statement studio --json > studio.statement.json",
      description: "A file that treemark-verify statement checks offline"
    }
  ])
)

const statementTable = ({ account, closing, from, movements, opening, service, to }: Statement): string =>
  [
    `${account.name} (${account.id}), ${from} to before ${to}, by ${service}`,
    "",
    table(
      ["TIME", "MOVEMENT", "CREDITS", "OWED BY WALLET", "FOR"],
      [
        [from, "opening", opening.credits, opening.owed, ""],
        ...movements.map(({ at, kind, credits, owed, reference }) => [
          at,
          kind,
          signed(credits),
          signed(owed),
          reference
        ]),
        [to, "closing", closing.credits, closing.owed, ""]
      ],
      ""
    )
  ].join("\n")

const signed = (amount: string): string => (amount === "0" ? "" : amount.startsWith("-") ? amount : `+${amount}`)

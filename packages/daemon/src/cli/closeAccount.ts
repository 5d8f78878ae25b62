/** `treemarkd account close`: an account ends; its books stay. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { account, accountText } from "./AccountText.ts"
import { facts, print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

export const closeCommand = Command.make(
  "close",
  {
    account,
    leaveDebt: Flag.Boolean("leave-debt").pipe(
      Flag.withDescription("Close it although its wallet cannot pay what it owes; the debt stays on its books"),
      Flag.withDefault(false),
      Flag.withoutNegation
    )
  },
  ({ account, leaveDebt }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const closed = yield* client.accounts.close({ params: { account }, payload: { leaveDebt } })
        const { credits, name, wallet } = closed.account
        const rest = [
          credits === "0"
            ? "No credits are left on it."
            : `${credits} credits are left. They stay on its books, and nobody can spend them.`,
          ...(closed.owed === "0"
            ? []
            : [`Its wallet ${wallet} still owes ${closed.owed} tokens, which stay on its books.`]),
          `Its statement stays: treemarkd account statement ${JSON.stringify(name)}. Tokens that its wallet holds stay in it; the seed opens it.`
        ]
        yield* print(
          json,
          closed,
          `${accountText(closed.account)}\n\n${facts([
            ["settled", closed.settled],
            ["still owed", closed.owed],
            ["tokens revoked", String(closed.tokensRevoked)]
          ])}\n\n${rest.join("\n")}`
        )
      })
    )
).pipe(
  Command.withDescription("Close an account for good: settle what its wallet owes, then revoke its tokens"),
  Command.withExamples([
    {
      command: "treemarkd account close studio",
      description: "Waits for its calls; asked again it goes on where it stood"
    }
  ])
)

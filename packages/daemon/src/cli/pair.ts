/** `treemarkd pair`: which tool waits under a code, and whether it gets a token; what the console does in a browser. */
import { formatTokens } from "@treemark/core"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { limitFlag, limitText } from "./LimitFlag.ts"
import { facts, print } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const code = Argument.String("code").pipe(Argument.withDescription("The code that the tool shows, such as BCDFG-HJKLM"))

interface Asking {
  readonly name: string
  readonly origin: string | null
  readonly scopes: ReadonlyArray<string>
}

const MEANINGS: { readonly [scope: string]: string } = {
  read: "read (look at the account; balances on all networks cost 0.01 each)",
  register: "register (add files, free)",
  commit: "commit (spend 0.1 and gas for each commit)"
}

/** What is asked for; with what it `spends`, once that is decided. */
const told = ({ name, origin, scopes }: Asking, spends?: string): string =>
  facts([
    ["tool", JSON.stringify(name)],
    ["of", origin === null ? "a program on this machine or one that reaches it" : JSON.stringify(origin)],
    ["may", scopes.map((scope) => MEANINGS[scope] ?? scope).join(", ")],
    ...(spends === undefined ? [] : [["spends", spends] as const])
  ])

const show = Command.make("show", { code }, ({ code: userCode }) =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const asking = yield* client.console.pairing({ payload: { userCode } })
      yield* print(
        json,
        asking,
        `${told(asking)}\n\nNothing is decided yet: treemarkd pair approve CODE or pair deny CODE.`
      )
    })
  )
).pipe(
  Command.withDescription("Show which tool waits under a code, and what it asks for"),
  Command.withExamples([{ command: "treemarkd pair show BCDFG-HJKLM", description: "Look before you approve" }])
)

const approve = Command.make(
  "approve",
  {
    code,
    account: Flag.String("account").pipe(
      Flag.withDescription("Account that the tool acts for and spends from (default: the first one)"),
      Flag.withMetavar("NAME"),
      Flag.optional
    ),
    limit: limitFlag
  },
  ({ account, code: userCode, limit }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const first = (yield* client.accounts.list()).find(({ closed, disabled }) => !closed && !disabled)
        const name = Option.getOrElse(account, () => first?.name ?? "")
        const dailyLimit = Option.getOrNull(limit)
        const asking = yield* client.console.decidePairing({
          payload: { userCode, account: name, ...(dailyLimit === null ? {} : { dailyLimit }) }
        })
        const text = `${told(asking, limitText(dailyLimit))}\n\nApproved for the account "${name}". Take it back with: treemarkd account token revoke`
        yield* print(
          json,
          { ...asking, account: name, dailyLimit: dailyLimit === null ? null : formatTokens(dailyLimit) },
          text
        )
      })
    )
).pipe(
  Command.withDescription("Give the tool a token of an account"),
  Command.withExamples([
    {
      command: "treemarkd pair approve BCDFG-HJKLM --account studio --limit 2",
      description: "It acts for that account from now on, and spends at most 2 tokens a day"
    }
  ])
)

const deny = Command.make("deny", { code }, ({ code: userCode }) =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const asking = yield* client.console.decidePairing({ payload: { userCode, account: null } })
      yield* print(json, asking, `${told(asking)}\n\nDenied. It gets no token.`)
    })
  )
).pipe(
  Command.withDescription("Refuse the tool"),
  Command.withExamples([{ command: "treemarkd pair deny BCDFG-HJKLM", description: "The tool is told so" }])
)

export const pairCommand = Command.make("pair").pipe(
  Command.withDescription("Pair a desktop tool, a web page or a browser extension with an account"),
  Command.withSubcommands([show, approve, deny])
)

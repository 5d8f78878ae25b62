/** `treemarkd watch-author`: alerts when anybody commits in an author's name, or on assets registered here. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Admin } from "./Admin.ts"
import { facts, print, table } from "./Output.ts"
import { withAdmin } from "./Root.ts"

const author = Argument.String("author").pipe(
  Argument.withDescription("Address of the author, or me: the wallet of your own account")
)

const account = Flag.String("account").pipe(
  Flag.withDescription("Account that is meant by me, and whose events tell of it (default: that of the wallet)"),
  Flag.withMetavar("NAME"),
  Flag.optional
)

const webhook = Flag.String("webhook").pipe(
  Flag.withDescription("Address that gets a signed POST for each alert, repeated until it answers 2xx"),
  Flag.withMetavar("URL"),
  Flag.optional
)

interface Asked {
  readonly author: string
  readonly account: Option.Option<string>
  readonly webhook: Option.Option<string>
}

const ways = ({ account: name, webhook: url }: { readonly account: string | null; readonly webhook: string | null }) =>
  [
    "the log of treemarkd start",
    ...(name === null ? [] : [`GET /events of the account ${JSON.stringify(name)}`]),
    ...(url === null ? [] : [`a POST to ${url}`])
  ].join(", ")

const begin = ({ account: name, author: named, webhook: url }: Asked) =>
  withAdmin(
    Effect.fnUntraced(function* ({ client, remote }: Admin["Service"], { json }) {
      const added = yield* client.watches.add({
        payload: { author: named, account: Option.getOrNull(name), webhook: Option.getOrNull(url) }
      })
      const { behind, secret } = added
      const rest = [
        `Every commit from now on that is signed by ${added.author}, that claims to be, and any on assets registered here. What this account commits itself is not told again.`,
        ...(secret === null
          ? []
          : [
              "The secret is shown this once: the receiver checks each delivery with it (docs/operations.md, Watching an author)."
            ]),
        ...(Option.isSome(url) && url.value.toLowerCase().startsWith("http:")
          ? ["The webhook is not https: whoever is on the way to it can read the alerts, though not forge them."]
          : []),
        ...(behind.length === 0
          ? []
          : [`No answer from ${behind.join(" and ")}: what is watched there begins when it answers.`]),
        ...(remote ? [] : ["No daemon runs on this data folder. Alerts come while one does: treemarkd start"])
      ]
      yield* print(
        json,
        added,
        `${facts([
          ["watching", added.author],
          ["told by", ways(added)],
          ["id", added.id],
          ...(secret === null ? [] : [["secret", secret] as const])
        ])}\n\n${rest.join("\n")}`
      )
    })
  )

const add = Command.make("add", { author, account, webhook }, begin).pipe(
  Command.withDescription("Watch an author; the same as treemarkd watch-author AUTHOR"),
  Command.withExamples([
    { command: "treemarkd watch-author add me --webhook https://example.org/treemark", description: "With a webhook" }
  ])
)

const list = Command.make("list", {}, () =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const watches = yield* client.watches.list()
      yield* print(
        json,
        { watches },
        table(
          ["ID", "AUTHOR", "ACCOUNT", "WEBHOOK", "SINCE", "ALERTS", "WAITING", "PROBLEM"],
          watches.map((watch) => [
            watch.id,
            watch.author,
            watch.account ?? "-",
            watch.webhook ?? "-",
            watch.since,
            String(watch.alerts),
            String(watch.waiting),
            watch.problem ?? "-"
          ]),
          "Nobody is watched. Begin with: treemarkd watch-author me"
        )
      )
    })
  )
).pipe(
  Command.withDescription("List who is watched, how many alerts came of it, and what waits to be delivered"),
  Command.withExamples([
    { command: "treemarkd watch-author list", description: "Webhooks are shown without their paths, secrets never" }
  ])
)

const remove = Command.make(
  "remove",
  {
    watch: Argument.String("watch").pipe(Argument.withDescription("Id of the watch, or an author: all of theirs")),
    account
  },
  ({ account: name, watch }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const removed = yield* client.watches.remove({ payload: { named: watch, account: Option.getOrNull(name) } })
        const text = removed.map(({ author: whom, id }) => `${whom} is watched no more (${id}).`).join("\n")
        yield* print(json, { removed }, `${text}\nWhat waited to be delivered is dropped.`)
      })
    )
).pipe(
  Command.withDescription("End a watch"),
  Command.withExamples([{ command: "treemarkd watch-author remove me", description: "Your own; an id ends just one" }])
)

export const watchAuthorCommand = Command.make("watch-author", { author, account, webhook }, begin).pipe(
  Command.withDescription(
    "Tell when anybody commits in an author's name, signed or claimed, or on assets registered here"
  ),
  Command.withExamples([
    { command: "treemarkd watch-author me", description: "In the daemon's log and the account's events" },
    { command: "treemarkd watch-author me --webhook https://example.org/treemark", description: "And at a webhook" }
  ]),
  Command.withSubcommands([add, list, remove])
)

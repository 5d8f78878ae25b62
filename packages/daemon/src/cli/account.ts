/** `treemarkd account …`: who may call, with which tokens and credits. */
import { amount } from "@treemark/core"
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { TokenInfo } from "../accounts/AccessTokens.ts"
import { GrantedTokens } from "../accounts/GrantedTokens.ts"
import { AccountName, ServiceName } from "../admin/AdminApi.ts"
import { account, accountText } from "./AccountText.ts"
import { closeCommand } from "./closeAccount.ts"
import { limitFlag } from "./LimitFlag.ts"
import { facts, print, table } from "./Output.ts"
import { withAdmin } from "./Root.ts"
import { statementCommand } from "./statement.ts"

const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the account, unique here"),
      Flag.withSchema(AccountName)
    ),
    serviceName: Flag.String("service-name").pipe(
      Flag.withDescription(
        "Service name tied to the API key; becomes part of assetSourceType (default: the account's name)"
      ),
      Flag.withSchema(ServiceName),
      Flag.optional
    ),
    credits: Flag.String("credits").pipe(
      Flag.withDescription("Credits granted, in native tokens"),
      Flag.withSchema(GrantedTokens),
      Flag.withDefault(amount(0n))
    ),
    tokens: Flag.String("tokens").pipe(
      Flag.withDescription("Native tokens sent to the new wallet; local chains only (default: 100 there)"),
      Flag.withSchema(GrantedTokens),
      Flag.optional
    )
  },
  ({ name, serviceName, credits, tokens }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const created = yield* client.accounts.create({
          payload: {
            name,
            serviceName: Option.getOrElse(serviceName, () => name),
            credits,
            tokens: Option.getOrNull(tokens)
          }
        })
        yield* print(
          json,
          created,
          `${accountText(created.account)}\ntoken    ${created.token}\n\nThe token is shown this once. Keep it as you would a password; treemarkd account token revoke takes it back.`
        )
      })
    )
).pipe(
  Command.withDescription("Create an account with a wallet of its own and one access token"),
  Command.withExamples([
    { command: "treemarkd account create --name studio --credits 5", description: "An account with 5 credits" },
    { command: "treemarkd account create --name studio --service-name capture --json", description: "For scripts" }
  ])
)

const list = Command.make("list", {}, () =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const accounts = yield* client.accounts.list()
      yield* print(
        json,
        { accounts },
        table(
          ["NAME", "ID", "SERVICE", "WALLET", "CREDITS", "STATE"],
          accounts.map((view) => [
            view.name,
            view.id,
            view.serviceName,
            view.wallet,
            view.credits,
            view.closed ? "closed" : view.disabled ? "disabled" : "active"
          ]),
          "No accounts yet. Create one with: treemarkd account create --name NAME --credits 5"
        )
      )
    })
  )
).pipe(
  Command.withDescription("List the accounts"),
  Command.withExamples([{ command: "treemarkd account list", description: "Who may call, and what they have left" }])
)

const show = Command.make("show", { account }, ({ account }) =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const view = yield* client.accounts.show({ params: { account } })
      yield* print(json, view, accountText(view))
    })
  )
).pipe(
  Command.withDescription("Show one account"),
  Command.withExamples([
    { command: "treemarkd account show studio --json", description: "By its name; its id does too" }
  ])
)

const credit = Command.make(
  "credit",
  {
    account,
    credits: Argument.String("credits").pipe(
      Argument.withDescription("Credits to add, in native tokens"),
      Argument.withSchema(GrantedTokens)
    )
  },
  ({ account, credits }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const view = yield* client.accounts.credit({ params: { account }, payload: { credits } })
        yield* print(json, view, accountText(view))
      })
    )
).pipe(
  Command.withDescription("Add credits to an account"),
  Command.withExamples([{ command: "treemarkd account credit studio 2.5", description: "Add 2.5 credits" }])
)

const setDisabled = (name: "disable" | "enable", description: string) =>
  Command.make(name, { account }, ({ account }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const view = yield* client.accounts.setDisabled({
          params: { account },
          payload: { disabled: name === "disable" }
        })
        yield* print(json, view, accountText(view))
      })
    )
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `treemarkd account ${name} studio`, description }])
  )

/** As scripts read it: moments are ISO 8601, here as everywhere. */
const dated = (info: TokenInfo) => ({
  ...info,
  createdAt: iso(info.createdAt),
  expiresAt: iso(info.expiresAt),
  revokedAt: iso(info.revokedAt),
  lastUsedAt: iso(info.lastUsedAt)
})

const iso = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

const dateText = (milliseconds: number | null): string => iso(milliseconds) ?? "-"

const tokenCreate = Command.make(
  "create",
  {
    account,
    label: Flag.String("label").pipe(Flag.withDescription("What the token is for"), Flag.withDefault("")),
    days: Flag.Int("expires-in-days").pipe(
      Flag.withDescription("Days until it expires (default: never)"),
      Flag.withMetavar("DAYS"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 }))),
      Flag.optional
    ),
    limit: limitFlag
  },
  ({ account, label, days, limit }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const now = yield* Clock.currentTimeMillis
        const expiresAt = Option.match(days, {
          onNone: () => null,
          onSome: (count) => now + Duration.toMillis(Duration.days(count))
        })
        const issued = yield* client.accounts.issueToken({
          params: { account },
          payload: { label, expiresAt, ...(Option.isNone(limit) ? {} : { dailyLimit: limit.value }) }
        })
        yield* print(
          json,
          { ...issued, info: dated(issued.info) },
          `${facts([
            ["token", issued.token],
            ["id", issued.info.id],
            ["expires", dateText(issued.info.expiresAt)],
            ["limit", issued.info.dailyLimit === null ? "-" : `${issued.info.dailyLimit} a day (UTC)`]
          ])}\n\nThe token is shown this once.`
        )
      })
    )
).pipe(
  Command.withDescription("Issue a further access token"),
  Command.withExamples([
    {
      command: "treemarkd account token create studio --label laptop --expires-in-days 90",
      description: "For 90 days"
    },
    { command: "treemarkd account token create studio --label kiosk --limit 2", description: "Spends at most 2 a day" }
  ])
)

const tokenList = Command.make("list", { account }, ({ account }) =>
  withAdmin(
    Effect.fnUntraced(function* ({ client }, { json }) {
      const tokens = yield* client.accounts.tokens({ params: { account } })
      yield* print(
        json,
        { tokens: tokens.map(dated) },
        table(
          ["ID", "LABEL", "CREATED", "EXPIRES", "REVOKED", "LAST USED", "LIMIT A DAY", "SPENT TODAY"],
          tokens.map((info) => [
            info.id,
            info.label,
            dateText(info.createdAt),
            dateText(info.expiresAt),
            dateText(info.revokedAt),
            dateText(info.lastUsedAt),
            info.dailyLimit ?? "-",
            info.spentToday
          ]),
          "This account has no access tokens."
        )
      )
    })
  )
).pipe(
  Command.withDescription("List an account's access tokens; the tokens themselves are not kept"),
  Command.withExamples([
    {
      command: "treemarkd account token list studio",
      description: "With when each was last used, and what it spent today"
    }
  ])
)

const tokenRevoke = Command.make(
  "revoke",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("Id of the token, from account token list"),
      Argument.withSchema(
        Schema.String.check(
          Schema.isPattern(/^tok_\w+$/u, {
            message: 'must be the id of a token ("tok_…"), as account token list shows it'
          })
        )
      )
    )
  },
  ({ id }) =>
    withAdmin(
      Effect.fnUntraced(function* ({ client }, { json }) {
        const info = yield* client.accounts.revokeToken({ params: { id } })
        yield* print(json, dated(info), `Token ${info.id} is revoked; calls with it are refused from now on.`)
      })
    )
).pipe(
  Command.withDescription("Revoke an access token"),
  Command.withExamples([
    {
      command: "treemarkd account token revoke tok_01e5dac748b8e5e53b26",
      description: "By its id, not the token itself"
    }
  ])
)

const token = Command.make("token").pipe(
  Command.withDescription("Access tokens of an account"),
  Command.withSubcommands([tokenCreate, tokenList, tokenRevoke])
)

export const accountCommand = Command.make("account").pipe(
  Command.withDescription("Accounts, their credits and access tokens"),
  Command.withSubcommands([
    create,
    list,
    show,
    credit,
    statementCommand,
    setDisabled("disable", "Refuse an account's calls from now on"),
    setDisabled("enable", "Serve an account's calls again"),
    closeCommand,
    token
  ])
)

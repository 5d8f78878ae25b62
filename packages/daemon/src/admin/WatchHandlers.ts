/** Watched authors for the commands: whom `me` means, where alerts go, and what of it may be shown again. */
import { isAddressText, walletAddress } from "@treemark/core"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { AuthorWatch } from "../commits/watch/AuthorWatch.ts"
import type { Watch } from "../commits/watch/WatchRows.ts"
import { originOf } from "../commits/watch/Webhooks.ts"
import { AdminApi } from "./AdminApi.ts"
import { AdminRefused, refused } from "./AdminRefused.ts"

const usage = (code: string, message: string) => new AdminRefused({ code, message })

export const watchHandlers = HttpApiBuilder.group(AdminApi, "watches", (handlers) =>
  Effect.gen(function* () {
    const watch = yield* AuthorWatch
    const accounts = yield* Accounts

    const open = Effect.map(accounts.list, (all) => all.filter(({ closed, disabled }) => !closed && !disabled))

    /** The account that is meant by `me` when none is named: the only one. */
    const own = Effect.fnUntraced(function* (named: string | null) {
      if (named !== null) return yield* accounts.find(named)
      const all = yield* open
      const [first] = all
      if (first !== undefined && all.length === 1) return first
      return yield* usage(
        "account_not_named",
        first === undefined
          ? "There is no account whose wallet could be meant by me. Create one with: treemarkd account create --name NAME; or name the author by address."
          : `There are ${all.length} accounts; say whose wallet is meant by me: --account ${all.map(({ name }) => JSON.stringify(name)).join(" or --account ")}`
      )
    })

    const addressOf = Effect.fnUntraced(function* (author: string, account: string | null) {
      if (author.toLowerCase() === "me") return (yield* own(account)).wallet
      if (isAddressText(author)) return walletAddress(author)
      return yield* usage(
        "not_an_address",
        "An author is an address (0x and 40 hex digits), or me for the wallet of your own account."
      )
    })

    /** Whose events tell of it. */
    const toldTo = Effect.fnUntraced(function* (author: string, named: string | null) {
      if (named !== null) return (yield* accounts.find(named)).id
      const all = yield* open
      return (all.find(({ wallet }) => wallet === author) ?? all[0])?.id ?? null
    })

    const viewOf = Effect.fnUntraced(function* ({ accountId, author, createdAt, id, webhook }: Watch) {
      const account = accountId === null ? null : (yield* accounts.find(accountId)).name
      return {
        id,
        author,
        account,
        webhook: webhook === null ? null : originOf(webhook),
        since: new Date(createdAt).toISOString()
      }
    })

    return handlers.handleAll({
      list: () =>
        Effect.flatMap(watch.list, (all) =>
          Effect.forEach(all, (one) =>
            Effect.map(viewOf(one), (view) => ({
              ...view,
              alerts: one.alerts,
              waiting: one.waiting,
              problem: one.problem
            }))
          )
        ).pipe(refused),
      add: Effect.fnUntraced(function* ({ payload }) {
        if (payload.webhook !== null) yield* checkWebhook(payload.webhook)
        const author = yield* addressOf(payload.author, payload.account)
        const accountId = yield* toldTo(author, payload.account)
        const { behind, secret, watch: made } = yield* watch.add({ author, accountId, webhook: payload.webhook })
        return {
          ...(yield* viewOf(made)),
          secret: secret === undefined ? null : Redacted.value(secret),
          behind
        }
      }, refused),
      remove: Effect.fnUntraced(function* ({ payload: { account, named } }) {
        const wanted = named.toLowerCase() === "me" ? yield* addressOf(named, account) : named
        return yield* Effect.forEach(yield* watch.remove(wanted), viewOf)
      }, refused)
    })
  })
)

/** The message names no part of what was given: it may hold a secret. */
const checkWebhook = (text: string) => {
  const url = URL.parse(text)
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return usage("not_a_webhook", "A webhook is an address that begins with https:// (or http://).")
  }
  return url.username === "" && url.password === "" && url.hash === ""
    ? Effect.void
    : usage(
        "not_a_webhook",
        "A webhook's address has no user name, no password and no #part; a secret belongs into its path or its query, or is not needed: deliveries are signed."
      )
}

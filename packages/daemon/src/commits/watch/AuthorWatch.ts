/**
 * The watch over authors: who is watched, and the loop that looks. Only the administration adds to it, since what it sends goes wherever the
 * one who added it said. A watch begins with the newest block of that moment, so that nothing committed after the command has ended is missed.
 */
import type { StorageUnavailable, WalletAddress } from "@treemark/core"
import { Clock, Context, Duration, Effect, Layer, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { type LedgerNetwork, Networks } from "../../evm/Networks.ts"
import { randomId } from "../../store/RandomId.ts"
import { storing } from "../../store/StorageFailure.ts"
import { HdWallets } from "../../wallets/HdWallets.ts"
import { catchUp } from "../LedgerIndexFill.ts"
import { makeIndexRows } from "../LedgerIndexRows.ts"
import { makeLookThrough } from "./LookThrough.ts"
import { makeWatchRows, type Watch } from "./WatchRows.ts"
import { webhookSecret } from "./WebhookSignature.ts"
import { makeWebhooks } from "./Webhooks.ts"

export class WatchedAlready extends Schema.TaggedError<WatchedAlready>()("WatchedAlready", {
  author: Schema.String,
  id: Schema.String
}) {
  override get message() {
    return `${this.author} is watched already, and told to the same place (${this.id}). Nothing was changed. For a new secret: treemarkd watch-author remove ${this.id}, then add it again.`
  }
}

export class WatchNotFound extends Schema.TaggedError<WatchNotFound>()("WatchNotFound", { named: Schema.String }) {
  override get message() {
    return `Nothing watches "${this.named}". Name a watch by its id or its author; treemarkd watch-author list shows them.`
  }
}

/** A watch, with what came of it. */
export interface WatchState extends Watch {
  readonly alerts: number
  /** Not delivered yet. */
  readonly waiting: number
}

export class AuthorWatch extends Context.Service<
  AuthorWatch,
  {
    /** Watches an author from the newest blocks on. `secret`: the webhook's, told this once; `behind`: networks whose newest block is not known now. */
    readonly add: (asked: {
      readonly author: WalletAddress
      readonly accountId: string | null
      readonly webhook: string | null
    }) => Effect.Effect<
      {
        readonly watch: Watch
        readonly secret: Redacted.Redacted<string> | undefined
        readonly behind: ReadonlyArray<string>
      },
      WatchedAlready | StorageUnavailable
    >
    readonly list: Effect.Effect<ReadonlyArray<WatchState>, StorageUnavailable>
    /** Ends the watch with this id, or all of this author; what waits to be delivered is dropped. */
    readonly remove: (named: string) => Effect.Effect<ReadonlyArray<Watch>, WatchNotFound | StorageUnavailable>
    /** Looks through what is new on all ledgers, once. */
    readonly look: Effect.Effect<void, { readonly message: string }>
    /** Delivers what is due, once. */
    readonly deliver: Effect.Effect<void, StorageUnavailable>
  }
>()("@treemark/daemon/commits/watch/AuthorWatch") {
  static readonly layer = Layer.effect(
    AuthorWatch,
    Effect.suspend(() => make)
  )

  /** Looks and delivers while it lives. */
  static readonly layerFollowing = Layer.effectDiscard(
    Effect.gen(function* () {
      const watch = yield* AuthorWatch
      yield* Effect.forkScoped(again(watch.look, "The ledgers could not be looked through for watched authors"))
      yield* Effect.forkScoped(again(watch.deliver, "Alerts of watched authors could not be delivered"))
    })
  )
}

const LOOK = Duration.seconds(1)

const again = (work: Effect.Effect<void, { readonly message: string }>, failing: string) =>
  work.pipe(
    Effect.catch(({ message }) => Effect.logDebug(`${failing}; trying again: ${message}`)),
    Effect.andThen(Effect.sleep(LOOK)),
    Effect.forever
  )

const ROLES = ["mainnet", "testnet"] as const

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const wallets = yield* HdWallets
  const networks = yield* Networks
  const rows = yield* makeWatchRows
  const index = yield* makeIndexRows
  const lookThrough = yield* makeLookThrough
  const webhooks = yield* makeWebhooks
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof lookThrough>>>()

  /** The newest block is where the watch begins; a node that does not answer is begun with at the first look that it answers. */
  const begin = (network: LedgerNetwork) =>
    catchUp(index, network).pipe(
      Effect.flatMap(({ high }) => rows.begin(network, high)),
      Effect.as([]),
      Effect.catchTag("RpcFailure", () => Effect.succeed([network.name]))
    )

  const counts = sql<{ readonly id: string; readonly alerts: number | bigint; readonly waiting: number | bigint }>`
    SELECT w.id, (SELECT COUNT(*) FROM author_alert a WHERE a.watch_id = w.id) AS alerts,
      (SELECT COUNT(*) FROM author_delivery d WHERE d.watch_id = w.id AND d.done_at IS NULL) AS waiting
    FROM author_watch w`

  return AuthorWatch.of({
    add: Effect.fn("AuthorWatch.add")(function* ({ accountId, author, webhook }) {
      const known = (yield* rows.watches).find((one) => one.author === author && one.webhook === webhook)
      if (known !== undefined) return yield* new WatchedAlready({ author, id: known.id })
      const behind = (yield* Effect.forEach(ROLES, (role) => begin(networks.role(role)))).flat()
      const id = yield* randomId("wch", random)
      const createdAt = yield* Clock.currentTimeMillis
      const row = { id, author, account_id: accountId, webhook, created_at: createdAt }
      yield* sql`INSERT INTO author_watch ${sql.insert(row)}`
      return {
        watch: { id, author, accountId, webhook, createdAt, failures: 0, problem: null },
        secret: webhook === null ? undefined : webhookSecret(wallets, id),
        behind
      }
    }, storing("an author's watch was added")),

    list: Effect.gen(function* () {
      const found = new Map((yield* counts).map((row) => [row.id, row]))
      return (yield* rows.watches).map(
        (watch): WatchState => ({
          ...watch,
          alerts: Number(found.get(watch.id)?.alerts ?? 0),
          waiting: Number(found.get(watch.id)?.waiting ?? 0)
        })
      )
    }).pipe(storing("the watched authors were listed")),

    remove: Effect.fn("AuthorWatch.remove")(function* (named) {
      const wanted = named.toLowerCase()
      const all = yield* rows.watches
      const ended = all.filter(({ author, id }) => id === wanted || author.toLowerCase() === wanted)
      if (ended.length === 0) return yield* new WatchNotFound({ named })
      yield* sql.withTransaction(
        Effect.forEach(
          ended,
          ({ id }) =>
            sql`DELETE FROM author_delivery WHERE watch_id = ${id}`.pipe(
              Effect.andThen(sql`DELETE FROM author_alert WHERE watch_id = ${id}`),
              Effect.andThen(sql`DELETE FROM author_watch WHERE id = ${id}`)
            ),
          { discard: true }
        ).pipe(
          // Whoever is watched next is watched from then on.
          Effect.andThen(sql`DELETE FROM author_watch_place WHERE NOT EXISTS (SELECT 1 FROM author_watch)`)
        )
      )
      return ended
    }, storing("an author's watch was ended")),

    look: Effect.forEach(ROLES, (role) => lookThrough(networks.role(role)), { discard: true }).pipe(
      Effect.provideContext(context)
    ),
    deliver: webhooks.pipe(storing("alerts were delivered"))
  })
})

/** A commit that a command asks for: the rules, charges and idempotency of `POST /commit`, for an account by its name. */
import {
  type Acts,
  Caller,
  CommitReceipt,
  type Commits,
  type ContentStore,
  commitAsset,
  decodeCommitRequest,
  type Ledger,
  type Registry,
  type Signer,
  walletAddress
} from "@treemark/core"
import { Effect, Schema } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { Idempotency } from "../books/Idempotency.ts"
import { headersOf } from "../books/Keys.ts"
import { CommitResponse } from "../http/commit/CommitApi.ts"
import { storedAnswer } from "../http/edge/IdempotencyKey.ts"
import { nothingCharged } from "../http/edge/Problems.ts"

/** What {@link commitForAccount} stands on. */
export type CommitServices = Accounts | Acts | Commits | ContentStore | Idempotency | Ledger | Registry | Signer

/** `key`: undefined for a commit that is made each time. The same key with another fingerprint is refused. */
export const commitForAccount = Effect.fn("admin.commitForAccount")(function* (order: {
  readonly account: string
  readonly request: unknown
  readonly key: string | undefined
  readonly fingerprint: string
  /** What its price counts against; left out: nothing but the account. */
  readonly spender?: Caller["token"]
}) {
  const { id, name, serviceName, wallet } = yield* (yield* Accounts).find(order.account)
  const request = yield* decodeCommitRequest(order.request)
  const token = order.spender === undefined ? {} : { token: order.spender }
  const caller = new Caller({ accountId: id, name, serviceName, wallet: walletAddress(wallet), ...token })
  const { answer } = yield* (yield* Idempotency)
    .run({ accountId: id, operation: "commit", key: order.key, fingerprint: order.fingerprint }, (call) =>
      Effect.map(commitAsset({ caller, request, call }), ({ answer, receipt }) =>
        storedAnswer(CommitResponse, answer, headersOf(receipt))
      )
    )
    .pipe(nothingCharged)
  return yield* Effect.orDie(decodeReceipt(answer.body))
})

const decodeReceipt = Schema.decodeEffect(Schema.fromJsonString(CommitReceipt))

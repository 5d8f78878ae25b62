/** What the commands about the books do: each handler decodes, calls the use case and encodes. None of them charges anything. */
import {
  type Acts,
  Caller,
  type ContentStore,
  decodeCommitRequest,
  type Ledger,
  quoteCommit,
  type Registry,
  type Signer,
  statementCsv,
  statementText,
  walletAddress
} from "@treemark/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import { Statements } from "../accounts/Statements.ts"
import { Audit } from "../keeping/Audit.ts"
import { Backup } from "../keeping/Backup.ts"
import { AdminApi } from "./AdminApi.ts"
import { refused } from "./AdminRefused.ts"

export const booksHandlers = HttpApiBuilder.group(AdminApi, "books", (handlers) =>
  Effect.gen(function* () {
    const statements = yield* Statements
    const accounts = yield* Accounts
    const audit = yield* Audit
    const backup = yield* Backup
    const services = yield* Effect.context<Acts | ContentStore | Ledger | Registry | Signer>()
    return handlers.handleAll({
      statement: ({ params, query: { format, ...period } }) =>
        statements.of(params.account, period).pipe(
          Effect.map((found) => ({ statement: format === "csv" ? statementCsv(found) : statementText(found) })),
          refused
        ),
      quote: Effect.fnUntraced(
        function* ({ params, payload }) {
          const { id, name, serviceName, wallet } = yield* accounts.find(params.account)
          const request = yield* decodeCommitRequest(payload.request)
          const caller = new Caller({ accountId: id, name, serviceName, wallet: walletAddress(wallet) })
          return yield* quoteCommit({ caller, request })
        },
        Effect.provide(services),
        refused
      ),
      audit: ({ query }) => audit.run(query).pipe(refused),
      backup: ({ payload }) => backup.run(payload).pipe(refused)
    })
  })
)

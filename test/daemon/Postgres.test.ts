/**
 * The suites of the store, the books, the accounts and the jobs, once more on PostgreSQL: the same tests, the same requirements. What is
 * killed here is never the server, so it need not wait for the disk.
 */
import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { isPostgresMissing, startPostgresWith } from "../layers/PostgresCluster.ts"
import { makeMigrated, SERVER } from "./store/TempStore.ts"

const SUITES = [
  "./accounts/AccessTokens.test.ts",
  "./accounts/AccountClosing.test.ts",
  "./accounts/Accounts.test.ts",
  "./books/BooksModel.prop.test.ts",
  "./books/Charges.test.ts",
  "./books/Crash.test.ts",
  "./books/Idempotency.test.ts",
  "./books/Postings.test.ts",
  "./books/Receipts.test.ts",
  "./books/Settlement.test.ts",
  "./books/TokenCharges.test.ts",
  "./content/AssetStore.test.ts",
  "./commits/CommitJobs.test.ts",
  "./commits/Faults.test.ts",
  "./commits/Reorganised.test.ts",
  "./commits/Replacement.test.ts",
  "./commits/Restart.test.ts",
  "./commits/SeveralCommitters.test.ts",
  "./commits/TransferJobs.test.ts",
  "./commits/watch/AuthorWatch.test.ts",
  "./wallets/Seed.test.ts"
]

describe.skipIf(isPostgresMissing)("on PostgreSQL", async () => {
  const scope = Scope.makeUnsafe()

  beforeAll(async () => {
    const { port } = await Effect.runPromise(
      Scope.provide(startPostgresWith(["fsync=off", "full_page_writes=off", "autovacuum=off"]), scope)
    )
    process.env[SERVER] = `postgres://treemark@127.0.0.1:${port}`
    await Effect.runPromise(makeMigrated)
  })
  afterAll(async () => {
    delete process.env[SERVER]
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  for (const suite of SUITES) await import(suite)
})

/** What a caller can spend: credits not held, and the wallet's native tokens less what is already owed from them. */
import type { Amount, Caller, LedgerUnavailable, StorageUnavailable } from "@treemark/core"
import { Context, type Effect } from "effect"

export class Funds extends Context.Service<
  Funds,
  {
    readonly credits: (caller: Pick<Caller, "accountId">) => Effect.Effect<Amount, StorageUnavailable>
    /** On-chain balance on the mainnet minus usage accrued and held; never below zero. */
    readonly tokens: (
      caller: Pick<Caller, "accountId" | "wallet">
    ) => Effect.Effect<Amount, StorageUnavailable | LedgerUnavailable>
  }
>()("@treemark/daemon/books/Funds") {}

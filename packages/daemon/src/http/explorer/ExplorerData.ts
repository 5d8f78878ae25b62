/** Contract: what the local explorer page shows. Without it /explorer/… does not exist. */
import type { LedgerUnavailable, NetworkRole } from "@treemark/core"
import { Context, type Effect, type Option } from "effect"
import type { ExplorerTransaction } from "../../evm/Explorer.ts"

export class ExplorerData extends Context.Service<
  ExplorerData,
  {
    /** The transaction, none when the ledger does not know it or `hash` is not 32 bytes of hex. */
    readonly transaction: (
      role: NetworkRole,
      hash: string
    ) => Effect.Effect<Option.Option<ExplorerTransaction>, LedgerUnavailable>
  }
>()("@treemark/daemon/http/explorer/ExplorerData") {}

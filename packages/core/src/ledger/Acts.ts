/**
 * Port: the signed acts of commits, so that none is recorded twice on a chain. Anybody can copy an act's signature off the ledger; a second
 * record of it would read as if the author had done the same again.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "./ContentStore.ts"
import type { NetworkRole } from "./Ledger.ts"

/** A signed act, and the commit that is to record it. `actSignature` has its canonical form. */
export interface ActClaim {
  readonly network: NetworkRole
  readonly actSignature: string
  readonly commitId: string
}

export class Acts extends Context.Service<
  Acts,
  {
    /** The commit that recorded this act on the network's chain, or is about to; undefined when it is free. */
    readonly holderOf: (act: Omit<ActClaim, "commitId">) => Effect.Effect<string | undefined, StorageUnavailable>
  }
>()("@treemark/core/ledger/Acts") {}

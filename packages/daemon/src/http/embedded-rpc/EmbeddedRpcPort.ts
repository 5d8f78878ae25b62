/** Contract: JSON-RPC 2.0 of the embedded chains. It is there on the `local` profile only; without it /rpc/… does not exist. */
import type { NetworkRole } from "@treemark/core"
import { Context, type Effect } from "effect"

export class EmbeddedRpc extends Context.Service<
  EmbeddedRpc,
  {
    /**
     * Answers a parsed body (a call or a batch) of `caller` (an account or an address) in JSON text; `undefined` when it asks for no answer.
     * Failures are JSON-RPC error objects. Interrupted, it stops what nobody waits for any more.
     */
    readonly handle: (role: NetworkRole, body: unknown, caller: string) => Effect.Effect<string | undefined>
  }
>()("@treemark/daemon/http/embedded-rpc/EmbeddedRpc") {}

/** Contract: JSON-RPC 2.0 of the embedded chains. It is there on the `local` profile only; without it /rpc/… does not exist. */
import type { NetworkRole } from "@treemark/core"
import { Context, type Effect } from "effect"

export class EmbeddedRpc extends Context.Service<
  EmbeddedRpc,
  {
    /** Answers a parsed body (a call or a batch); `undefined` when it asks for no answer. Failures are JSON-RPC error objects. */
    readonly handle: (role: NetworkRole, body: unknown) => Effect.Effect<unknown>
  }
>()("@treemark/daemon/http/embedded-rpc/EmbeddedRpc") {}

/** Contract: whether what the three operations stand on (store, seed, both ledgers) can be used right now. */
import { Context, type Effect } from "effect"

export interface ReadinessCheck {
  readonly name: string
  readonly ok: boolean
  /** For a person: what was found, and when it is not ok, what to do. */
  readonly detail: string
}

export class Readiness extends Context.Service<
  Readiness,
  { readonly check: Effect.Effect<ReadonlyArray<ReadinessCheck>> }
>()("@treemark/daemon/http/service/Readiness") {}

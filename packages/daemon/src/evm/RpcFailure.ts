/**
 * What went wrong with one JSON-RPC call, sorted by what it says about the request's fate: that, and not the wording, decides
 * whether a transaction may be given up. `detail` is a sentence for people; it names a node by its host, never by its URL.
 */
import { LedgerUnavailable } from "@treemark/core"
import { Effect, Schema } from "effect"
import { note, rpcCalls, rpcSeconds } from "../telemetry/Metrics.ts"

/**
 * - `refused`: the node answered with a JSON-RPC error (`code`, `detail` in the node's words), so it did not do it.
 * - `not-sent`: the request did not reach a node that would act on it.
 * - `unknown`: it may have been done: a timeout, a reset, a gateway's 5xx.
 * - `wrong-chain`: the node serves another chain than the one that is configured.
 */
export class RpcFailure extends Schema.TaggedError<RpcFailure>()("RpcFailure", {
  network: Schema.String,
  outcome: Schema.Literals(["refused", "not-sent", "unknown", "wrong-chain"]),
  /** Code of the JSON-RPC error. */
  code: Schema.optional(Schema.Number),
  /** Revert data, as the node gave it. */
  data: Schema.optional(Schema.Unknown),
  detail: Schema.String
}) {
  override get message() {
    return `${this.network}: ${this.detail}`
  }
}

/** The {@link RpcFailure} under the layers viem wraps around it; anything else is an answer that was not understood. */
export const rpcFailureOf = (network: string, error: unknown): RpcFailure => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof RpcFailure) return cause
  }
  const said = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)
  return new RpcFailure({ network, outcome: "unknown", detail: `the node's answer was not understood (${said}).` })
}

/** Runs one call of a viem client. */
export const ask = <A>(network: { readonly name: string }, call: () => Promise<A>): Effect.Effect<A, RpcFailure> =>
  Effect.suspend(() => {
    const startedAt = performance.now()
    const noted = (outcome: string) => {
      note(rpcCalls, 1, { network: network.name, outcome })
      note(rpcSeconds, (performance.now() - startedAt) / 1000, { network: network.name })
    }
    return Effect.tryPromise({ try: call, catch: (error) => rpcFailureOf(network.name, error) }).pipe(
      Effect.tap(() => Effect.sync(() => noted("answered"))),
      Effect.tapError(({ outcome }) => Effect.sync(() => noted(outcome)))
    )
  })

/** The same as core's ports say it. */
export const ledgerUnavailable = ({ network, detail }: RpcFailure): LedgerUnavailable =>
  new LedgerUnavailable({ network, reason: /[.!?]$/u.test(detail) ? detail : `${detail}.` })

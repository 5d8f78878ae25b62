/** What a token may do. One without scopes, as those made by commands, may do everything. */
import type { Caller } from "@treemark/core"
import { Effect, Schema } from "effect"

export const SCOPES = ["read", "register", "commit"] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of `text`, words with spaces between, each once in the order of {@link SCOPES}; `undefined` when one is unknown. */
export const scopesIn = (text: string): ReadonlyArray<Scope> | undefined => {
  const asked = text.split(" ").filter((word) => word !== "")
  return asked.every((word) => SCOPES.some((known) => known === word))
    ? SCOPES.filter((known) => asked.includes(known))
    : undefined
}

/** The token is good, but not for this. */
export class ScopeMissing extends Schema.TaggedError<ScopeMissing>()("ScopeMissing", {
  needed: Schema.Literals(SCOPES),
  scopes: Schema.String
}) {
  override get message() {
    return `This token may do ${this.scopes === "" ? "nothing" : `"${this.scopes}"`}, and this call needs "${this.needed}". Nothing was done or charged. Pair the tool again and ask for that scope, or use a token that was made for it.`
  }
}

/** Fails unless the caller's token may do what `needed` names. */
export const requireScope = ({ scopes }: Caller, needed: Scope): Effect.Effect<void, ScopeMissing> =>
  scopes === undefined || scopes.includes(needed)
    ? Effect.void
    : Effect.fail(new ScopeMissing({ needed, scopes: scopes.join(" ") }))

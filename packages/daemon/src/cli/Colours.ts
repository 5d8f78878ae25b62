/** The colours of a command's text (Paint.ts), as its settings have them. */
import { Config, Effect, Option } from "effect"
import { paintFor } from "./Paint.ts"

export type { Colours, Paint } from "./Paint.ts"

/** For what goes to standard output. */
export const colours = Effect.map(
  Config.NonEmptyString("NO_COLOR").pipe(Config.option, Effect.orElseSucceed(Option.none)),
  (refused) => paintFor(Option.getOrUndefined(refused))
)

/** How the administration API refuses: one error for every kind of failure, with its code and the message for the person. */
import { Effect, Schema } from "effect"

/** A command was refused: `code` names the reason and never changes, `message` is for the person. */
export class AdminRefused extends Schema.TaggedError<AdminRefused>()(
  "AdminRefused",
  { code: Schema.String, message: Schema.String },
  { httpApiStatus: 422 }
) {}

/** The code of a kind of failure: `AccountNameTaken` → `account_name_taken`. */
export const codeOf = (tag: string): string => tag.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** Every failure of a use case becomes a refusal with the code of its kind and the message it was given for people. */
export const refuse = (error: { readonly _tag: string; readonly message: string }): AdminRefused =>
  error instanceof AdminRefused ? error : new AdminRefused({ code: codeOf(error._tag), message: error.message })

/** Ends a use case; what the store said is for the log, since the person is told what to do instead. */
export const refused = <A, E extends { readonly _tag: string; readonly message: string; readonly cause?: unknown }, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<A, AdminRefused, R> =>
  self.pipe(
    Effect.tapError((error) =>
      error._tag === "StorageUnavailable" ? Effect.logError(error.message, error.cause) : Effect.void
    ),
    Effect.mapError(refuse)
  )

/** Port: which assets are registered, and what is known of them (interface.md, commit, precondition). */
import { Context, type Effect, type Option, Schema } from "effect"
import type { StorageUnavailable } from "./ContentStore.ts"

export class Registration extends Schema.Class<Registration>("@treemark/core/ledger/Registration")({
  assetCid: Schema.NonEmptyString,
  /** 64 lower-case hex digits. */
  assetSha256: Schema.NonEmptyString,
  encodingFormat: Schema.NonEmptyString,
  /** Bytes; null when the content lives elsewhere and its size was not told. */
  size: Schema.NullOr(Schema.Int)
}) {}

export class Registry extends Context.Service<
  Registry,
  {
    readonly find: (assetCid: string) => Effect.Effect<Option.Option<Registration>, StorageUnavailable>
  }
>()("@treemark/core/ledger/Registry") {}

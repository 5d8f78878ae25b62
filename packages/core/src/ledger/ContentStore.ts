/** Port: a store of blocks named by their CID. Every block is hashed against its CID on the way in and on every read. */
import { Context, type Effect, type Option, Schema } from "effect"

export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  doing: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `The store could not be used while ${this.doing}. Look at the daemon's log for the cause (a full disk, a read-only folder, a database that is down), mend it and call again.`
  }
}

export class ContentStore extends Context.Service<
  ContentStore,
  {
    /** Stores `bytes` under `cid`; storing the same block again changes nothing. Dies when the bytes do not hash to `cid`. */
    readonly put: (cid: string, bytes: Uint8Array) => Effect.Effect<void, StorageUnavailable>
    /** The block named `cid`, none when the store does not hold it; a block whose bytes no longer hash to `cid` is a failure. */
    readonly get: (cid: string) => Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable>
    /** Where a reader can fetch the block from: the commit record's `actionResult`. */
    readonly locationOf: (cid: string) => string
  }
>()("@treemark/core/ledger/ContentStore") {}

/** What can be wrong with a stored block. These are causes inside `StorageUnavailable`, for the daemon's log. */
import { Schema } from "effect"

export class BlockDamaged extends Schema.TaggedError<BlockDamaged>()("BlockDamaged", {
  cid: Schema.String,
  /** "the file …", or wherever else it is kept. */
  place: Schema.String
}) {
  override get message() {
    return `What ${this.place} holds is no longer the content of ${this.cid}: it was changed, or the disk is failing. It was not served. Check the disk, then restore it from a backup, or register the asset's file again, which writes it anew.`
  }
}

export class BlockMissing extends Schema.TaggedError<BlockMissing>()("BlockMissing", {
  cid: Schema.String,
  parent: Schema.String
}) {
  override get message() {
    return `The block ${this.cid}, a part of ${this.parent}, is not in the store: its file was removed, or only a part of a backup was restored. Restore it, or register the asset's file again, which writes it anew.`
  }
}

export class BlockMisfit extends Schema.TaggedError<BlockMisfit>()("BlockMisfit", {
  cid: Schema.String,
  parent: Schema.String
}) {
  override get message() {
    return `The block ${this.cid} is not what its parent ${this.parent} says it is (a part of a file of a certain size), so the file cannot be put together. Both are whole; the program that built them was faulty. Register the asset's file again.`
  }
}

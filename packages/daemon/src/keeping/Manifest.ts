/**
 * `backup.json`, written last: a folder without it is no backup. It names every file with its size and sha256; blocks are counted, since
 * each one's name is its hash.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { Schema } from "effect"

export const BACKUP_MEDIA_TYPE = "application/vnd.treemark.backup+json;version=1"

export const MANIFEST_FILE = "backup.json"

/** The folder of the blocks, in a backup as in a data folder. */
export const BLOCKS_FOLDER = "blocks"

export const Manifest = Schema.Struct({
  mediaType: Schema.Literal(BACKUP_MEDIA_TYPE),
  /** Version of treemarkd that made it. */
  version: Schema.String,
  createdAt: Schema.String,
  profile: Schema.String,
  files: Schema.Array(
    Schema.Struct({
      /** In the data folder; no folders, so nothing can be written elsewhere. */
      name: Schema.String.check(Schema.isPattern(/^[\w-]+(?:\.[\w-]+)*$/u)),
      size: Schema.Int,
      sha256: Schema.String
    })
  ),
  blocks: Schema.Struct({ count: Schema.Int, bytes: Schema.Int }),
  /** What a restored data folder needs besides, as sentences for people. */
  notes: Schema.Array(Schema.String)
})
export type Manifest = typeof Manifest.Type

/** sha256 of a file, 64 lower-case hex digits. */
export const sha256OfFile = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest("hex")
}

/** Where the block folder keeps a block: sharded by the last but one two characters of its CID, which are the end of its hash. */
import { join } from "node:path"

/** The file of the block `cid` (CIDv1 in base32) in `folder`. */
export const blockPath = (folder: string, cid: string): string => join(folder, cid.slice(-3, -1), cid)

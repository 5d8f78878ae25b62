/** The links of a stored block. Only dag-pb has any here: trees (dag-json) have none by the rules, leaves are raw. */
import * as DagPb from "@ipld/dag-pb"
import type { CID } from "multiformats/cid"

export interface Block {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** In the order of the node. A block that is no dag-pb node in spite of its CID has no links; whoever reads it sees that. */
export const linksOf = ({ bytes, cid }: Block): ReadonlyArray<CID> => {
  if (cid.code !== DagPb.code) return []
  try {
    return DagPb.decode(bytes).Links.map(({ Hash }) => Hash)
  } catch {
    return []
  }
}

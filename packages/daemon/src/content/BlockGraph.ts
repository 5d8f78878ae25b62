/** The links of a stored block. Only dag-pb has any here: trees (dag-json) have none by the rules, leaves are raw. */
import * as DagPb from "@ipld/dag-pb"
import type { CID } from "multiformats/cid"
import { isShard } from "./UnixfsNode.ts"

export interface Block {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** In the order of the node. A block that is no dag-pb node in spite of its CID has no links; whoever reads it sees that. */
export const linksOf = (block: Block): ReadonlyArray<CID> => namedLinksOf(block).map(({ Hash }) => Hash)

/** Of a folder in shards those links that are shards again: their names are two digits alone, without a file's name after them. */
export const shardsOf = (block: Block): ReadonlyArray<CID> =>
  namedLinksOf(block)
    .filter(({ Name }) => Name?.length === 2)
    .map(({ Hash }) => Hash)

/** The link of the folder `block` to what is called `name` there. A folder in shards has them elsewhere. */
export const linkNamed = (block: Block, name: string): CID | undefined =>
  namedLinksOf(block).find(({ Name }) => Name === name)?.Hash

/** Whether `block` is a part of a folder in shards. */
export const isSharded = (block: Block): boolean => {
  const data = nodeOf(block)?.Data
  return data !== undefined && isShard(data)
}

const namedLinksOf = (block: Block): ReadonlyArray<DagPb.PBLink> => nodeOf(block)?.Links ?? []

const nodeOf = ({ bytes, cid }: Block): DagPb.PBNode | undefined => {
  if (cid.code !== DagPb.code) return undefined
  try {
    return DagPb.decode(bytes)
  } catch {
    return undefined
  }
}

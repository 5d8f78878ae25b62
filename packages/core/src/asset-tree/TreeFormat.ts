/**
 * How a tree becomes bytes and a CID. The default, canonical dag-json, is the only one Treemark writes; it is a service so
 * that a network whose readers expect another form can have its own.
 */
import { Context } from "effect"
import type { AssetTree } from "./AssetTree.ts"
import { checksumOf } from "./Checksum.ts"
import { treeCidOf } from "./Cid.ts"
import { encodeDagJson } from "./DagJson.ts"

/** A tree in its final bytes, with the two names those bytes have. */
export interface EncodedTree {
  readonly bytes: Uint8Array
  /** sha256 of `bytes`, 64 lower-case hex digits: what is signed. */
  readonly sha256: string
  readonly cid: string
}

export const DagJson = {
  name: "dag-json",
  encode: (tree: AssetTree): EncodedTree => {
    const bytes = encodeDagJson(tree)
    return { bytes, sha256: checksumOf(bytes), cid: treeCidOf(bytes) }
  }
} as const

export const TreeFormat = Context.Reference<{
  readonly name: string
  readonly encode: (tree: AssetTree) => EncodedTree
}>("@treemark/core/asset-tree/TreeFormat", { defaultValue: () => DagJson })

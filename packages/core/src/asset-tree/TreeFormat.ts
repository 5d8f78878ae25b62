/**
 * How a tree becomes bytes and a CID. The default is canonical dag-json; it is a service so that a network whose readers expect
 * another form can have its own, such as nit's.
 */
import { Context } from "effect"
import type { NetworkRole } from "../ledger/Ledger.ts"
import type { AssetTree } from "./AssetTree.ts"
import { checksumOf } from "./Checksum.ts"
import { treeCidOf } from "./Cid.ts"
import { encodeDagJson } from "./DagJson.ts"
import { NitTree } from "./NitTree.ts"

/** A tree in its final bytes, with the two names those bytes have. */
export interface EncodedTree {
  readonly bytes: Uint8Array
  /** sha256 of `bytes`, 64 lower-case hex digits: what is signed. */
  readonly sha256: string
  readonly cid: string
}

/** A rule of the format that a request's `custom` breaks; `path` is a JSON pointer into the request. */
export interface CustomProblem {
  readonly path: string
  readonly message: string
}

export interface TreeEncoding {
  readonly name: TreeFormatName
  /** A tree of a request whose `custom` has no problems. */
  readonly encode: (tree: AssetTree) => EncodedTree
  /** What of the tree's `custom` this format cannot hold. */
  readonly customProblems: (tree: AssetTree) => ReadonlyArray<CustomProblem>
}

export type TreeFormatName = "dag-json" | "nit"

export const DagJson: TreeEncoding = {
  name: "dag-json",
  encode: (tree) => {
    const bytes = encodeDagJson(tree)
    return { bytes, sha256: checksumOf(bytes), cid: treeCidOf(bytes) }
  },
  customProblems: () => []
}

export const TREE_FORMATS: Readonly<Record<TreeFormatName, TreeEncoding>> = { "dag-json": DagJson, nit: NitTree }

/** The format of the trees of a network. */
export const TreeFormat = Context.Reference<{ readonly on: (network: NetworkRole) => TreeEncoding }>(
  "@treemark/core/asset-tree/TreeFormat",
  { defaultValue: () => ({ on: () => DagJson }) }
)

/** What a form of asset trees has to do: turn a tree into bytes, with the two names those bytes have. */
import type { AssetTree } from "./AssetTree.ts"

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

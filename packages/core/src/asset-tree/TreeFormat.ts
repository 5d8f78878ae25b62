/**
 * How a tree becomes bytes and a CID. The default is canonical dag-json; it is a service so that a network whose readers expect
 * another form can have its own, such as nit's.
 */
import { Context } from "effect"
import type { NetworkRole } from "../identity/NetworkRole.ts"
import { checksumOf } from "./Checksum.ts"
import { treeCidOf } from "./Cid.ts"
import { encodeDagJson } from "./DagJson.ts"
import { NitTree } from "./NitTree.ts"
import type { TreeEncoding, TreeFormatName } from "./TreeEncoding.ts"

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

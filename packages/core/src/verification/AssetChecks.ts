/** The asset itself: its measured bytes against the sha256 and the CID that the tree names. */
import { bytesToHex } from "@noble/hashes/utils.js"
import { isSha256Text } from "../asset-tree/Checksum.ts"
import { DAG_PB_CODE, type ParsedCid, parseCid, RAW_CODE, SHA2_256_CODE } from "../asset-tree/Cid.ts"
import { isSameBytes } from "../identity/SameBytes.ts"
import { textMember } from "../json/JsonValue.ts"
import type { MeasuredAsset } from "./AssetMeter.ts"
import type { Evidence } from "./Evidence.ts"
import { type Check, passed, stopped } from "./Report.ts"

export const assetSha256 = ({ input, tree }: Evidence): Check => {
  const name = "asset-sha256"
  const expected = textMember(tree?.members, "assetSha256")?.toLowerCase()
  const compared = { expected, actual: input.asset?.sha256 }
  if (input.asset === undefined) return stopped(name, "asset_not_given", compared)
  if (expected === undefined) return stopped(name, "asset_sha256_not_named", compared)
  if (!isSha256Text(expected)) return stopped(name, "asset_sha256_malformed", compared)
  return expected === input.asset.sha256 ? passed(name, compared) : stopped(name, "asset_sha256_differs", compared)
}

export const assetCid = ({ input, tree }: Evidence): Check => {
  const name = "asset-cid"
  const expected = textMember(tree?.members, "assetCid")
  if (input.asset === undefined) return stopped(name, "asset_not_given", { expected })
  const isTiedBySha256 = textMember(tree?.members, "assetSha256") !== undefined
  if (expected === undefined) return stopped(name, isTiedBySha256 ? "asset_cid_not_named" : "asset_not_tied")
  switch (compareCid(expected, input.asset)) {
    case "same":
      return passed(name, { expected, actual: expected })
    case "different":
      return stopped(name, "asset_cid_differs", { expected, actual: input.asset.rawCid })
    case "unknown":
      return stopped(name, isTiedBySha256 ? "asset_cid_not_comparable" : "asset_not_tied", {
        expected,
        actual: input.asset.unixfsCid
      })
  }
}

/**
 * A raw CID holds the file's own sha256. The digest in a UnixFS CID is of a node that holds links or wraps the file, never of the file: it is
 * compared with the node rebuilt from the file in the usual way, and with nothing else. Of a file in one block that way makes no node.
 */
const compareCid = (text: string, asset: MeasuredAsset): "same" | "different" | "unknown" => {
  const cid = parseCid(text)
  if (cid === undefined || cid.hash !== SHA2_256_CODE) return "unknown"
  if (cid.codec === RAW_CODE) return bytesToHex(cid.digest) === asset.sha256 ? "same" : "different"
  const rebuilt = asset.unixfsCid === undefined ? undefined : parseCid(asset.unixfsCid)
  return rebuilt !== undefined && cid.codec === DAG_PB_CODE && isSameContent(cid, rebuilt) ? "same" : "unknown"
}

/** Whatever their versions and letters: codec and multihash name the content. */
const isSameContent = (left: ParsedCid, right: ParsedCid): boolean =>
  left.codec === right.codec && left.hash === right.hash && isSameBytes(left.digest, right.digest)

/** Whether only a rebuilt UnixFS graph can be compared with this asset CID, so that measuring should build one. */
export const needsUnixfs = (assetCid: string | undefined): boolean =>
  assetCid !== undefined && parseCid(assetCid)?.codec === DAG_PB_CODE

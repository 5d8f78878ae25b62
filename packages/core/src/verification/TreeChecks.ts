/** Integrity: the tree reads as JSON, and its exact bytes have the checksum and the CID that it is named by. */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { isSha256Text } from "../asset-tree/Checksum.ts"
import { cidOfSha256, DAG_JSON_CODE, parseCid, RAW_CODE, SHA2_256_CODE } from "../asset-tree/Cid.ts"
import { dagJsonText } from "../json/CanonicalJson.ts"
import { textMember } from "../json/JsonValue.ts"
import type { Code } from "./Codes.ts"
import type { Evidence, Tree } from "./Evidence.ts"
import { malformedMember } from "./RecordChecks.ts"
import { type Check, passed, stopped } from "./Report.ts"

export const treeJson = ({ tree }: Evidence): Check => {
  if (tree === undefined) return stopped("tree-json", "tree_not_given")
  const malformed = tree.members && malformedMember(tree.members, { text: ["assetCid", "assetSha256"], number: [] })
  if (malformed !== undefined) return stopped("tree-json", "tree_member_malformed", malformed)
  if (tree.problem === undefined) return passed("tree-json")
  return stopped("tree-json", tree.problem.code, { expected: "one JSON object", actual: tree.problem.message })
}

export const treeSha256 = ({ tree, namedSha256 }: Evidence): Check => {
  const name = "tree-sha256"
  const compared = { expected: namedSha256, actual: tree?.sha256 }
  if (namedSha256 === undefined) return stopped(name, "tree_sha256_not_given", compared)
  if (!isSha256Text(namedSha256)) return stopped(name, "tree_sha256_malformed", compared)
  if (tree === undefined) return stopped(name, "tree_not_given", compared)
  return tree.sha256 === namedSha256 ? passed(name, compared) : stopped(name, "tree_sha256_differs", compared)
}

/** The digest inside the CID is compared with the tree's; without a tree, with the checksum named. */
export const treeCid = (evidence: Evidence): Check => {
  const name = "tree-cid"
  const [expected, other] = namedTreeCids(evidence)
  const digest = evidence.tree?.sha256 ?? evidence.checksum
  const cid = expected === undefined ? undefined : parseCid(expected)
  const stop = (code: Code) => stopped(name, code, { expected, actual: computedTreeCid(evidence) ?? digest })
  if (expected === undefined) return stop("tree_cid_not_given")
  if (other !== undefined) return stopped(name, "tree_cid_ambiguous", { expected, actual: other })
  if (cid === undefined) return stop("tree_cid_malformed")
  if (cid.codec !== RAW_CODE && cid.codec !== DAG_JSON_CODE) return stop("tree_cid_codec")
  if (cid.hash !== SHA2_256_CODE) return stop("tree_cid_hash")
  if (digest === undefined) return stop("tree_not_given")
  return bytesToHex(cid.digest) === digest ? passed(name, { expected, actual: expected }) : stop("tree_cid_differs")
}

/** Every CID the tree is named by, each once: the proof's, the commit record's. */
export const namedTreeCids = ({ input }: Evidence): ReadonlyArray<string> => {
  const [first, second] = [input.treeCid, textMember(input.record, "assetTreeCid")]
  if (first === undefined || first === second) return second === undefined ? [] : [second]
  return second === undefined ? [first] : [first, second]
}

/** The CID that the tree's bytes really have, under the codec it is named by or else the usual one. */
export const computedTreeCid = (evidence: Evidence): string | undefined => {
  const { input, tree } = evidence
  if (input.tree === undefined || tree === undefined) return undefined
  const named = namedTreeCids(evidence)[0]
  const codec = named === undefined ? undefined : parseCid(named)?.codec
  return codec === RAW_CODE || codec === DAG_JSON_CODE
    ? cidOfSha256(codec, hexToBytes(tree.sha256))
    : cidOfSha256(isCanonical(input.tree, tree) ? DAG_JSON_CODE : RAW_CODE, hexToBytes(tree.sha256))
}

/** Older clients write indented JSON and name it by a raw CID; canonical dag-json is named by a dag-json CID. */
const isCanonical = (bytes: Uint8Array, tree: Tree): boolean => {
  if (tree.members === undefined) return false
  try {
    return dagJsonText(tree.members) === new TextDecoder().decode(bytes)
  } catch {
    return false
  }
}

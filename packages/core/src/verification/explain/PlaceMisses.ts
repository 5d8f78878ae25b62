/** Near misses of the asset's file and of the place on the ledger. */

import { isSha256Text } from "../../asset-tree/Checksum.ts"
import { DAG_PB_CODE, parseCid } from "../../asset-tree/Cid.ts"
import { textMember } from "../../json/JsonValue.ts"
import { readLog } from "../../proof/Receipt.ts"
import type { Evidence } from "../Evidence.ts"
import { openInclusion } from "../InclusionProof.ts"
import type { Check } from "../Report.ts"
import type { NearMiss } from "./Explanation.ts"

/** For the check asset-sha256, when it fails. */
export const assetMiss = ({ input, tree }: Evidence): NearMiss | undefined => {
  const named = textMember(tree?.members, "assetSha256")
  if (input.asset === undefined || tree === undefined || named === undefined) return undefined
  if (input.asset.sha256 === tree.sha256) {
    return {
      kind: "asset_is_tree",
      advice:
        "The file given as the asset is the asset tree itself. Give the photo, video or text that the tree describes."
    }
  }
  const digits = named.trim().replace(/^0x/i, "").toLowerCase()
  return !isSha256Text(named) && digits === input.asset.sha256
    ? {
        kind: "hash_spelling",
        advice: `The tree names the right sha256, but not as 64 hexadecimal digits alone. It would pass as ${digits}; the tree is signed, so it has to be committed again.`
      }
    : otherFile(named, input.asset.size)
}

/** Nothing can be told of two files from their hashes but that they are two. */
const otherFile = (named: string, size: number): NearMiss | undefined =>
  isSha256Text(named)
    ? {
        kind: "asset_other_file",
        advice: `This file (${size} bytes) is another than the one that was signed; what the record says of its own file stands as it is. Messengers, mail programs, photo apps and websites write files anew when they send, resize, turn or strip them, so even the same picture becomes another file. Ask whoever has the original for it as it is (as a document or an attachment, not as a photo): the one whose sha256 is ${named.toLowerCase()}.`
      }
    : undefined

/** For the check asset-cid. `bySha256`: what asset-sha256 says; with the same bytes, only how they were cut can make another CID. */
export const assetCidMiss = ({ input, tree }: Evidence, bySha256: Check | undefined): NearMiss | undefined => {
  const named = textMember(tree?.members, "assetCid")
  const cid = named === undefined ? undefined : parseCid(named)
  return input.asset !== undefined && cid?.codec === DAG_PB_CODE && bySha256?.outcome === "pass"
    ? {
        kind: "asset_cut_otherwise",
        advice:
          "The sha256 fits, so the file is the right one. A UnixFS CID also depends on how the file was cut into blocks (chunk size, raw leaves, links a node): this one was made with other settings than the usual ones, and which cannot be told from the CID."
      }
    : undefined
}

/** More logs, or longer ones, are not searched. */
const MOST_LOGS = 16
const MOST_BYTES = 256 * 1024

/** For the check ledger-inclusion, when it does not pass. */
export const ledgerMiss = (evidence: Evidence): NearMiss | undefined =>
  evidence.inclusion?.ok === false ? otherLog(evidence) : otherBlock(evidence)

const otherLog = ({ input, tree }: Evidence): NearMiss | undefined => {
  const { inclusion, ledger } = input
  if (inclusion === undefined || ledger === undefined || sizeOf(inclusion.receipt) > MOST_BYTES) return undefined
  const event = { assetCid: textMember(tree?.members, "assetCid"), commitData: input.commitData }
  const count = Math.min(MOST_LOGS, readLog(inclusion.receipt.value, 0)?.count ?? 0)
  for (let logPosition = 0; logPosition < count; logPosition++) {
    if (logPosition === inclusion.logPosition) continue
    const place = { ...ledger, logIndex: ledger.logIndex + logPosition - inclusion.logPosition }
    if (!openInclusion({ ...inclusion, logPosition }, place, event).ok) continue
    return {
      kind: "ledger_other_log",
      advice: `The commit is in this transaction, but as log ${logPosition} of the receipt; the proof says log ${inclusion.logPosition}. It would pass with that position and logIndex ${place.logIndex}.`
    }
  }
  return undefined
}

const sizeOf = ({ value, path }: { readonly value: Uint8Array; readonly path: ReadonlyArray<Uint8Array> }): number =>
  path.reduce((sum, node) => sum + node.length, value.length)

const otherBlock = ({ input }: Evidence): NearMiss | undefined => {
  const { checkpoints = [], ledger } = input
  if (ledger === undefined) return undefined
  const wanted = ledger.blockHash.toLowerCase()
  for (const { chainId, hashes } of checkpoints) {
    for (const [number, hash] of hashes) {
      if (hash !== wanted || (chainId === ledger.chainId && number === ledger.blockNumber)) continue
      return chainId === ledger.chainId
        ? {
            kind: "ledger_other_block",
            advice: `Your checkpoint has this very block hash, but as block ${number}; the proof says block ${ledger.blockNumber}. It would pass with that number.`
          }
        : {
            kind: "ledger_other_chain",
            advice: `Your checkpoint of chain ${chainId} has this very block hash as block ${number}; the proof says chain ${ledger.chainId}. It would pass as a proof of chain ${chainId}.`
          }
    }
  }
  return undefined
}

/**
 * An exported history: which commits of an asset the ledger has, in its order, and the proof of each (docs/proof-format.md has the proof).
 * In a folder it is `history.json`, which names the files of the proofs; in a CAR it is the root block, dag-json, which links to the
 * proofs as raw blocks. A commit without a proof says why, and carries the text that stands on the ledger.
 */
import { cidOf, DAG_JSON_CODE, RAW_CODE } from "../asset-tree/Cid.ts"
import { dagJsonText } from "../json/CanonicalJson.ts"
import type { JsonValue } from "../json/JsonValue.ts"

export const HISTORY_MEDIA_TYPE = "application/vnd.treemark.history+json;version=1"

/** Name of the index in the folder of an export. */
export const HISTORY_FILE = "history.json"

interface HistoryPlace {
  readonly txHash: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly logIndex: number
  readonly recorder: string
}

export type HistoryCommit =
  /** `proof`: the file's name in the folder, or the CID of its block in a CAR. */
  | (HistoryPlace & { readonly proof: string })
  | (HistoryPlace & { readonly proof: null; readonly reason: string; readonly commitData: string })

export interface HistoryDocument {
  readonly mediaType: typeof HISTORY_MEDIA_TYPE
  readonly assetCid: string
  readonly network: { readonly chainId: number; readonly contract: string }
  /** Oldest first. */
  readonly commits: ReadonlyArray<HistoryCommit>
}

export interface HistoryBlock {
  readonly cid: string
  readonly bytes: Uint8Array
}

/** The text of `history.json`: two-space JSON with a newline at the end. */
export const historyText = (history: HistoryDocument): string => `${JSON.stringify(history, null, 2)}\n`

/** The block of a proof file: its exact bytes, raw. */
export const proofBlock = (bytes: Uint8Array): HistoryBlock => ({ cid: cidOf(RAW_CODE, bytes), bytes })

/** The root block: the document in dag-json, each proof's CID as a link. */
export const historyBlock = ({ assetCid, commits, mediaType, network }: HistoryDocument): HistoryBlock => {
  const bytes = new TextEncoder().encode(
    mapText({
      assetCid: dagJsonText(assetCid),
      commits: `[${commits.map(commitText).join(",")}]`,
      mediaType: dagJsonText(mediaType),
      network: dagJsonText(network)
    })
  )
  return { cid: cidOf(DAG_JSON_CODE, bytes), bytes }
}

const commitText = (commit: HistoryCommit): string => {
  const members = Object.entries(commit).map(([name, value]): [string, string] => [
    name,
    name === "proof" && value !== null ? mapText({ "/": dagJsonText(value) }) : dagJsonText(value as JsonValue)
  ])
  return mapText(Object.fromEntries(members))
}

/** Keys are ASCII here, where the order of UTF-16 units is the order of bytes. */
const mapText = (members: Readonly<Record<string, string>>): string =>
  `{${Object.keys(members)
    .sort()
    .map((name) => `${dagJsonText(name)}:${members[name]}`)
    .join(",")}}`

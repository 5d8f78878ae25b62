/**
 * What is said of a commit that a watch over an author found, as programs get it (one shape for `/events` and webhooks) and as a person reads it
 * in the log. Anybody may write anything on a ledger: nothing of the record stands in a sentence, and what only claims to be the author's is
 * told apart from what the author signed.
 */
import type { JsonObject } from "@treemark/core/verify"

/**
 * Why a commit concerns the author, the strongest first: their key signed the tree that it records; their own wallet recorded it; it names
 * them and nothing shows that they know; it is somebody else's, of an asset that is registered here.
 */
export type Why = "signed" | "recorded" | "claimed" | "asset"

/** `commit`: it is on the ledger. `withdrawn`: it was, and fell out for good. `restored`: it is there again after all. */
export type AlertKind = "commit" | "withdrawn" | "restored"

export interface Alert {
  /** Of the delivery; the same however often it is sent. */
  readonly id: string
  readonly type: AlertKind
  readonly author: string
  readonly why: Why
  /** `author`: the author signed what was done too. `recorder`: what was done is the word of the wallet that recorded it. */
  readonly actBy: "author" | "recorder"
  /** Whether the tree is here and was checked with the signature; without it the signature is one of a checksum. */
  readonly isTreeHere: boolean
  /** A sentence or three. */
  readonly text: string
  readonly network: string
  readonly chainId: number
  readonly contract: string
  readonly txHash: string
  readonly blockNumber: number
  readonly recorder: string
  /** Null where the asset is not registered here: the ledger tells only the hash of its CID. */
  readonly assetCid: string | null
  /** keccak-256 of the asset's CID. */
  readonly assetTopic: string
  /** The commit record; null when it is over 16 KiB or no JSON object. */
  readonly commit: JsonObject | null
  /** When it was found (ISO 8601). */
  readonly foundAt: string
}

/** What stays the same however often and on which occasion it is told. */
export type Finding = Omit<Alert, "id" | "type" | "text">

export const alertOf = (finding: Finding, id: string, type: AlertKind): Alert => ({
  id,
  type,
  ...finding,
  text: sentence(finding, type)
})

/** What a person reads; `finding` has no text of a stranger in it. */
export const sentence = (finding: Finding, type: AlertKind): string => {
  const { author, network, txHash } = finding
  if (type === "withdrawn") {
    return `The commit that was told of for ${author}, transaction ${txHash} on ${network}, is on the ledger no more: its block fell out of the chain and it did not come back.`
  }
  const told = type === "restored" ? "The commit that was withdrawn is on the ledger again. " : ""
  return `${told}${MEANINGS[finding.why](finding)} Transaction ${txHash}, block ${finding.blockNumber} of ${network}.${nextStep(finding)}`
}

const asset = ({ assetCid }: Finding): string =>
  assetCid === null ? "an asset that is not registered here" : `the asset ${assetCid}`

const act = ({ actBy, recorder }: Finding): string =>
  actBy === "author" ? "They signed what was done too." : `What was done with it is the word of ${recorder}.`

const MEANINGS: { readonly [why in Why]: (finding: Finding) => string } = {
  signed: (finding) =>
    `A commit SIGNED by ${finding.author} was recorded by ${finding.recorder}, of ${asset(finding)}. ${act(finding)}`,
  recorded: (finding) =>
    `The wallet ${finding.author} itself recorded a commit, of ${asset(finding)}, whose tree carries no signature of that wallet.`,
  claimed: (finding) =>
    `Somebody CLAIMS to commit for ${finding.author}, without a signature of that key that holds: recorded by ${finding.recorder}, of ${asset(finding)}.`,
  asset: (finding) =>
    `Somebody else committed on ${asset(finding)}, which is registered here: recorded by ${finding.recorder}, not in the name of ${finding.author}.`
}

const nextStep = ({ assetCid, why }: Finding): string => {
  if (why === "signed" || why === "recorded") {
    return " If that was not you, the key is in other hands: treat it as lost, and say so with a revocation (docs/operations.md)."
  }
  return assetCid === null ? "" : ` Look at it with: treemarkd log ${assetCid}`
}

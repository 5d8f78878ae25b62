/**
 * What an author signs to say "I did this": the act, beside the tree (decisions.md, section 10). A tree's signature covers an asset's
 * properties and goes with the tree wherever anybody records it; an act names what was done, when, on which chain and in which contract,
 * so that its signature is worth nothing elsewhere. `actSignature` of a commit record is EIP-191 over {@link actChecksum} as text.
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { checksumOf } from "../asset-tree/Checksum.ts"
import { toEip55 } from "../identity/Eip55.ts"
import { dagJsonText } from "../json/CanonicalJson.ts"

/** What an author signs who signs what is done with an asset, and not only what the asset is. */
export interface ActStatement {
  /** The record's `abstract`: the commit message, or `Action NAME.` */
  readonly abstract: string
  /** Nid of the action's profile. */
  readonly action: string
  /** Checksum of the tree it was done with: 64 hex digits in any letter case. */
  readonly assetTreeSha256: string
  /** Address in any letter case. */
  readonly author: string
  readonly chainID: number
  /** The commit contract; address in any letter case. */
  readonly contract: string
  /** Unix time in seconds. */
  readonly timestampCreated: number
}

/**
 * The checksum of an act, which its author signs as text: sha256 of the canonical dag-json of exactly these seven members, in 64
 * lower-case hex digits. Addresses count with their EIP-55 checksum, the tree's checksum in lower case.
 *
 * @throws TypeError for what dag-json cannot carry, such as a lone surrogate or a number beyond 2^53; RangeError for what is no address.
 */
export const actChecksum = (act: ActStatement): string => checksumOf(actBytes(act))

/** The bytes behind {@link actChecksum}, for people who want to see what they sign. */
export const actBytes = (act: ActStatement): Uint8Array =>
  utf8ToBytes(
    dagJsonText({
      abstract: act.abstract,
      action: act.action,
      assetTreeSha256: act.assetTreeSha256.toLowerCase(),
      author: toEip55(act.author),
      chainID: act.chainID,
      contract: toEip55(act.contract),
      timestampCreated: act.timestampCreated
    })
  )

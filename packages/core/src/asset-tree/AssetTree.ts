/**
 * The asset tree: the properties of an asset, and nothing about the chain it is committed on, so that one request gives one
 * tree on every network (decisions.md, section 5). What was done, and by whom it was sent, is in the commit record.
 */
import type { WalletAddress } from "../identity/WalletAddress.ts"
import type { JsonObject } from "../json/JsonValue.ts"
import { licenseOf } from "./License.ts"

export type AssetTree = JsonObject

/** What of a commit request goes into the tree. */
export interface TreeFields {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
  readonly assetTimestampCreated: number
  readonly assetCreator: string
  readonly licenseName?: string
  readonly licenseDocument?: string
  readonly abstract?: string
  readonly headline?: string
  readonly integrityCid?: string
  readonly nftChainID?: number
  readonly nftContractAddress?: string
  readonly nftTokenID?: string
  readonly custom?: JsonObject
}

/** Where the tree's signature is made: by the daemon with the caller's wallet, or by the author somewhere else. */
export type SigningPlace = "daemon" | "elsewhere"

/**
 * Builds the tree of a commit request. Deterministic: author and daemon build the very same tree from the same request,
 * author and service name, so an author can sign it without the daemon.
 *
 * `assetSourceType` is the service name of the caller's token, with `Upload` when the daemon signs and `Capture` when the
 * author signed elsewhere; one inside `custom` was dropped by the rules.
 */
export const assetTreeOf = (input: {
  readonly request: TreeFields
  readonly author: WalletAddress
  readonly serviceName: string
  readonly signedAt: SigningPlace
}): AssetTree => {
  const { request } = input
  return {
    assetCid: request.assetCid,
    assetSha256: request.assetSha256,
    encodingFormat: request.encodingFormat,
    assetTimestampCreated: request.assetTimestampCreated,
    assetCreator: request.assetCreator,
    creatorWallet: input.author,
    license: licenseOf(request),
    assetSourceType: `${input.serviceName}${input.signedAt === "daemon" ? "Upload" : "Capture"}`,
    ...optionalMembers(request)
  }
}

const optionalMembers = (request: TreeFields): AssetTree => {
  const { abstract, headline, integrityCid, custom } = request
  const { nftChainID, nftContractAddress, nftTokenID } = request
  const hasNft = nftChainID !== undefined || nftContractAddress !== undefined || nftTokenID !== undefined
  return {
    ...(abstract === undefined ? {} : { abstract }),
    ...(headline === undefined ? {} : { headline }),
    ...(integrityCid === undefined ? {} : { integrityCid }),
    ...(hasNft
      ? {
          nftRecord: {
            chainID: nftChainID ?? null,
            contractAddress: nftContractAddress ?? null,
            tokenID: nftTokenID ?? null
          }
        }
      : {}),
    ...(custom === undefined ? {} : { custom })
  }
}

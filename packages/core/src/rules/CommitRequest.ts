/** The commit request (interface.md, "Commit request"), decoded: nulls are gone, defaults that need no caller are filled in. */
import type { Action } from "../asset-tree/Action.ts"
import type { JsonValue } from "../asset-tree/DagJson.ts"
import type { WalletAddress } from "../identity/WalletAddress.ts"

export interface CommitRequest {
  readonly encodingFormat: string
  readonly assetCid: string
  readonly assetTimestampCreated: number
  readonly assetCreator: string
  readonly assetSha256: string
  readonly testnet: boolean
  readonly action: Action
  readonly author?: WalletAddress
  readonly licenseName?: string
  readonly licenseDocument?: string
  readonly custom?: { readonly [key: string]: JsonValue }
  readonly nftContractAddress?: WalletAddress
  readonly nftChainID?: number
  readonly nftTokenID?: string
  readonly commitMessage?: string
  readonly abstract?: string
  readonly headline?: string
  readonly integrityCid?: string
  readonly assetTreeSignature?: string
}

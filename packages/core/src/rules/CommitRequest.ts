/**
 * The commit request (interface.md, "Commit request"; decisions.md, section 4): one schema, for decoding and for the
 * published API. Decoded, nulls are gone, defaults that need no caller are filled in, and each value has one spelling:
 * addresses with their EIP-55 checksum, the sha256 in lower case, the token id without leading zeros.
 */
import { Schema } from "effect"
import { ACTION_COMMIT } from "../asset-tree/Action.ts"
import { WalletAddress } from "../identity/WalletAddress.ts"
import { CustomMetadata } from "./CustomMetadata.ts"
import {
  ActionText,
  ChainId,
  CidText,
  MediaType,
  optional,
  required,
  Sha256Text,
  SignatureText,
  TokenId,
  UnixSeconds,
  withDefault
} from "./RequestFields.ts"
import { LONGEST_NAME, Text, textUpTo } from "./Text.ts"

/** The limit of interface.md for `abstract`. */
const LONGEST_ABSTRACT = 255

export const CommitRequest = Schema.Struct({
  encodingFormat: required(MediaType, "MIME type of the asset"),
  assetCid: required(CidText, "Content identifier (Cid, also called Nid) of the asset"),
  assetTimestampCreated: required(UnixSeconds, "Creation time of the asset as a Unix timestamp in seconds"),
  assetCreator: required(textUpTo(LONGEST_NAME), "Name of the asset's creator; at most 21 characters"),
  assetSha256: required(Sha256Text, "sha256 of the asset, as in its registration"),
  testnet: withDefault(Schema.Boolean, false, "true commits on the test network; default false"),
  author: optional(WalletAddress, "Address of the commit's author; default is the caller's own wallet"),
  licenseName: optional(textUpTo(LONGEST_NAME), "License name; at most 21 characters"),
  licenseDocument: optional(Text, "License document"),
  custom: optional(
    CustomMetadata,
    "Custom metadata: a JSON object, or a string that holds one. custom.generatedBy names the AI model that generated the asset (at most 21 characters); custom.assetSourceType is ignored"
  ),
  nftContractAddress: optional(WalletAddress, "Address of the asset's NFT contract"),
  nftChainID: optional(ChainId, "Chain ID of the NFT contract"),
  nftTokenID: optional(TokenId, "Token ID of the NFT, in decimal"),
  commitMessage: optional(Text, "Description of this commit"),
  action: withDefault(
    ActionText,
    ACTION_COMMIT,
    "Cid/Nid of the action profile, or the name of a predefined action; default action-commit"
  ),
  abstract: optional(textUpTo(LONGEST_ABSTRACT), "Asset description or caption; at most 255 characters"),
  headline: optional(Text, "Headline or title of the content file"),
  integrityCid: optional(CidText, "IPFS Cid of a metadata file supplied by the caller; carries additional metadata"),
  assetTreeSignature: optional(
    SignatureText,
    "EIP-191 signature by the author over the asset tree's checksum, when the author signed elsewhere"
  ),
  actSignature: optional(
    SignatureText,
    "EIP-191 signature by the author over the act's checksum: sha256 of the canonical dag-json of abstract, action, assetTreeSha256, author, chainID, contract (GET /networks) and timestampCreated. Needs assetTreeSignature and actTimestamp"
  ),
  actTimestamp: optional(
    UnixSeconds,
    "timestampCreated of the act that was signed, as a Unix timestamp in seconds, within 15 minutes of this service's clock"
  )
}).annotate({ identifier: "CommitRequest" })
export type CommitRequest = typeof CommitRequest.Type

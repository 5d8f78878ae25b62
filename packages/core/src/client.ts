/**
 * `@treemark/core/client`: a daemon called from a program or a page, with promises and plain values; nothing to install beside it.
 *
 * ```ts
 * const client = createClient({ url: "http://127.0.0.1:7053", token: "tmk_…" })
 * const { assetCid, assetSha256, encodingFormat } = await client.register(file)
 * const { txHash } = await client.commit({ assetCid, assetSha256, encodingFormat, assetCreator: "Ada", assetTimestampCreated: 1_780_000_000 })
 * ```
 */
export type {
  Account,
  AllBalances,
  AssetCommit,
  AssetsPage,
  Balance,
  CommitBody,
  CommitReceipt,
  CommitsPage,
  OwnAsset,
  Quote,
  RegisteredAsset
} from "./client/Answers.ts"
export type { CallOptions } from "./client/Calls.ts"
export {
  type AssetsOptions,
  type Client,
  type ClientOptions,
  type CommitsOptions,
  createClient,
  type FileContent,
  type PaidOptions,
  type RegisterOptions
} from "./client/Client.ts"
export type { PairedToken, Pairing, PairOptions } from "./client/Pairing.ts"
export { type FieldError, TreemarkError } from "./client/TreemarkError.ts"

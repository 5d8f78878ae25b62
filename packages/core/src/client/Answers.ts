/** What a daemon answers, as its HTTP API has it (docs/http-api.md). Amounts are decimal text, so that no digit is lost. */

/** Native tokens with exactly 4 decimals, truncated. */
export interface Balance {
  readonly balance: string
}

/** `balance`: the sum of the exact balances, then truncated to 4 decimals. */
export interface AllBalances extends Balance {
  readonly wallet: string
  readonly networks: ReadonlyArray<{ readonly name: string; readonly chainId: number; readonly balance: string }>
}

/** An asset that is registered: commits can be made for it. */
export interface RegisteredAsset {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
  readonly size: number
}

/** The body of a commit; what each field may hold is said by `checkRequest` of `@treemark/core/plain`. */
export interface CommitBody {
  readonly encodingFormat: string
  readonly assetCid: string
  /** Unix time in seconds. */
  readonly assetTimestampCreated: number
  readonly assetCreator: string
  readonly assetSha256: string
  readonly testnet?: boolean | null
  readonly author?: string | null
  readonly licenseName?: string | null
  readonly licenseDocument?: string | null
  readonly custom?: object | string | null
  readonly nftContractAddress?: string | null
  readonly nftChainID?: number | null
  readonly nftTokenID?: string | null
  readonly commitMessage?: string | null
  readonly action?: string | null
  readonly abstract?: string | null
  readonly headline?: string | null
  readonly integrityCid?: string | null
  readonly assetTreeSignature?: string | null
  readonly actSignature?: string | null
  readonly actTimestamp?: number | null
}

/** A commit that stands on the ledger. `explorer`: a page about its transaction. */
export interface CommitReceipt {
  readonly txHash: string
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly explorer: string
}

/** What a commit would cost. `total` is what the account needs; charged are the price and the gas really used. */
export interface Quote {
  readonly price: string
  readonly gasCeiling: string
  readonly total: string
  readonly priceListVersion: string
  readonly expiresAt: string
}

/** One commit of an asset; `commitData` stands in place of `commit` where somebody wrote no JSON object to the ledger. */
export interface AssetCommit {
  readonly txHash: string
  readonly blockNumber: number
  readonly recorder: string
  readonly commit?: { readonly [member: string]: unknown }
  readonly commitData?: string
}

/** Oldest first. `next` and `previous` name the pages beside this one: null or absent where there is none. */
export interface CommitsPage {
  readonly commits: ReadonlyArray<AssetCommit>
  readonly next?: string | null
  readonly previous?: string | null
}

/** An asset of the account. `commits`: how many; `lastCommit`: the newest. */
export interface OwnAsset extends RegisteredAsset {
  readonly name: string | null
  readonly registeredAt: string
  readonly commits: number
  readonly lastCommit: unknown
}

/** Newest first; pass `next` as `cursor` for the page after it, null where this is the last. */
export interface AssetsPage {
  readonly assets: ReadonlyArray<OwnAsset>
  readonly next: string | null
}

/** `credits`: exact; `balance`: of the wallet on the mainnet, 4 decimals. */
export interface Account extends Balance {
  readonly id: string
  readonly name: string
  readonly wallet: string
  readonly credits: string
}

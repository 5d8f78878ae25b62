/** What the daemon answers, as far as the console looks at it. */

export interface Asset {
  readonly assetCid: string
  readonly assetSha256: string
  readonly name: string | null
  readonly encodingFormat: string
  readonly size: number | null
  readonly registeredAt: string
  readonly commits: number
}

export interface AssetPage {
  readonly assets: ReadonlyArray<Asset>
  readonly next: string | null
}

/** One commit of an asset as the ledger has it. Anybody may have written it. */
export interface AssetCommit {
  readonly txHash: string
  readonly blockNumber: number
  readonly recorder: string
  readonly commit?: Readonly<Record<string, unknown>>
  readonly commitData?: string
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly wallet: string
  readonly credits: string
  readonly balance: string
}

export interface Movement {
  readonly at: string
  readonly kind: "grant" | "charge" | "settlement"
  readonly reference: string
  readonly credits: string
  readonly owed: string
}

export interface Tool {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  /** Words with spaces between; null: everything. */
  readonly scopes: string | null
  readonly origin: string | null
  /** What it may spend in a day of UTC, in native tokens; null: as much as the account. */
  readonly dailyLimit: string | null
  readonly spentToday: string
}

/** A tool that waits to be paired. */
export interface Asking {
  readonly name: string
  readonly origin: string | null
  readonly scopes: ReadonlyArray<"read" | "register" | "commit">
}

export interface Quote {
  readonly price: string
  readonly gasCeiling: string
  readonly total: string
}

export interface Registered {
  readonly assetCid: string
  readonly assetSha256: string
  readonly encodingFormat: string
  readonly size: number | null
}

export interface Committed {
  readonly txHash: string
  readonly assetCid: string
  readonly assetTreeCid: string
  readonly explorer: string
}

/** The daemon, as its operator sees it. */
export interface NodeFacts {
  readonly version: string
  readonly pid: number
  readonly profile: string
  readonly home: string
  readonly publicUrl: string
  readonly startedAt: string
  readonly memory: number
  readonly networks: ReadonlyArray<{
    readonly role: "mainnet" | "testnet"
    readonly name: string
    readonly chainId: number
    readonly contract: string
    readonly head: { readonly number: number; readonly at: string } | null
  }>
  readonly jobs: ReadonlyArray<{
    readonly kind: "commit" | "transfer"
    readonly state: string
    readonly count: number
    readonly since: string
  }>
  readonly disks: ReadonlyArray<{ readonly folder: string; readonly free: number | null; readonly size: number | null }>
  readonly log: ReadonlyArray<string>
}

/**
 * The networks of the profile, ready to be asked: a viem client for each, over HTTP or over an embedded chain's EIP-1193
 * `request`. Every client checks the chain id before its first call and rejects with `RpcFailure`. Amounts are wei.
 */
import {
  type BalanceNetwork,
  LedgerUnavailable,
  type NetworkRole,
  type TreeFormatName,
  type WalletAddress,
  walletAddress
} from "@treemark/core"
import { Context, Duration, Effect, Layer } from "effect"
import { createPublicClient, custom, defineChain, type PublicClient } from "viem"
import { COMMIT_CONTRACT_ADDRESS, LOCAL_MAINNET_CHAIN_ID, LOCAL_TESTNET_CHAIN_ID } from "./LocalNetwork.ts"
import type { LedgerChain, Profile } from "./Profile.ts"
import { httpRequest, onChain, type Request } from "./RpcTransport.ts"

/** A chain that can be asked. */
export interface Network {
  readonly name: string
  readonly chainId: number
  readonly client: PublicClient
}

/** A chain that fills a role: it takes commits. */
export interface LedgerNetwork extends Network {
  readonly role: NetworkRole
  readonly contract: WalletAddress
  readonly explorerUrl: (txHash: string) => string
  /** An embedded chain answers in milliseconds and tells of each block; its base fee never changes. */
  readonly embedded: boolean
  /** The contract's first block: there is no commit before it. */
  readonly fromBlock: bigint
  /** Whether the contract keeps `getCommits(assetCid)`. */
  readonly keepsCommits: boolean
  /** The form of the asset trees that are committed here. */
  readonly treeFormat: TreeFormatName
  /** Resolves with the chain's next block; never where nobody tells. */
  readonly nextBlock: Effect.Effect<void>
  /** Wei per gas. `tip` undefined: as the node suggests. Above `cap` nothing is sent. */
  readonly fees: { readonly tip: bigint | undefined; readonly cap: bigint }
  /** Blocks that must hold a commit or stand on top of it before it counts as made; 1 is its own block. */
  readonly confirmations: number
  /** For how many blocks a commit that counts as made is still looked after; 0: not at all. Blocks of an embedded chain are final. */
  readonly watchBlocks: number
}

/** A network of the all-networks balance. */
export interface BalanceSource extends BalanceNetwork {
  readonly network: Network
  /** Where the token is an ERC-20: its contract, and how many decimals its units have. */
  readonly token: { readonly address: WalletAddress; readonly decimals: number } | undefined
}

/** What Networks needs of an embedded chain. */
export interface EmbeddedSource {
  readonly request: Request
  /** Calls back after each block; answers how to end that. */
  readonly onBlock?: (listener: () => void) => () => void
  /** URL of a transaction in the daemon's own explorer, with HASH in the hash's place; asked late, when the port is known. */
  readonly explorer: () => string
}

export interface NetworksOptions {
  readonly profile: Profile
  /** The embedded chains, for the roles that the profile leaves to them. */
  readonly embedded?: Readonly<Partial<Record<NetworkRole, EmbeddedSource>>>
  /** For each try of a call over HTTP; 10 s by default. */
  readonly rpcTimeout?: Duration.Duration
  /** Gwei per gas above which nothing is sent; 1000 by default. */
  readonly maxFeeGwei?: number
  /** Of networks over HTTP; 1 by default. */
  readonly confirmations?: number
  /** Of networks over HTTP; 12 by default. */
  readonly watchBlocks?: number
}

const GWEI = 1_000_000_000n
const LOCAL_CHAIN_IDS = { mainnet: LOCAL_MAINNET_CHAIN_ID, testnet: LOCAL_TESTNET_CHAIN_ID }

export class Networks extends Context.Service<
  Networks,
  {
    readonly profile: string
    readonly role: (role: NetworkRole) => LedgerNetwork
    /** The mainnet, the testnet, and then what else the profile lists. */
    readonly balances: ReadonlyArray<BalanceSource>
  }
>()("@treemark/daemon/evm/Networks") {
  static readonly layer = (options: NetworksOptions) =>
    Layer.effect(
      Networks,
      Effect.gen(function* () {
        const mainnet = yield* ledgerNetwork("mainnet", options)
        const testnet = yield* ledgerNetwork("testnet", options)
        const further = options.profile.networks.map((chain): BalanceSource => {
          const network = networkOf(chain.name, chain.chain_id, httpRequestOf(chain, options))
          const token = chain.kind === "erc20" ? { address: chain.token, decimals: chain.decimals } : undefined
          return { name: chain.name, chainId: chain.chain_id, kind: chain.kind, network, token }
        })
        return Networks.of({
          profile: options.profile.name,
          role: (role) => (role === "mainnet" ? mainnet : testnet),
          balances: [nativeSource(mainnet), nativeSource(testnet), ...further]
        })
      })
    )
}

const nativeSource = (network: LedgerNetwork): BalanceSource => ({
  name: network.name,
  chainId: network.chainId,
  kind: "native",
  network,
  token: undefined
})

const ledgerNetwork = Effect.fnUntraced(function* (role: NetworkRole, options: NetworksOptions) {
  const chain = options.profile.roles[role]
  const cap = BigInt(options.maxFeeGwei ?? 1_000) * GWEI
  if (chain !== "embedded") return httpNetwork(role, chain, cap, options)
  const source = options.embedded?.[role]
  if (source === undefined) {
    return yield* new LedgerUnavailable({ network: `local ${role}`, reason: "its embedded chain is not open." })
  }
  return {
    ...networkOf(`local ${role}`, LOCAL_CHAIN_IDS[role], source.request),
    role,
    contract: walletAddress(COMMIT_CONTRACT_ADDRESS),
    explorerUrl: (hash) => source.explorer().replace("HASH", hash),
    embedded: true,
    fromBlock: 0n,
    keepsCommits: false,
    treeFormat: treeFormatOf(options, role),
    nextBlock: nextBlockOf(source),
    fees: { tip: 0n, cap },
    confirmations: 1,
    watchBlocks: 0
  } satisfies LedgerNetwork
})

const httpNetwork = (role: NetworkRole, chain: LedgerChain, cap: bigint, options: NetworksOptions): LedgerNetwork => ({
  ...networkOf(chain.name, chain.chain_id, httpRequestOf(chain, options)),
  role,
  contract: chain.contract,
  explorerUrl: (hash) => chain.explorer.replace("HASH", hash),
  embedded: false,
  fromBlock: BigInt(chain.from_block ?? 0),
  keepsCommits: chain.get_commits ?? false,
  treeFormat: treeFormatOf(options, role),
  nextBlock: Effect.never,
  fees: { tip: chain.tip_gwei === undefined ? undefined : BigInt(Math.round(chain.tip_gwei * Number(GWEI))), cap },
  confirmations: options.confirmations ?? 1,
  watchBlocks: options.watchBlocks ?? 12
})

const treeFormatOf = ({ profile }: NetworksOptions, role: NetworkRole): TreeFormatName =>
  profile.treeFormats?.[role] ?? "dag-json"

const httpRequestOf = (chain: Pick<LedgerChain, "name" | "rpc">, { rpcTimeout }: NetworksOptions): Request =>
  httpRequest({ network: chain.name, url: chain.rpc, timeout: rpcTimeout ?? Duration.seconds(10) })

/** A network over any `request`; the client neither retries nor caches, because what is under it does. */
export const networkOf = (name: string, chainId: number, request: Request): Network => ({
  name,
  chainId,
  client: createPublicClient({
    chain: defineChain({
      id: chainId,
      name,
      nativeCurrency: { name, symbol: "NATIVE", decimals: 18 },
      rpcUrls: { default: { http: [] } }
    }),
    cacheTime: 0,
    transport: custom({ request: onChain(name, chainId, request) }, { retryCount: 0 })
  })
})

const nextBlockOf = ({ onBlock }: EmbeddedSource): Effect.Effect<void> =>
  onBlock === undefined
    ? Effect.never
    : Effect.callback<void>((resume) => {
        const stop = onBlock(() => {
          stop()
          resume(Effect.void)
        })
        return Effect.sync(stop)
      })

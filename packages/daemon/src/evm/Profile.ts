/**
 * Which networks a daemon works with. `local` (embedded chains) and `numbers` are built in; a table `[profiles.NAME]` of the
 * settings file names the user's own, starting from one of those (`base`) or from nothing. Constants: decisions.md, section 2.
 */
import type { NetworkRole, TreeFormatName } from "@treemark/core"
import { WalletAddress, walletAddress } from "@treemark/core"
import { Effect, Redacted, Schema } from "effect"

export class ProfileError extends Schema.TaggedError<ProfileError>()("ProfileError", {
  profile: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `The network profile "${this.profile}" cannot be used: ${this.problem} Nothing was started; correct the settings and start again.`
  }
}

const TreeFormatText: Schema.Codec<TreeFormatName, TreeFormatName> = Schema.Literals(["dag-json", "nit"])
const ChainId = Schema.Int.check(Schema.isGreaterThan(0))
const RpcUrl = Schema.RedactedFromValue(Schema.String, { label: "rpc" })

/** A chain that takes commits, reached over HTTP. */
const LedgerChain = Schema.Struct({
  name: Schema.NonEmptyString,
  chain_id: ChainId,
  rpc: RpcUrl,
  contract: WalletAddress,
  /** URL of a transaction in the network's explorer, with HASH in the hash's place. */
  explorer: Schema.String.check(
    Schema.isPattern(/^https?:\/\/.*HASH/u, { message: "must be an http(s) URL with HASH in the transaction's place" })
  ),
  /** Tip per unit of gas, in gwei; without it the node's own suggestion is taken. */
  tip_gwei: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))),
  /** The block the contract was deployed in: nothing is looked for before it. */
  from_block: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  /** Whether the contract keeps `getCommits(assetCid)`, the blocks of an asset's commits; else the logs are searched. */
  get_commits: Schema.optionalKey(Schema.Boolean),
  /** The form of the asset trees that are committed here; dag-json by default. */
  tree_format: Schema.optionalKey(TreeFormatText)
})
export type LedgerChain = typeof LedgerChain.Type

/** A further network where the native token lives: as the chain's coin, or as an ERC-20 token. */
const BalanceChain = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("native"), name: Schema.NonEmptyString, chain_id: ChainId, rpc: RpcUrl }),
  Schema.Struct({
    kind: Schema.Literal("erc20"),
    name: Schema.NonEmptyString,
    chain_id: ChainId,
    rpc: RpcUrl,
    token: WalletAddress,
    decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  })
])
export type BalanceChain = typeof BalanceChain.Type

/** `[profiles.NAME]` as it is written. */
const ProfileTable = Schema.Struct({
  base: Schema.optionalKey(Schema.Literals(["local", "numbers"])),
  mainnet: Schema.optionalKey(LedgerChain),
  testnet: Schema.optionalKey(LedgerChain),
  networks: Schema.optionalKey(Schema.Array(BalanceChain)),
  /** Of the networks that do not name their own. */
  tree_format: Schema.optionalKey(TreeFormatText)
})

/** A profile, whole. All-networks balances cover both roles and then `networks`. */
export interface Profile {
  readonly name: string
  readonly roles: Readonly<Record<NetworkRole, LedgerChain | "embedded">>
  readonly networks: ReadonlyArray<BalanceChain>
  /** dag-json where nothing else is said. */
  readonly treeFormats?: Readonly<Partial<Record<NetworkRole, TreeFormatName>>>
}

const LOCAL: Profile = { name: "local", roles: { mainnet: "embedded", testnet: "embedded" }, networks: [] }

const NUMBERS: Profile = {
  name: "numbers",
  roles: {
    mainnet: {
      name: "Numbers Mainnet (Jade)",
      chain_id: 10507,
      rpc: Redacted.make("https://mainnetrpc.num.network", { label: "rpc" }),
      contract: walletAddress("0x7EC2F14ABE8b0Ea2F657bBb62b6fEfDe161c9001"),
      explorer: "https://mainnet.num.network/tx/HASH",
      tip_gwei: 0,
      get_commits: true
    },
    testnet: {
      name: "Numbers Testnet (Snow)",
      chain_id: 10508,
      rpc: Redacted.make("https://testnetrpc.num.network", { label: "rpc" }),
      contract: walletAddress("0x02eFA51b583d03342687b585417e5A62cd8273a4"),
      explorer: "https://testnet.num.network/tx/HASH",
      tip_gwei: 0,
      get_commits: true
    }
  },
  networks: []
}

const BUILT_IN: Readonly<Record<string, Profile>> = { local: LOCAL, numbers: NUMBERS }
const decodeTable = Schema.decodeUnknownEffect(ProfileTable, { errors: "all", onExcessProperty: "error" })

/** The profile called `name`: a built-in one, or the table of that name in `tables` (as the settings file has it). */
export const profileOf = Effect.fn("Profile.profileOf")(function* (
  name: string,
  tables: { readonly [name: string]: unknown }
) {
  const builtIn = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
  if (builtIn !== undefined) return builtIn
  const refuse = (problem: string) => new ProfileError({ profile: name, problem })
  if (!Object.hasOwn(tables, name)) {
    const known = [...Object.keys(BUILT_IN), ...Object.keys(tables)].join(", ")
    return yield* refuse(`there is no profile of that name. Known are ${known}.`)
  }
  const { formats, written } = formatsApart(snakeKeys(tables[name]))
  const table = yield* decodeTable(written).pipe(Effect.mapError((error) => refuse(`${error.message}.`)))
  const base = table.base === undefined ? undefined : BUILT_IN[table.base]
  const mainnet = table.mainnet ?? base?.roles.mainnet
  const testnet = table.testnet ?? base?.roles.testnet
  if (mainnet === undefined || testnet === undefined) {
    return yield* refuse('it names no mainnet or no testnet. Give both as tables, or a base ("local" or "numbers").')
  }
  const profile: Profile = {
    name,
    roles: { mainnet, testnet },
    networks: table.networks ?? [],
    treeFormats: { ...inBoth(table.tree_format), ...ownFormats({ mainnet, testnet }), ...formats }
  }
  const chains = [mainnet, testnet, ...profile.networks].filter((chain) => chain !== "embedded")
  const broken = chains.find((chain) => !/^https?:$/u.test(URL.parse(Redacted.value(chain.rpc))?.protocol ?? ""))
  if (broken !== undefined) return yield* refuse(`the rpc of "${broken.name}" is not an http(s) URL.`)
  const names = chains.map((chain) => chain.name)
  const twice = names.find((one, index) => names.indexOf(one) !== index)
  if (twice !== undefined)
    return yield* refuse(`two of its networks are called "${twice}"; each needs a name of its own.`)
  return profile
})

type TreeFormats = NonNullable<Profile["treeFormats"]>

const inBoth = (format: TreeFormatName | undefined): TreeFormats =>
  format === undefined ? {} : { mainnet: format, testnet: format }

const ROLES = ["mainnet", "testnet"] as const

const ownFormats = (roles: Profile["roles"]): TreeFormats =>
  Object.fromEntries(
    ROLES.flatMap((role) => {
      const chain = roles[role]
      return chain === "embedded" || chain.tree_format === undefined ? [] : [[role, chain.tree_format]]
    })
  )

const isFormat = Schema.is(Schema.Struct({ tree_format: TreeFormatText }))

/** A role's table with a `tree_format` and nothing else is no network: it is about the base's. */
const formatsApart = (table: unknown): { readonly formats: TreeFormats; readonly written: unknown } => {
  if (!isTable(table)) return { formats: {}, written: table }
  const apart = ROLES.filter((role) => isTable(table[role]) && Object.keys(table[role]).join() === "tree_format")
  const formats = apart.flatMap((role) => (isFormat(table[role]) ? [[role, table[role].tree_format] as const] : []))
  const known = new Set<string>(formats.map(([role]) => role))
  const written = Object.fromEntries(Object.entries(table).filter(([key]) => !known.has(key)))
  return { formats: Object.fromEntries(formats), written }
}

const isTable = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !Redacted.isRedacted(value)

/** Keys may be written as `treeFormat` or as `tree_format`. */
const snakeKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeKeys)
  if (!isTable(value)) return value
  const snake = (key: string): string => key.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [snake(key), snakeKeys(inner)]))
}

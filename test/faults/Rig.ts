/**
 * Where a daemon that is killed again and again keeps its books, and where its ledger is: a SQLite file and the embedded chain, or
 * PostgreSQL and anvil. What both must hold afterwards is read here without the daemon's help, except that the embedded chain lives in
 * its process and answers through it.
 */
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { createPublicClient, createTestClient, type Hex, parseEther } from "viem"
import { commitAbi, commitDeployedBytecode } from "../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS } from "../../packages/daemon/src/evm/LocalNetwork.ts"
import { Seed } from "../../packages/daemon/src/wallets/Seed.ts"
import { rowsOf } from "../end-to-end/Callers.ts"
import { launch, serving, temporaryHome } from "../end-to-end/Treemarkd.ts"
import { patientHttp, startAnvil } from "../layers/Anvil.ts"
import { startPostgres } from "../layers/PostgresCluster.ts"
import type { Bundle } from "./Bundle.ts"

/** The contract stands at the same place on every chain of these tests. */
const CONTRACT = COMMIT_CONTRACT_ADDRESS as Hex

type Env = Readonly<Record<string, string>>
export type Row = Readonly<Record<string, unknown>>

/** Books and ledger of a daemon, apart from the daemon. */
export interface Rig {
  readonly name: "SQLite" | "PostgreSQL"
  readonly home: string
  readonly env: Env
  /** Rows of the books, read beside the daemon. */
  readonly rows: (query: string) => Effect.Effect<ReadonlyArray<Row>>
  /** Tells the others at once that the daemon is dead, which they would notice after eight seconds. */
  readonly declareDead: Effect.Effect<void>
  /** Where the ledger's JSON-RPC answers, given the daemon's own address. */
  readonly rpcUrl: (daemonUrl: string) => string
  /** What `account create` asks of the faucet; elsewhere the wallet is filled by `fund`. */
  readonly faucet: boolean
  readonly fund: (wallet: string, tokens: string) => Effect.Effect<void>
}

/** A rig on the SQLite file in `home` and the daemon's own embedded chain, or the one that answers at `rpcUrl`. */
export const sqliteRigIn = (home: string, rpcUrl?: string): Rig => ({
  name: "SQLite",
  home,
  env: rpcUrl === undefined ? {} : { TREEMARK_PROFILE: "rig" },
  rows: (query) => Effect.sync(() => rowsOf(home, query)),
  declareDead: Effect.void,
  rpcUrl: (daemonUrl) => rpcUrl ?? `${daemonUrl}/rpc/mainnet`,
  faucet: rpcUrl === undefined,
  fund: () => Effect.void
})

/** A rig on a SQLite file and the embedded chain. */
export const sqliteRig = Effect.map(temporaryHome, (home) => sqliteRigIn(home))

/** anvil's own words: the service's wallet is its first account, which is rich. */
const WORDS = `${"test ".repeat(11)}junk`
const ANVIL_CHAIN = 31_337
const DATABASE = "treemark"

/** A profile of the settings file whose two roles are one chain at `url`. */
const profileText = (url: string, chainId: number): string =>
  ["mainnet", "testnet"]
    .map(
      (role) => `[profiles.rig.${role}]
name = "rig ${role}"
chain_id = ${chainId}
rpc = "${url}"
contract = "${CONTRACT}"
explorer = "https://explorer.example/tx/HASH"
`
    )
    .join("\n")

/** Settings of a daemon on the chain at `url`, in a new folder with the words of the service's wallet. */
export const homeWith = Effect.fnUntraced(function* (url: string, chainId: number) {
  const home = yield* temporaryHome
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, "treemark.toml"), profileText(url, chainId))
  yield* Seed.restore({ home, password: undefined, expectedId: undefined }, Redacted.make(WORDS)).pipe(
    Effect.provide(SecureRandom.layerWebCrypto)
  )
  return home
})

/** Mines ten times a second, as anvil's automining loses track when many are sent at once. */
const steadily = (steer: Steer) =>
  Effect.delay(
    Effect.promise(() => steer.mine({ blocks: 1 })),
    "100 millis"
  )

/** Mines what has waited for a while: longer than a job waits before it writes down that a transaction was sent. */
const lately = (steer: Steer) =>
  Effect.gen(function* () {
    yield* Effect.sleep("50 millis")
    const { pending } = yield* Effect.promise(() => steer.getTxpoolStatus())
    if (pending === 0) return
    yield* Effect.sleep("400 millis")
    yield* Effect.promise(() => steer.mine({ blocks: 1 }))
  })

const steerOf = (url: string) => createTestClient({ mode: "anvil", transport: patientHttp(url) })
type Steer = ReturnType<typeof steerOf>

/** An anvil with the commit contract. */
export const anvilChainWith = Effect.fnUntraced(function* (
  extraArgs: ReadonlyArray<string>,
  mine: (steer: Steer) => Effect.Effect<unknown> = steadily
) {
  const args = ["--no-mining", "--order", "fifo", ...extraArgs]
  const anvil = yield* startAnvil({ chainId: ANVIL_CHAIN, extraArgs: args })
  const steer = steerOf(anvil.url)
  yield* Effect.promise(() => steer.setCode({ address: CONTRACT, bytecode: commitDeployedBytecode }))
  yield* Effect.forkScoped(Effect.forever(mine(steer)))
  return { url: anvil.url, steer, chainId: ANVIL_CHAIN }
})

export const anvilChain = anvilChainWith([])

/** One whose blocks come late, so that every job is seen waiting for its own. */
export const lateAnvilChain = anvilChainWith([], lately)

export type AnvilChain = Effect.Success<typeof anvilChain>

/** A rig on PostgreSQL and anvil; `throughUrl` is what the daemon is told instead of anvil's own address. */
export const postgresRig = Effect.fnUntraced(function* (chain: AnvilChain, throughUrl: string = chain.url) {
  const postgres = yield* startPostgres
  const databaseUrl = yield* postgres.create(DATABASE)
  const ask = (statement: string) => postgres.ask(DATABASE, statement)
  const rig: Rig = {
    name: "PostgreSQL",
    home: yield* homeWith(throughUrl, chain.chainId),
    env: { TREEMARK_PROFILE: "rig", TREEMARK_DATABASE_URL: databaseUrl },
    rows: (query) =>
      Effect.map(
        ask(`SELECT COALESCE(json_agg(found), '[]') FROM (${query}) found`),
        (text) => JSON.parse(text) as ReadonlyArray<Row>
      ),
    declareDead: Effect.asVoid(ask("UPDATE replica SET lease_until = 0")),
    rpcUrl: () => chain.url,
    faucet: false,
    fund: (wallet, tokens) =>
      Effect.promise(() => chain.steer.setBalance({ address: wallet as Hex, value: parseEther(tokens) }))
  }
  return { rig, postgres }
})

const daemonProcess = (bundle: Bundle, rig: Rig, env: Env) =>
  launch(process.execPath, [bundle.program], {
    home: rig.home,
    env: { TREEMARK_PORT: "0", TREEMARK_LOG_LEVEL: "Warn", ...bundle.env, ...rig.env, ...env }
  })

/** Starts the bundled daemon of a rig; it is killed with the scope. */
export const startDaemon = Effect.fnUntraced(function* (bundle: Bundle, rig: Rig, env: Env = {}) {
  const running = yield* serving(() => daemonProcess(bundle, rig, env))
  const { addresses } = JSON.parse(running.line) as { readonly addresses: { readonly main: string } }
  return { ...running, url: addresses.main }
})

/** Starts it and kills it `milliseconds` later, ready or not. */
export const startAndKill = (bundle: Bundle, rig: Rig, milliseconds: number) =>
  Effect.promise(async () => {
    const child = daemonProcess(bundle, rig, {})
    const ended = once(child, "exit")
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    child.kill("SIGKILL")
    await ended
  })

export type Daemon = Effect.Success<ReturnType<typeof startDaemon>>

export interface OnLedger {
  readonly txHash: string
  readonly message: string
  readonly author: string
  readonly gas: bigint
}

/** Every commit on the ledger of the rig, oldest first, with the gas it cost in 10^-18. */
export const onLedger = Effect.fnUntraced(function* (rig: Rig, daemonUrl: string) {
  const client = createPublicClient({ transport: patientHttp(rig.rpcUrl(daemonUrl)), cacheTime: 0 })
  const events = yield* Effect.promise(() =>
    client.getContractEvents({ address: CONTRACT, abi: commitAbi, eventName: "Commit", fromBlock: 0n })
  )
  return yield* Effect.forEach(
    events,
    Effect.fnUntraced(function* ({ args, transactionHash: hash }) {
      const { effectiveGasPrice, gasUsed } = yield* Effect.promise(() => client.getTransactionReceipt({ hash }))
      const { abstract, author } = JSON.parse(args.commitData ?? "{}") as {
        readonly abstract: string
        readonly author: string
      }
      return { txHash: hash, message: abstract, author, gas: gasUsed * effectiveGasPrice } satisfies OnLedger
    }),
    { concurrency: 8 }
  )
})

/** How many transactions of `wallet` the ledger has. */
export const nonceOf = (rig: Rig, daemonUrl: string, wallet: string) =>
  Effect.promise(() =>
    createPublicClient({ transport: patientHttp(rig.rpcUrl(daemonUrl)) }).getTransactionCount({
      address: wallet as Hex
    })
  )

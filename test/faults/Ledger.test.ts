/** Commits over a ledger that loses, denies, delays and refuses: each is made once, charged once, and answered in the end. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { createPublicClient, type Hex, http } from "viem"
import { commitAbi } from "../../packages/daemon/src/evm/CommitContract.ts"
import { COMMIT_CONTRACT_ADDRESS, LOCAL_MAINNET_CHAIN_ID } from "../../packages/daemon/src/evm/LocalNetwork.ts"
import { isAnvilMissing } from "../layers/Anvil.ts"
import { amountOf, patience } from "../layers/Long.ts"
import { isPostgresMissing } from "../layers/PostgresCluster.ts"
import { type Bundle, buildDaemon } from "./Bundle.ts"
import { makeCaller, registerAsset } from "./Callers.ts"
import { assertConsistent } from "./Invariants.ts"
import { makeLoad, metText, work } from "./Load.ts"
import { faultsText, type LyingNode, lyingNode } from "./LyingNode.ts"
import {
  anvilChain,
  anvilChainWith,
  homeWith,
  onLedger,
  postgresRig,
  type Rig,
  sqliteRigIn,
  startDaemon
} from "./Rig.ts"
import { chanceFor } from "./Seed.ts"
import { CLOCK_FILE, setClock } from "./SteeredClock.ts"

/** In all. */
const COMMITS = amountOf("TREEMARK_TEST_COMMITS", { whole: 1000, part: 100 })
const share = (part: number): number => Math.round(COMMITS * part)
/** A daemon is stopped and started this often on the way, so that more is asked for than one start asks for. */
const STARTS = 3

/** Its half minute until a transaction is sent again passes in three seconds. */
const SPEED = 10

interface Course {
  readonly commits: number
  /** Something that happens all the while. */
  readonly meanwhile?: Effect.Effect<never>
}

const throughFaults = Effect.fnUntraced(function* (bundle: Bundle, rig: Rig, node: LyingNode, course: Course) {
  const { commits, meanwhile = Effect.never } = course
  const clock = join(rig.home, "clock.json")
  setClock(clock, { offset: 0, speed: SPEED })
  const scope = yield* Effect.scope
  const start = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    node.confuse()
    const daemon = yield* startDaemon(bundle, rig, {
      [CLOCK_FILE]: clock,
      TREEMARK_RPC_TIMEOUT: "500 millis",
      TREEMARK_COMMIT_TIMEOUT: "5 seconds"
    }).pipe(Scope.provide(own))
    return { ...daemon, close: Scope.close(own, Exit.void) }
  })
  let daemon = yield* start
  const callers = yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (n) =>
    makeCaller(rig, `caller ${n}`, "credits", "1000")
  )
  const asset = yield* registerAsset(daemon.url, callers[0]!, "photo")
  const load = makeLoad(daemon.url, commits)
  const happening = yield* Effect.forkChild(meanwhile)
  const working = yield* Effect.forkChild(work(load, callers, asset))
  for (let started = 1; started < STARTS; started++) {
    const enough = Math.floor((commits * started) / STARTS)
    yield* Effect.sleep("20 millis").pipe(Effect.repeat({ until: () => load.done.size >= enough }))
    yield* daemon.signal("SIGTERM")
    yield* daemon.ended
    yield* daemon.close
    daemon = yield* start
    load.url = daemon.url
  }
  yield* Fiber.join(working)
  assert.strictEqual(load.done.size, commits)
  node.behave()
  yield* Fiber.interrupt(happening)
  yield* onLedger(rig, daemon.url).pipe(
    Effect.delay("250 millis"),
    Effect.repeat({ until: (ledger) => ledger.length >= commits, times: 2_400 })
  )
  yield* assertConsistent(rig, daemon.url, { callers, done: load.done })
  process.stderr.write(
    `${commits} commits on ${rig.name}; callers met ${metText(load)}; the node did ${faultsText(node)}\n`
  )
  return node.faults
})

const assertDone = (faults: ReadonlyMap<string, number>, names: ReadonlyArray<string>) => {
  for (const name of names) assert.isAbove(faults.get(name) ?? 0, 0, `the node never did "${name}"`)
}

const EVERYWHERE = [
  "chain: wrong id",
  "send: reply lost",
  "send: cut off before",
  "receipt: denied",
  "block: stale head"
]

describe.concurrent("over a ledger that loses, denies, delays and refuses,", () => {
  it.live(
    "commits to the embedded chain's JSON-RPC are made once and charged once",
    () =>
      Effect.gen(function* () {
        const chance = chanceFor("faults before the embedded chain")
        const bundle = yield* buildDaemon
        const origin = yield* homeWith("http://127.0.0.1:1", LOCAL_MAINNET_CHAIN_ID)
        const { url } = yield* startDaemon(bundle, sqliteRigIn(origin))
        const node = yield* lyingNode(`${url}/rpc/mainnet`, chance)
        const home = yield* homeWith(node.url, LOCAL_MAINNET_CHAIN_ID)
        const rig = sqliteRigIn(home, `${url}/rpc/mainnet`)
        assertDone(yield* throughFaults(bundle, rig, node, { commits: share(0.4) }), EVERYWHERE)
      }).pipe(Effect.scoped),
    patience(6)
  )

  it.live.skipIf(isAnvilMissing || isPostgresMissing)(
    "commits to a node elsewhere that also drops what it took are made once and charged once",
    () =>
      Effect.gen(function* () {
        const chance = chanceFor("faults before anvil")
        const bundle = yield* buildDaemon
        const chain = yield* anvilChain
        const drop = (hash: Hex) =>
          chain.steer.dropTransaction({ hash }).then(
            () => true,
            () => false
          )
        const node = yield* lyingNode(chain.url, chance, { drop, dropped: 4 })
        const { rig } = yield* postgresRig(chain, node.url)
        const faults = yield* throughFaults(bundle, rig, node, { commits: share(0.4) })
        assertDone(faults, [...EVERYWHERE, "send: taken, then dropped"])
      }).pipe(Effect.scoped),
    patience(6)
  )

  it.live.skipIf(isAnvilMissing)(
    "commits whose blocks fall out of the chain, again and again, are made once and charged once",
    () =>
      Effect.gen(function* () {
        const chance = chanceFor("reorganisations of anvil")
        const bundle = yield* buildDaemon
        const chain = yield* anvilChainWith(["--block-base-fee-per-gas", "0"])
        const node = yield* lyingNode(chain.url, chance)
        const rig = sqliteRigIn(yield* homeWith(node.url, chain.chainId), chain.url)
        let fallen = 0
        const reorganise = Effect.promise(async () => {
          const head = Number(await chain.steer.request({ method: "eth_blockNumber" } as never))
          const blocks = await blocksOfCommits(chain.url)
          const newest = fallen === 0 ? blocks.at(-1) : undefined
          const depth = Math.max(1 + chance.below(DEEPEST), newest === undefined ? 0 : head - newest + 1)
          fallen += blocks.filter((block) => block > head - depth).length
          await chain.steer.request({ method: "anvil_reorg", params: [depth, []] } as never)
        })
        const faults = yield* throughFaults(bundle, rig, node, {
          commits: share(0.2),
          meanwhile: Effect.forever(Effect.delay(reorganise, "700 millis"))
        })
        assertDone(faults, EVERYWHERE)
        assert.isAbove(fallen, 0, "no commit fell out of the chain")
        process.stderr.write(`${fallen} commits fell out of the chain\n`)
      }).pipe(Effect.scoped),
    patience(6)
  )
})

/** Blocks that fall out at a time, at most; the first time as many as it takes for a commit to be among them. */
const DEEPEST = 3

/** The block of every commit, in order. */
const blocksOfCommits = async (url: string): Promise<ReadonlyArray<number>> => {
  const events = await createPublicClient({ transport: http(url) }).getContractEvents({
    address: COMMIT_CONTRACT_ADDRESS as Hex,
    abi: commitAbi,
    eventName: "Commit",
    fromBlock: 0n
  })
  return events.map(({ blockNumber }) => Number(blockNumber))
}

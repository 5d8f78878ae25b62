/**
 * Brings the index of a contract's commits up to the chain's newest block. Each stretch of blocks is stored with the hash of its last one,
 * seen the same before and after its logs were read, and on top of the one before: so what is stored is of one chain, whatever fell out of it
 * meanwhile. Where the chain took another way, what came after the fork is forgotten and read again.
 */
import { Effect } from "effect"
import { BlockNotFoundError } from "viem"
import { commitLogs } from "../evm/CommitLogs.ts"
import { eachWindow, FIRST_WINDOW, type Span } from "../evm/LogWindows.ts"
import type { LedgerNetwork } from "../evm/Networks.ts"
import { ask, RpcFailure } from "../evm/RpcFailure.ts"
import { type Indexed, type IndexRows, MovedOn } from "./LedgerIndexRows.ts"

/** A contract whose blocks are no more than this is indexed from its first one; else from the newest back by so many as might fall out. */
const WHOLE = 100_000
const RECENT = 1_000

/** Commits in one answer that are enough, so that neither it nor its transaction keeps others waiting. */
const ENOUGH = 500

/** So often the index is tried again because the chain, or somebody else, moved meanwhile. */
const TRIES = 20

interface Head {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
}

/** Brings the index of `network` up to its newest block; answers what is indexed then, and that block's number. */
export const catchUp = Effect.fn("LedgerIndex.catchUp")(function* (rows: IndexRows, network: LedgerNetwork) {
  for (let left = TRIES; left > 0; left--) {
    const done = yield* once(rows, network).pipe(
      Effect.catchTag("MovedOn", () => Effect.as(Effect.yieldNow, undefined))
    )
    if (done !== undefined) return done
  }
  return yield* new RpcFailure({
    network: network.name,
    outcome: "refused",
    detail: "its newest blocks change faster than they can be read."
  })
})

const once = Effect.fnUntraced(function* (rows: IndexRows, network: LedgerNetwork) {
  const head = yield* headOf(network)
  const index = yield* rows.indexOf(network)
  if (index === undefined) {
    yield* rows.begin(network, firstBlock(network, head))
    return undefined
  }
  if (index.highHash === head.hash) return index
  const isNext = index.high === head.number - 1 && index.highHash === head.parentHash
  if (!isNext && !(yield* isStanding(network, index, head))) {
    yield* goBack(rows, network, index, head)
    return undefined
  }
  return yield* fill(rows, network, index, head)
})

/** Asked without viem's `getBlock`, which hands out an answer that is on its way: one from before somebody asked. */
const headOf = (network: LedgerNetwork) =>
  ask(network, async (): Promise<Head> => {
    const block = await network.client.request({ method: "eth_getBlockByNumber", params: ["latest", false] })
    if (block?.number == null || block.hash == null) throw new Error("it has no newest block")
    return { number: Number(block.number), hash: block.hash, parentHash: block.parentHash }
  })

const firstBlock = ({ fromBlock }: LedgerNetwork, { number }: Head): number =>
  number - Number(fromBlock) <= WHOLE ? Number(fromBlock) : number - RECENT

/** Whether the index ends with a block of the chain whose newest one is `head`. */
const isStanding = Effect.fnUntraced(function* (network: LedgerNetwork, { high, highHash, low }: Indexed, head: Head) {
  if (high < low) return low <= head.number + 1
  return high <= head.number && (yield* hashOf(network, high)) === highHash
})

/** Undefined when the chain is shorter. */
const hashOf = (network: LedgerNetwork, block: number) =>
  ask(network, () =>
    network.client.getBlock({ blockNumber: BigInt(block) }).then(
      ({ hash }) => hash,
      (error: unknown) => {
        if (error instanceof BlockNotFoundError) return undefined
        throw error
      }
    )
  )

const fill = Effect.fnUntraced(function* (rows: IndexRows, network: LedgerNetwork, from: Indexed, head: Head) {
  let index = from
  const store = Effect.fnUntraced(function* ({ high, low }: Span) {
    const last = Number(high)
    const isOne = last === head.number && low === high
    const before = last === head.number ? head.hash : yield* hashOf(network, last)
    if (before === undefined) return yield* Effect.fail(new MovedOn())
    const logs = yield* isOne ? logsOf(network, head) : commitLogs(network, { low, high })
    const isOnTop = isOne && index.highHash === head.parentHash
    if (!isOnTop) {
      if ((yield* hashOf(network, last)) !== before) return yield* Effect.fail(new MovedOn())
      if (index.high >= index.low && (yield* hashOf(network, index.high)) !== index.highHash) {
        return yield* Effect.fail(new MovedOn())
      }
    }
    yield* rows.advance(index, logs, last, before)
    index = { ...index, high: last, highHash: before }
    return logs.length
  })
  const span = { low: BigInt(index.high + 1), high: BigInt(head.number) }
  yield* eachWindow(span, store, { first: FIRST_WINDOW, newestFirst: false, enough: ENOUGH })
  return index
})

/** The commits of the newest block, by its hash. A node that has lost it meanwhile refuses. */
const logsOf = (network: LedgerNetwork, { hash, number }: Head) =>
  commitLogs(network, { blockHash: hash }).pipe(
    Effect.catchTag("RpcFailure", (failure) =>
      Effect.flatMap(
        hashOf(network, number),
        (now): Effect.Effect<never, RpcFailure | MovedOn> => Effect.fail(now === hash ? failure : new MovedOn())
      )
    )
  )

/**
 * Takes the index back to a block that is on the chain still: the newest with a commit that is. Steps back double, since a chain that
 * took another way did so lately, or is another chain.
 */
const goBack = Effect.fnUntraced(function* (rows: IndexRows, network: LedgerNetwork, index: Indexed, head: Head) {
  let step = 1
  for (let upTo = Math.min(index.high, head.number); ; step *= 2) {
    const known = yield* rows.blockBefore(index, upTo)
    if (known === undefined) return yield* rows.forget(index, firstBlock(network, head))
    if ((yield* hashOf(network, known.block)) === known.hash) {
      const low = Math.min(index.low, known.block + 1)
      return yield* rows.takeBack(index, { low, high: known.block, highHash: known.hash })
    }
    upTo = known.block - step
  }
})

/**
 * A node that is a real one with a bad line and a bad memory, by a seed: what it does to each call follows from the seed and from how
 * many calls came before. Receipts that it denies it denies a few times each, never for good, as a lagging node behind a balancer does.
 */
import { Effect } from "effect"
import { keccak256 } from "viem"
import { type Fault, startProxy } from "../daemon/commits/FaultyProxy.ts"
import type { Chance } from "./Seed.ts"

const SEND = "eth_sendRawTransaction"
const RECEIPT = "eth_getTransactionReceipt"

/** Before the node hears of it, after it did, or instead of an answer; by how often of a hundred. */
type Odds = ReadonlyArray<readonly [name: string, percent: number, fault: Fault]>

const BUSY: Fault = { status: 429, headers: { "retry-after": "0" } }
const BAD_GATEWAY: Fault = { status: 502, body: "<html>bad gateway</html>" }
const FULL: Fault = { error: { code: -32_000, message: "txpool is full" } }

const SENDING: Odds = [
  ["send: cut off before", 8, "cut-before"],
  ["send: reply lost", 12, "reply-lost"],
  ["send: hangs", 2, "hang"],
  ["send: 429", 4, BUSY],
  ["send: 502", 4, BAD_GATEWAY],
  ["send: refused", 3, FULL]
]
const ASKING: Odds = [
  ["ask: cut off before", 3, "cut-before"],
  ["ask: reply lost", 3, "reply-lost"],
  ["ask: hangs", 1, "hang"],
  ["ask: 429", 3, BUSY],
  ["ask: 500", 2, { status: 500 }]
]
/** The receipt of about one transaction in so many is denied at first, at most so often. */
const DENIED_IN = 4
const DENIALS = 5
/** About one question for the newest block in so many is told of an older one. */
const STALE_IN = 5
/** The first questions for the chain id after a start that get a wrong answer. */
const WRONG_CHAIN = 2

/** True about once in `mean` times, and once in the first `mean`. */
const nowAndThen = (chance: Chance, mean: number): (() => boolean) => {
  let left = chance.below(mean)
  return () => {
    if (left-- > 0) return false
    left = chance.below(2 * mean - 1)
    return true
  }
}

export interface LyingNode {
  readonly url: string
  /** No faults from now on. */
  readonly behave: () => void
  /** A daemon starts: the next answers about the chain id are wrong. */
  readonly confuse: () => void
  /** How often each fault was done. */
  readonly faults: ReadonlyMap<string, number>
  /** Raw transactions that came in, in order. */
  readonly sent: ReadonlyArray<string>
}

export interface Levers {
  /** Throws a transaction out of the node's pool, if it is still there; answers whether it was. */
  readonly drop?: (hash: `0x${string}`) => Promise<boolean>
  /** Of a hundred transactions, those that are thrown out. */
  readonly dropped?: number
}

const rpc = async (target: string, method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const answer = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })
  return ((await answer.json()) as { readonly result: unknown }).result
}

/** Stands before the node at `target` until the scope closes. */
export const lyingNode = Effect.fnUntraced(function* (target: string, chance: Chance, levers: Levers = {}) {
  const proxy = yield* startProxy(target)
  const faults = new Map<string, number>()
  const denials = new Map<string, number>()
  let wrongChain = 0
  let behaves = false

  const did = (name: string): void => void faults.set(name, (faults.get(name) ?? 0) + 1)
  const bags = new Map<Odds, Array<Odds[number] | undefined>>()
  /**
   * Drawn from a bag, which is filled again when it is empty. The first holds each fault once and as many times none, so that a short run
   * meets every one of them; those after it hold a hundred.
   */
  const chosen = (odds: Odds): Fault | undefined => {
    const bag = bags.get(odds) ?? [...odds, ...odds.map(() => undefined)]
    if (bag.length === 0) {
      for (const one of odds) bag.push(...Array.from({ length: one[1] }, () => one))
      bag.length = 100
    }
    bags.set(odds, bag)
    const at = chance.below(bag.length)
    const drawn = bag[at]
    bag[at] = bag[bag.length - 1]
    bag.length -= 1
    if (drawn === undefined) return undefined
    did(drawn[0])
    return drawn[2]
  }

  const isDenied = nowAndThen(chance, DENIED_IN)
  const isStale = nowAndThen(chance, STALE_IN)

  /** Transactions until one is thrown out: never so many that a short run has none; where it is in a block already, the next one is. */
  const apart = 100 / (levers.dropped ?? 1)
  let untilDrop = chance.below(apart)

  const sending = async (raw: `0x${string}`): Promise<Fault | undefined> => {
    const hash = keccak256(raw)
    if (levers.drop !== undefined && untilDrop-- <= 0) {
      await rpc(target, SEND, [raw])
      if (await levers.drop(hash)) {
        did("send: taken, then dropped")
        untilDrop = chance.below(2 * apart)
      }
      return "cut-before"
    }
    return chosen(SENDING)
  }
  const denying = (hash: string): Fault | undefined => {
    const left = denials.get(hash) ?? (isDenied() ? 1 + chance.below(DENIALS) : 0)
    denials.set(hash, left - 1)
    if (left <= 0) return chosen(ASKING)
    did("receipt: denied")
    return { result: null }
  }
  const stale = async (params: ReadonlyArray<unknown>): Promise<Fault | undefined> => {
    if (params[0] !== "latest" || !isStale()) return chosen(ASKING)
    const head = Number(await rpc(target, "eth_blockNumber", []))
    did("block: stale head")
    const older = `0x${Math.max(0, head - 1 - chance.below(3)).toString(16)}`
    return { result: await rpc(target, "eth_getBlockByNumber", [older, params[1] ?? false]) }
  }

  proxy.plan = (method, _, params) => {
    if (behaves) return undefined
    switch (method) {
      case "eth_chainId":
        if (wrongChain-- <= 0) return chosen(ASKING)
        did("chain: wrong id")
        return { result: "0x1" }
      case SEND:
        return sending(params[0] as `0x${string}`)
      case RECEIPT:
        return denying(String(params[0]))
      case "eth_getBlockByNumber":
        return stale(params)
      default:
        return chosen(ASKING)
    }
  }
  return {
    url: proxy.url,
    behave: () => {
      behaves = true
    },
    confuse: () => {
      wrongChain = WRONG_CHAIN
    },
    faults,
    sent: proxy.sent
  } satisfies LyingNode as LyingNode
})

/** What was done, as one line. */
export const faultsText = ({ faults }: LyingNode): string =>
  [...faults].map(([name, count]) => `${count} × ${name}`).join(", ")

/**
 * A chain in memory with a commit contract, as a node shows it over JSON-RPC: for histories longer than a test could send, and for blocks that
 * fall out of the chain whenever the test wants. Hashes are made up; a block that is replaced has another one.
 */
import { createHash } from "node:crypto"
import { type Hex, pad, toHex } from "viem"
import { COMMIT_TOPIC } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { assetTopicOf } from "../../../packages/daemon/src/evm/CommitLogs.ts"
import type { LedgerNetwork } from "../../../packages/daemon/src/evm/Networks.ts"
import { Networks, networkOf } from "../../../packages/daemon/src/evm/Networks.ts"
import { RpcFailure } from "../../../packages/daemon/src/evm/RpcFailure.ts"

export const CONTRACT = "0x0000000000000000000000000000000000007053"

export interface FakeCommit {
  readonly assetCid: string
  readonly recorder: string
  readonly text: string
  /** Ours, unless another is named. */
  readonly contract?: string
}

interface FakeLog {
  readonly address: string
  readonly topics: ReadonlyArray<Hex>
  readonly data: Hex
  readonly transactionHash: Hex
}

interface FakeBlock {
  readonly hash: Hex
  readonly parentHash: Hex
  readonly logs: ReadonlyArray<FakeLog>
}

const word = (n: number): string => n.toString(16).padStart(64, "0")

const topics = new Map<string, Hex>()
const topicOf = (assetCid: string): Hex => {
  const known = topics.get(assetCid) ?? (assetTopicOf(assetCid) as Hex)
  topics.set(assetCid, known)
  return known
}

const digest = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`

const dataOf = (text: string): Hex => {
  const bytes = Buffer.from(text)
  return `0x${word(32)}${word(bytes.length)}${bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0")}`
}

export class FakeLedger {
  readonly blocks: Array<FakeBlock> = []
  readonly mostLogs: number
  /** How often each method was asked for. */
  readonly calls = new Map<string, number>()
  /** Called before each answer: the place for a reorganisation between two questions. */
  before: (method: string) => void = () => {}
  #made = 0

  constructor(options: { readonly mostLogs?: number } = {}) {
    this.mostLogs = options.mostLogs ?? 10_000
    this.mine([])
  }

  /** Adds a block with these commits. */
  mine(commits: ReadonlyArray<FakeCommit>): void {
    const nonce = this.#made++
    this.blocks.push({
      hash: digest(`block ${nonce}`),
      parentHash: this.blocks.at(-1)?.hash ?? `0x${"0".repeat(64)}`,
      logs: commits.map(({ assetCid, contract = CONTRACT, recorder, text }, n) => ({
        address: contract,
        topics: [COMMIT_TOPIC, pad(recorder as Hex), topicOf(assetCid)],
        data: dataOf(text),
        transactionHash: digest(`transaction ${nonce} ${n}`)
      }))
    })
  }

  /** The newest `depth` blocks fall out of the chain; the first one never does. */
  drop(depth: number): void {
    this.blocks.length = Math.max(1, this.blocks.length - depth)
  }

  readonly request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    this.calls.set(method, (this.calls.get(method) ?? 0) + 1)
    this.before(method)
    const [first] = params as ReadonlyArray<unknown>
    switch (method) {
      case "eth_chainId":
        return toHex(1)
      case "eth_blockNumber":
        return toHex(this.blocks.length - 1)
      case "eth_getBlockByNumber":
        return this.#block(first === "latest" ? this.blocks.length - 1 : Number(first))
      case "eth_getLogs":
        return this.#logs(first as never)
      default:
        throw new Error(`the fake ledger has no ${method}`)
    }
  }

  #block(number: number) {
    const block = this.blocks[number]
    if (block === undefined) return null
    const { hash, parentHash } = block
    return { number: toHex(number), hash, parentHash, timestamp: toHex(number), transactions: [] }
  }

  #logs(filter: {
    readonly address: string
    readonly blockHash?: string
    readonly fromBlock?: string
    readonly toBlock?: string
    readonly topics: ReadonlyArray<unknown>
  }) {
    const refused = (detail: string) => new RpcFailure({ network: "fake", outcome: "refused", code: -32_005, detail })
    const named = this.blocks.findLastIndex(({ hash }) => hash === filter.blockHash)
    if (filter.blockHash !== undefined && named < 0) throw refused("unknown block")
    const from = filter.blockHash === undefined ? Number(filter.fromBlock) : named
    const to = filter.blockHash === undefined ? Math.min(Number(filter.toBlock), this.blocks.length - 1) : named
    const wanted = filter.topics.map((topic) => (topic === null ? undefined : [topic].flat()))
    const found: Array<unknown> = []
    for (let number = from; number <= to; number++) {
      const { hash, logs } = this.blocks[number]!
      for (const [at, log] of logs.entries()) {
        if (log.address !== filter.address.toLowerCase()) continue
        if (wanted.some((choices, position) => choices !== undefined && !choices.includes(log.topics[position])))
          continue
        found.push({
          ...log,
          blockHash: hash,
          blockNumber: toHex(number),
          logIndex: toHex(at),
          transactionIndex: toHex(at),
          removed: false
        })
        if (found.length > this.mostLogs) throw refused(`query returned more than ${this.mostLogs} results`)
      }
    }
    return found
  }

  /** The networks of a daemon whose mainnet is this chain. */
  networks(facts: Partial<LedgerNetwork> = {}): Networks["Service"] {
    const mainnet = {
      ...networkOf("fake", 1, this.request as never),
      role: "mainnet",
      contract: CONTRACT,
      embedded: false,
      fromBlock: 0n,
      keepsCommits: false,
      ...facts
    } as LedgerNetwork
    return Networks.of({
      profile: "fake",
      balances: [],
      role: (role) => (role === "mainnet" ? mainnet : { ...mainnet, chainId: 2, role })
    })
  }
}

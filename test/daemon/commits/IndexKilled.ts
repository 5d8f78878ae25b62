/**
 * An index of a long ledger, made and kept by a process that is killed again and again, while blocks come and fall out of the chain; and what
 * it holds afterwards beside what ethers finds. The node is a FakeLedger over HTTP, and it is the node that decides when: at so many
 * questions, not at a time of the clock.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventLog, Interface, JsonRpcProvider } from "ethers"
import { LedgerIndex } from "../../../packages/daemon/src/commits/LedgerIndex.ts"
import { commitAbi } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { Networks } from "../../../packages/daemon/src/evm/Networks.ts"
import { storeLayer, tempFolder } from "../store/TempStore.ts"
import { CONTRACT, FakeLedger } from "./FakeLedger.ts"
import { assetCid, profileAt } from "./LedgerFixture.ts"

const ASSETS = Array.from({ length: 5 }, (_, n) => assetCid(`asset ${n}`))
const RECORDERS = Array.from({ length: 3 }, (_, n) => `0x${String(n + 1).repeat(40)}`)
const OTHER_CONTRACT = `0x${"9".repeat(40)}`

/** Blocks that ethers asks for at once. */
const SCANNED = 500

/** Commits that come, at most, while the index only follows. */
const FOLLOWED = 1_000

export type Draw = (below: number) => number

/** Mines a block with so many commits, answers how many. */
const mine = (ledger: FakeLedger, some: number, draw: Draw): number => {
  ledger.mine(
    Array.from({ length: some }, () => ({
      assetCid: ASSETS[draw(ASSETS.length)]!,
      recorder: RECORDERS[draw(RECORDERS.length)]!,
      text: `{"n":${draw(1_000_000_000)}}`,
      ...(draw(10) === 0 ? { contract: OTHER_CONTRACT } : {})
    }))
  )
  return some
}

interface Question {
  readonly id: number
  readonly method: string
  readonly params?: unknown
}

/** Serves the ledger as a node does. */
const served = (ledger: FakeLedger) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const answer = async ({ id, method, params }: Question) => {
        try {
          const asked = method === "net_version" ? { method: "eth_chainId" } : { method, params }
          return { jsonrpc: "2.0", id, result: await ledger.request(asked) }
        } catch (error) {
          return { jsonrpc: "2.0", id, error: { code: -32_000, message: (error as Error).message } }
        }
      }
      const server = createServer(async (request, response) => {
        let text = ""
        for await (const part of request) text += String(part)
        const asked = JSON.parse(text) as Question | ReadonlyArray<Question>
        const answers = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked as Question)
        response.setHeader("content-type", "application/json").end(JSON.stringify(answers))
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const ended = (child: ChildProcess): Promise<void> => new Promise((done) => child.once("close", () => done()))

/** What ethers finds of our contract, by place. */
const scannedBy = async (url: string, blocks: number) => {
  const provider = new JsonRpcProvider(url, 1, { staticNetwork: true, cacheTimeout: -1 })
  const events = new Interface(commitAbi)
  const found: Array<ReadonlyArray<unknown>> = []
  for (let from = 0; from < blocks; from += SCANNED) {
    const toBlock = Math.min(from + SCANNED, blocks) - 1
    const topics = events.encodeFilterTopics("Commit", [])
    for (const log of await provider.getLogs({ address: CONTRACT, fromBlock: from, toBlock, topics })) {
      const { args } = new EventLog(log, events, events.getEvent("Commit")!)
      found.push([log.topics[2], log.blockNumber, log.index, log.blockHash, log.transactionHash, args[0], args[2]])
    }
  }
  provider.destroy()
  return found
}

/**
 * Makes the index of `events` commits by a process that is killed `kills` times, most of them while it makes it. Answers how many commits of
 * our contract there were.
 */
export const indexThroughKills = Effect.fn("indexThroughKills")(function* (events: number, kills: number, draw: Draw) {
  const filename = join(yield* tempFolder, "treemark.db")
  const ledger = new FakeLedger({ mostLogs: Number.POSITIVE_INFINITY })
  let left = events
  const later = Math.min(events / 5, FOLLOWED)
  while (left > later) left -= mine(ledger, Math.min(left, draw(40)), draw)
  const { url } = yield* served(ledger)

  /** The chain goes on by a block, or takes another way. */
  const move = () => {
    if (draw(4) === 0) ledger.drop(draw(30) === 0 ? 20 : 1 + draw(4))
    left -= mine(ledger, draw(4), draw)
  }
  /** About as many questions as one whole making takes are asked between all kills. */
  const between = Math.max(8, Math.floor((4 * events) / 500 / kills))
  let child: ChildProcess | undefined
  let asked = 0
  let killAt = 1 + draw(between)
  let killed = 0
  ledger.before = () => {
    asked++
    if (killed < kills && asked >= killAt) {
      killed++
      killAt = asked + 1 + draw(between)
      child?.kill("SIGKILL")
    }
    if (draw(3) === 0) move()
  }
  const command = ["--conditions=@treemark/source", join(import.meta.dirname, "IndexProcess.ts"), filename, url]
  const start = () => spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] })
  yield* Effect.addFinalizer(() => Effect.sync(() => void child?.kill("SIGKILL")))
  while (killed < kills) {
    child = start()
    yield* Effect.promise(() => ended(child!))
    assert.strictEqual(child.signalCode, "SIGKILL", "the process ended by itself")
  }
  // It follows what is still to come, and then there is peace.
  left = later
  ledger.before = () => {
    if (left > 0 && draw(3) === 0) move()
  }
  child = start()
  yield* Effect.promise(async () => {
    let text = ""
    for await (const part of child!.stdout!) {
      text = (text + String(part)).slice(-200)
      if (left <= 0 && text.trim().endsWith(ledger.blocks.at(-1)?.hash ?? "?")) break
    }
    const over = ended(child!)
    child?.kill("SIGKILL")
    await over
  })
  ledger.before = () => {}

  const scan = yield* Effect.promise(() => scannedBy(url, ledger.blocks.length))
  const indexed = yield* Effect.gen(function* () {
    const index = yield* LedgerIndex
    const found = yield* Effect.forEach(ASSETS, (asset) => index.history("mainnet", asset))
    return found.flatMap((commits) =>
      commits.map(({ blockHash, blockNumber, commitData, logIndex, recorder, txHash }) => [
        blockNumber,
        logIndex,
        blockHash,
        txHash,
        recorder,
        commitData
      ])
    )
  }).pipe(
    Effect.provide(
      LedgerIndex.layer.pipe(
        Layer.provide(Layer.mergeAll(storeLayer(filename), Networks.layer({ profile: profileAt(url, 1) })))
      )
    )
  )
  const texts = (rows: ReadonlyArray<ReadonlyArray<unknown>>) => rows.map((row) => row.join(" ")).sort()
  assert.deepStrictEqual(texts(indexed), texts(scan.map(([, ...row]) => row)))
  return scan.length
})

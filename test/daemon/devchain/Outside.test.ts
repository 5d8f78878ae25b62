/** What callers from outside, who need no token, can and cannot do to an embedded chain and to each other. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Hex, numberToHex } from "viem"
import { Allowance } from "../../../packages/daemon/src/devchain/Allowance.ts"
import type { FromReader } from "../../../packages/daemon/src/devchain/ChainMessages.ts"
import { LIMITS, OutsideQueue, type OutsideRequest } from "../../../packages/daemon/src/devchain/OutsideQueue.ts"
import { ReaderThread } from "../../../packages/daemon/src/devchain/ReaderThread.ts"
import { RpcError } from "../../../packages/daemon/src/devchain/RpcError.ts"
import {
  failureOf,
  fundedAccount,
  onChain,
  openChain,
  outside,
  type RpcFailure,
  rpc,
  send,
  sign,
  temporaryFile
} from "./ChainFixture.ts"

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: RpcFailure
}

const ask = (method: string, ...params: ReadonlyArray<unknown>) => ({ jsonrpc: "2.0", id: 1, method, params })

/** JUMPDEST PUSH1 0 JUMP. */
const ENDLESS = ask("eth_call", { data: "0x5b600056", gas: "0xffffffffffff" }, "latest")

/** Code that calls the built-in function at `address` with all its gas and `size` bytes of zeros, the first word being `word`. */
const callBuiltIn = (address: number, size: number, word: Hex): Hex =>
  `0x7f${word.slice(2).padEnd(64, "0")}60005260006000${`61${size.toString(16).padStart(4, "0")}`}600060${address
    .toString(16)
    .padStart(2, "0")}5afa00`

const errorOf = (answer: unknown): RpcFailure => {
  const { error } = answer as Answer
  if (error === undefined) throw new Error(`expected a refusal, got ${JSON.stringify(answer)}`)
  return error
}

describe("calls from outside", () => {
  it.live("end after their budget of processor time, a batch after its own, and others are answered meanwhile", () =>
    onChain(async (chain) => {
      await outside(chain, ask("eth_blockNumber"))
      let isOver = false
      const batch = outside(
        chain,
        Array.from({ length: 100 }, () => ENDLESS),
        "attacker"
      ).finally(() => {
        isOver = true
      })
      const other = (await outside(chain, ask("eth_blockNumber"), "reader")) as Answer
      assert.strictEqual(other.result, "0x0")
      assert.isFalse(isOver)
      const account = await fundedAccount(chain)
      const errors = ((await batch) as ReadonlyArray<Answer>).map(errorOf)
      assert.lengthOf(errors, 100)
      assert.isTrue(errors.every(({ code }) => code === -32005))
      assert.include(errors[0]?.message, `more than ${LIMITS.call} ms of processor time`)
      assert.include(errors[99]?.message, `this request has used its ${LIMITS.request} ms`)
      assert.strictEqual((await send(chain, account, { nonce: 0 })).status, "0x1")
      const afterwards = (await outside(chain, ask("eth_call", { to: account.address }), "reader")) as Answer
      assert.strictEqual(afterwards.result, "0x")
    })
  )

  it.live("run slow built-in functions in small pieces only, and all others as they are", () =>
    onChain(async (chain) => {
      const call = async (data: Hex) => (await outside(chain, ask("eth_call", { data }, "latest"))) as Answer
      // 2^32 - 1 rounds of blake2f are out of the 30M gas that a block has; 20M rounds are not.
      const rounds = (count: number) => callBuiltIn(9, 213, numberToHex(count, { size: 4 }))
      assert.include(errorOf(await call(rounds(20_000_000))).message, "built-in function")
      assert.strictEqual((await call(rounds(1_000))).result, "0x")
      assert.strictEqual((await call(callBuiltIn(2, 64, "0x01"))).result, "0x")
    })
  )

  it.live("are forgotten when nobody waits for them, and end with the chain", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* temporaryFile
        const { left, open } = yield* Effect.scoped(
          Effect.gen(function* () {
            const chain = yield* openChain(path)
            return yield* Effect.promise(async () => {
              const gone = new AbortController()
              const loops = Array.from({ length: 20 }, () => ENDLESS)
              const batch = outside(chain, loops, "a", gone.signal)
              gone.abort()
              const left = (await batch) as ReadonlyArray<Answer>
              return { left, open: outside(chain, loops, "b") }
            })
          })
        )
        assert.include(errorOf(left[19]).message, "nobody waits")
        const ended = (yield* Effect.promise(() => open)) as ReadonlyArray<Answer>
        assert.isTrue(ended.every(({ error }) => error !== undefined))
        yield* openChain(path)
      })
    )
  )

  it.live("reach the pool only with what could be mined", () =>
    onChain(async (chain) => {
      const account = await fundedAccount(chain)
      const raw = await sign(account, { nonce: 0 })
      const gapped = await sign(account, { nonce: 2 })
      const given = (await outside(chain, [
        ask("eth_sendRawTransaction", raw),
        ask("eth_sendRawTransaction", gapped),
        ask("eth_getTransactionCount", account.address, "pending"),
        ask("eth_sendRawTransaction", await sign(account, { nonce: 1, gas: 30_000_000n, fee: 10n ** 30n })),
        ask("eth_sendRawTransaction", "0x02c0")
      ])) as ReadonlyArray<Answer>
      assert.isString(given[0]?.result)
      assert.isString(given[1]?.result)
      assert.strictEqual(given[2]?.result, "0x1")
      assert.include(errorOf(given[3]).message, "insufficient funds")
      assert.strictEqual(errorOf(given[4]).code, -32000)
      const waiting = (await outside(chain, ask("eth_getTransactionByHash", given[1]?.result))) as Answer
      assert.deepInclude(waiting.result, { hash: given[1]?.result, blockHash: null })
      assert.include((await failureOf(rpc(chain, "eth_sendRawTransaction", gapped))).message, "already known")
    })
  )
})

describe("the queue of calls from outside", () => {
  const file = { chainId: 1, path: "" }
  const request = (caller: string): OutsideRequest => ({
    caller,
    signal: new AbortController().signal,
    spentMillis: 0,
    characters: 0
  })
  const reply = (cpuMillis: number): FromReader => ({ kind: "json", json: "1", cpuMillis })

  it("lets callers take turns, whoever came first with how many", async () => {
    const order: Array<string> = []
    const run = async ({ request: { caller } }: { request: OutsideRequest }) => {
      order.push(caller)
      return reply(1)
    }
    const queue = new OutsideQueue({ run, patience: 1_000, now: () => 0 })
    const many = request("many")
    const calls = Array.from({ length: 4 }, () => queue.ask({ file, method: "eth_x", params: [], request: many }))
    calls.push(queue.ask({ file, method: "eth_x", params: [], request: request("one") }))
    await Promise.all(calls)
    assert.deepStrictEqual(order, ["many", "many", "one", "many", "many"])
  })

  it("refuses a caller who has too many waiting, and who has waited too long behind an allowance that is used up", async () => {
    let now = 0
    const run = async () => {
      now += 10
      return reply(LIMITS.caller.most + 10_000)
    }
    const queue = new OutsideQueue({ run, patience: 20, now: () => now })
    const send = (caller: string) => queue.ask({ file, method: "eth_x", params: [], request: request(caller) })
    assert.deepStrictEqual(await send("a"), reply(LIMITS.caller.most + 10_000))
    const waiting = Array.from({ length: LIMITS.waitingPerCaller }, () => send("a").catch((error: RpcError) => error))
    const refused = await send("a").catch((error: RpcError) => error)
    assert.include((refused as RpcError).message, "too many calls wait")
    now += 20
    const late = await Promise.all(waiting)
    assert.isTrue(late.every((error) => error instanceof RpcError && error.message.includes("has waited 20 ms")))
  })

  it("pays an overdrawn allowance back at its share, and no further than its most", () => {
    const allowance = new Allowance(100, 0.5, 0)
    allowance.spend(150, 0)
    assert.strictEqual(allowance.wait(0), 101)
    assert.strictEqual(allowance.wait(102), 0)
    assert.isFalse(allowance.isFull(102))
    assert.isTrue(allowance.isFull(10_000))
  })
})

describe("the thread for calls from outside", () => {
  it.live("is ended when a call does not come back, and starts anew with the next", () =>
    Effect.promise(async () => {
      const thread = new ReaderThread(new URL("./StuckWorker.ts", import.meta.url), 2_000)
      const run = (method: string) => thread.run({ file: { chainId: 1, path: "" }, method, params: [], cpuMillis: 50 })
      assert.strictEqual((await run("eth_here")).kind, "json")
      const stuck = await run("eth_loop")
      assert.strictEqual(stuck.kind, "error")
      assert.isAbove(stuck.cpuMillis, 1_900)
      assert.strictEqual((await run("eth_here")).kind, "json")
      await thread.stop()
    })
  )
})

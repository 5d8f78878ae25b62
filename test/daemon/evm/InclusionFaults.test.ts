/** What becomes of a proof of inclusion when a node tells less than a whole block, or not the truth: a reason, never a guess. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { readHeader } from "@treemark/core/inclusion"
import { Effect } from "effect"
import { bytesToHex, type Hex, keccak256, numberToHex } from "viem"
import { checkpointOf } from "../../../packages/daemon/src/commits/Checkpoint.ts"
import { rebuildHeader, unknownFields } from "../../../packages/daemon/src/evm/InclusionHeader.ts"
import { RpcFailure } from "../../../packages/daemon/src/evm/RpcFailure.ts"
import { checkOf } from "../../core/verification/Fixtures.ts"
import { openChain, TOKEN, temporaryFile } from "../devchain/ChainFixture.ts"
import {
  asked,
  CHAIN_ID,
  type Chain,
  COMMITTER,
  CONTRACT,
  inputOf,
  placeOf,
  proofAt,
  transactions,
  verified
} from "./InclusionFixture.ts"

type Answer = (method: string, params: ReadonlyArray<unknown>, ask: () => Promise<unknown>) => Promise<unknown>

const refused = (code = -32601) =>
  new RpcFailure({ network: "test", outcome: "refused", code, detail: "no such method" })
const withDebug = /^debug_/u

/** A chain with the commit in a block of three; `through` is the chain behind a node that answers as told. */
const committed = Effect.gen(function* () {
  const opened = yield* openChain(yield* temporaryFile)
  const chain: Chain = { chainId: CHAIN_ID, contract: CONTRACT, request: opened.request, embedded: false }
  const fund = { method: "treemark_fund", params: [COMMITTER.address, numberToHex(100n * TOKEN)] }
  const raws = yield* Effect.promise(() => transactions(chain, 3, 1, 0))
  yield* Effect.promise(async () => {
    const funded = await opened.request(fund)
    while ((await opened.request({ method: "eth_getTransactionReceipt", params: [funded] })) === null) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    for (const raw of [...raws.slice(1), raws[0]]) {
      await opened.request({ method: "eth_sendRawTransaction", params: [raw] })
    }
  })
  const place = yield* Effect.promise(() => placeOf(chain, keccak256(raws[1]!)))
  const through = (answer: Answer): Chain => ({
    ...chain,
    request: (call) => answer(call.method, (call.params ?? []) as ReadonlyArray<unknown>, () => opened.request(call))
  })
  return { chain, place, through }
})

type Committed = Effect.Success<typeof committed>

const missingReason = Effect.fnUntraced(function* ({ place, through }: Committed, answer: Answer, at = place) {
  const input = inputOf(yield* proofAt(through(answer), at))
  assert.isUndefined(input.inclusion)
  return input.inclusionMissing ?? ""
})

const live = (title: string, body: (made: Committed) => Effect.Effect<void, unknown>) =>
  it.live(title, () => Effect.flatMap(committed, body).pipe(Effect.scoped))

describe("a proof of inclusion over a plain node", () => {
  live("is whole without eth_getBlockReceipts and without debug methods", ({ place, through }) =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const plain = through((method, _, ask) => {
        seen.push(method)
        return method === "eth_getBlockReceipts" || withDebug.test(method) ? Promise.reject(refused()) : ask()
      })
      assert.strictEqual(verified(yield* proofAt(plain, place), place).provenance.ledger, "ledger")
      assert.lengthOf(
        seen.filter((method) => method === "eth_getTransactionReceipt"),
        3
      )
    })
  )

  live("leaves only the transaction out when one of the block cannot be rebuilt", ({ place, through }) =>
    Effect.gen(function* () {
      const strange = through(async (method, _, ask) => {
        const found = (await ask()) as { transactions: ReadonlyArray<object> }
        if (method !== "eth_getBlockByNumber") return found
        return {
          ...found,
          transactions: found.transactions.map((one, at) => (at === 0 ? { ...one, nonce: "0x99" } : one))
        }
      })
      const report = verified(yield* proofAt(strange, place), place)
      assert.strictEqual(checkOf(report, "ledger-inclusion").code, "ok")
      assert.strictEqual(checkOf(report, "ledger-transaction").code, "transaction_not_shown")
    })
  )

  live("takes the header from debug_getRawHeader when its fields do not give the hash", ({ place, through }) =>
    Effect.gen(function* () {
      const odd: Answer = async (method, _, ask) => {
        const found = await ask()
        return method === "eth_getBlockByNumber"
          ? { ...(found as object), mixHash: `0x${"11".repeat(32)}`, shardId: "0x1" }
          : found
      }
      assert.strictEqual(verified(yield* proofAt(through(odd), place), place).provenance.ledger, "ledger")
    })
  )
})

describe("no proof of inclusion is made, and the proof says why,", () => {
  live("of a header whose hash cannot be reproduced: its unknown fields are named", (made) =>
    Effect.gen(function* () {
      const newer: Answer = async (method, _, ask) => {
        if (withDebug.test(method)) throw refused()
        const found = await ask()
        return method === "eth_getBlockByNumber"
          ? { ...(found as object), mixHash: `0x${"11".repeat(32)}`, shardId: "0x1" }
          : found
      }
      assert.match(yield* missingReason(made, newer), /hash cannot be reproduced .* shardId\.$/u)
      const lying: Answer = async (method, _, ask) => {
        if (method === "debug_getRawHeader") return "0xc0"
        return method === "eth_getBlockByNumber" ? { ...((await ask()) as object), gasUsed: "0x1" } : ask()
      }
      assert.match(yield* missingReason(made, lying), /hash cannot be reproduced from what the node tells\.$/u)
    })
  )

  live("of receipts that do not give the header's root, or of which one is missing", (made) =>
    Effect.gen(function* () {
      const receipts =
        (change: (all: ReadonlyArray<object>) => unknown): Answer =>
        async (method, _, ask) =>
          method === "eth_getBlockReceipts" ? change((await ask()) as ReadonlyArray<object>) : ask()
      const changed = receipts((all) => all.with(0, { ...all[0], cumulativeGasUsed: "0x1" }))
      assert.match(yield* missingReason(made, changed), /do not give the receiptsRoot/u)
      for (const broken of [
        receipts((all) => all.slice(0, 2)),
        receipts((all) => all.toReversed()),
        receipts((all) => all.with(2, { ...all[2], logsBloom: "none" })),
        receipts(() => [])
      ]) {
        assert.match(yield* missingReason(made, broken), /does not tell every receipt/u)
      }
      const logless = receipts((all) => all.with(1, { ...all[1], logs: [] }))
      assert.match(yield* missingReason(made, logless), /does not hold the log/u)
    })
  )

  live("of a block that is gone, or that became another one", (made) =>
    Effect.gen(function* () {
      const gone: Answer = (method, _, ask) => (method === "eth_getBlockByNumber" ? Promise.resolve(null) : ask())
      assert.match(yield* missingReason(made, gone), /has no block/u)
      const reorganised = { ...made.place, blockHash: `0x${"ab".repeat(32)}` }
      assert.match(yield* missingReason(made, (_, __, ask) => ask(), reorganised), /has another block/u)
      const elsewhere = { ...made.place, txHash: `0x${"ab".repeat(32)}` }
      assert.match(yield* missingReason(made, (_, __, ask) => ask(), elsewhere), /does not list the transaction/u)
    })
  )

  live("of an event that is not what was committed", (made) =>
    Effect.gen(function* () {
      const other = { ...made.place, recorder: CONTRACT }
      assert.match(yield* missingReason(made, (_, __, ask) => ask(), other), /\(inclusion_recorder_differs\)/u)
    })
  )

  live("of a node that does not answer: its address stays out of the proof", (made) =>
    Effect.gen(function* () {
      const away = new RpcFailure({
        network: "test",
        outcome: "unknown",
        detail: "the node at secret.example broke off."
      })
      const reason = yield* missingReason(made, () => Promise.reject(away))
      assert.strictEqual(reason, "The node of test did not answer when this proof was made.")
    })
  )
})

describe("a checkpoint", () => {
  live("has the blocks asked for and the newest one, each once, with the hashes the node has now", ({ chain, place }) =>
    Effect.gen(function* () {
      const { chainId, contracts, hashes } = yield* checkpointOf(asked(chain), [
        place.blockNumber,
        0,
        place.blockNumber
      ])
      const head = Number(yield* Effect.promise(() => chain.request({ method: "eth_blockNumber" })))
      assert.strictEqual(chainId, CHAIN_ID)
      assert.deepStrictEqual(contracts, [CONTRACT])
      assert.deepStrictEqual([...hashes.keys()], [...new Set([0, place.blockNumber, head])])
      assert.strictEqual(hashes.get(place.blockNumber), place.blockHash)
    })
  )

  live("is refused when the node lacks a block", ({ chain }) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(checkpointOf(asked(chain), [1_000_000]))
      assert.include(failure.message, "has no block 1000000")
    })
  )
})

describe("a block header", () => {
  interface Vector {
    readonly id: string
    readonly input: { readonly block: Readonly<Record<string, string>> }
    readonly expected: { readonly hash: Hex }
  }
  const vectors: ReadonlyArray<Vector> = JSON.parse(readFileSync("test/vectors/headers.json", "utf8"))

  for (const { id, input, expected } of vectors) {
    it(`of ${id} is rebuilt to the hash its authors publish, with every field or without`, () => {
      const told = {
        ...input.block,
        size: "0x1",
        totalDifficulty: "0x1",
        uncles: [],
        transactions: [],
        withdrawalsRoot: null
      }
      const header = rebuildHeader(told)
      assert.strictEqual(header === undefined ? undefined : keccak256(header), expected.hash)
      assert.strictEqual(readHeader(header!)?.number, 9)
      assert.deepStrictEqual(unknownFields(told), [])
      for (const name of Object.keys(input.block)) {
        if (name === "hash") continue
        const { [name]: _, ...rest } = input.block
        assert.isUndefined(rebuildHeader(rest), `without ${name}`)
      }
    })
  }

  it("is not taken from fields of the wrong shape", () => {
    const block = vectors[0]!.input.block
    for (const [name, value] of [
      ["number", "9"],
      ["number", "0x"],
      ["parentHash", "0x1"],
      ["miner", null],
      ["logsBloom", bytesToHex(new Uint8Array(255))]
    ] as const) {
      assert.isUndefined(rebuildHeader({ ...block, [name]: value }))
    }
  })
})

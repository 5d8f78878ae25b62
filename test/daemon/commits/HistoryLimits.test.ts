/** Nodes that limit eth_getLogs, each in its own words: the history is whole on all of them, and a node that fails for good says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { wishOf } from "../../../packages/daemon/src/evm/LogLimits.ts"
import { readWindows, type Span } from "../../../packages/daemon/src/evm/LogWindows.ts"
import { RpcFailure } from "../../../packages/daemon/src/evm/RpcFailure.ts"

const LAST = 300_000n

/** A chain with a log in each of these blocks, as numbers; crowded at its end. */
const LOGS = [
  0n,
  5n,
  2_047n,
  2_048n,
  70_001n,
  70_002n,
  150_000n,
  ...Array.from({ length: 60 }, (_, at) => LAST - BigInt(2 * at))
].sort((a, b) => (a < b ? -1 : 1))

const refused = (detail: string, more: { readonly code?: number; readonly data?: unknown } = {}) =>
  new RpcFailure({ network: "node", outcome: "refused", code: more.code ?? -32000, data: more.data, detail })
const silent = (detail: string) => new RpcFailure({ network: "node", outcome: "unknown", detail })

type Rule = (window: {
  readonly blocks: number
  readonly found: number
  readonly span: Span
  readonly n: number
}) => RpcFailure | undefined

const hex = (block: bigint): string => `0x${block.toString(16)}`

/** A node under a rule: how it answers, and what it was asked. */
const node = (rule: Rule) => {
  const asked: Array<Span> = []
  const read = (span: Span) =>
    Effect.suspend(() => {
      asked.push(span)
      const found = LOGS.filter((block) => block >= span.low && block <= span.high)
      const failure = rule({ blocks: Number(span.high - span.low) + 1, found: found.length, span, n: asked.length })
      return failure === undefined ? Effect.succeed(found) : Effect.fail(failure)
    })
  const history = (newestFirst: boolean) => readWindows({ low: 0n, high: LAST }, read, { first: 2_048n, newestFirst })
  return { asked, history }
}

const RULES: ReadonlyArray<readonly [name: string, most: number, rule: Rule]> = [
  [
    "geth and Infura: too many results, with a range to try",
    100,
    ({ found, span }) =>
      found > 20
        ? refused(
            `query returned more than 20 results. Try with this block range [${hex(span.low)}, ${hex(span.low + 15n)}].`,
            { code: -32005 }
          )
        : undefined
  ],
  [
    "Infura: the range to try as data",
    100,
    ({ found, span }) =>
      found > 20
        ? refused("query returned more than 20 results", {
            code: -32005,
            data: { from: hex(span.low), to: hex(span.low + 15n), limit: 20 }
          })
        : undefined
  ],
  [
    "any: too many results, without a range",
    100,
    ({ found }) => (found > 20 ? refused("query returned more than 10,000 results", { code: -32005 }) : undefined)
  ],
  [
    "Alchemy: a response too large",
    100,
    ({ found, span }) =>
      found > 20
        ? refused(
            `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [${hex(span.low)}, ${hex(span.low + 9n)}]`,
            { code: -32602 }
          )
        : undefined
  ],
  [
    "subnet-evm: too many blocks, with the maximum",
    150,
    ({ blocks, span }) =>
      blocks > 2_048
        ? refused(`requested too many blocks from ${span.low} to ${span.high}, maximum is set to 2048`)
        : undefined
  ],
  [
    "QuickNode: limited to a range",
    36,
    ({ blocks }) => (blocks > 10_000 ? refused("eth_getLogs is limited to a 10,000 range") : undefined)
  ],
  [
    "a gateway: max range",
    380,
    ({ blocks }) => (blocks > 800 ? refused("Max range: 800", { code: -32047 }) : undefined)
  ],
  [
    "BNB: exceed maximum block range",
    64,
    ({ blocks }) => (blocks > 5_000 ? refused("exceed maximum block range: 5000") : undefined)
  ],
  [
    "Erigon: results over its limit",
    100,
    ({ found }) => (found > 20 ? refused("logs limit exceeded, narrow the range") : undefined)
  ],
  [
    "Erigon and geth: too slow",
    100,
    ({ blocks }) =>
      blocks > 6_000 ? refused("query timeout exceeded: context deadline exceeded", { code: -32002 }) : undefined
  ],
  ["nobody's words", 300, ({ blocks }) => (blocks > 1_500 ? refused("niet zo veel") : undefined)],
  [
    "a proxy that gives up on wide questions",
    50,
    ({ blocks }) => (blocks > 9_000 ? silent("the node at example.org answered HTTP 504.") : undefined)
  ],
  [
    "a node behind the others for a moment",
    12,
    ({ n, span }) => (span.high === LAST && n % 3 !== 0 ? refused("cannot query unfinalized data") : undefined)
  ]
]

describe("a history in windows", () => {
  for (const [name, most, rule] of RULES) {
    for (const newestFirst of [false, true]) {
      it.live(`is whole on ${name} (${newestFirst ? "newest" : "oldest"} first), in at most ${most} questions`, () =>
        Effect.gen(function* () {
          const { asked, history } = node(rule)
          assert.deepStrictEqual(yield* history(newestFirst), LOGS)
          assert.isAtMost(asked.length, most)
        })
      )
    }
  }

  const FATAL: ReadonlyArray<readonly [name: string, most: number, failure: RpcFailure]> = [
    ["asks for fewer requests", 1, refused("daily request count exceeded, request rate limited", { code: -32005 })],
    ["cannot be reached", 1, new RpcFailure({ network: "node", outcome: "not-sent", detail: "cannot be reached" })],
    ["serves another chain", 1, new RpcFailure({ network: "node", outcome: "wrong-chain", detail: "chain 5" })],
    ["never answers", 4, silent("did not answer within 10s.")],
    ["refuses even one block", 14, refused("the method eth_getLogs does not exist")]
  ]
  for (const [name, most, failure] of FATAL) {
    it.live(`fails with the node's own words when it ${name}, after at most ${most} questions`, () =>
      Effect.gen(function* () {
        const { asked, history } = node(() => failure)
        const result = yield* Effect.result(history(false))
        assert.strictEqual(Result.isFailure(result) ? result.failure : undefined, failure)
        assert.isAtMost(asked.length, most)
      })
    )
  }

  it("never asks for as much as was refused, whatever the node says", () => {
    const texts = [
      "[0x0, 0xffffffff]",
      "maximum is set to 99999999999",
      "Max range: 0",
      "[0x9, 0x1]",
      "up to a 0K",
      "time out",
      "?"
    ]
    for (const detail of texts) {
      for (const asked of [2n, 3n, 2_048n]) {
        const wish = wishOf(refused(detail), asked)
        assert.isTrue(wish.kind === "narrower" && wish.blocks < asked && wish.blocks >= 1n, `${detail} ${asked}`)
      }
      assert.strictEqual(wishOf(refused(detail), 1n).kind, "none")
    }
  })
})

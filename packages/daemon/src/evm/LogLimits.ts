/**
 * What a node that refuses `eth_getLogs` wants instead. There is no standard for it: each kind of node limits the blocks of a question, the
 * results of an answer, or its time, and says so in its own words, which are matched here. Whatever is not recognised is taken for a
 * limit on blocks, which costs some more questions and never an answer.
 */
import { Schema } from "effect"
import type { RpcFailure } from "./RpcFailure.ts"

export type Wish =
  /** Ask for at most `blocks`. `lasting`: a rule of the node, not a matter of what these blocks hold. */
  | { readonly kind: "narrower"; readonly blocks: bigint; readonly lasting: boolean }
  /** The node is behind the one that told the newest block: ask the same again in a moment. */
  | { readonly kind: "later" }
  /** Asking for less would not help. */
  | { readonly kind: "none" }

/** Avalanche and subnet-evm, geth, Erigon, nethermind. */
const BEHIND = /unfinalized|(?:beyond|after|past) (?:the )?(?:current |chain )?head|unknown block|header not found/iu
/** Infura's -32005 is for both: too many requests, and too many results. */
const RATE = /rate.?limit|too many requests|request(?:s|ed)? (?:count|rate|per)|daily|quota|capacity|compute units/iu
/** "query returned more than 10000 results", "Log response size exceeded", "logs limit exceeded". */
const RESULTS =
  /more than [\d,_]+ (?:results|logs)|(?:too many|max(?:imum)?) (?:results|logs)|logs? limit|response size/iu
/** "query timeout exceeded", "context deadline exceeded", "request timed out". */
const SLOW = /time(?:d)?[ -]?out|deadline|too long/iu
/** "maximum is set to 2048", "limited to a 10,000 range", "Max range: 800", "exceed maximum block range: 50000", "up to a 2K block range". */
const WIDEST =
  /(?:maximum is set to|limited to(?: an?)?|max(?:imum)?(?: allowed)?(?: block)? range(?: is)?:?|up to an?) ?(\d[\d,_]*) ?(k)?\b/iu
/** "this block range should work: [0x0, 0x133333]", "Try with this block range [0x1, 0x2]". */
const SUGGESTED = /\[\s*(0x[0-9a-f]{1,16})\s*,\s*(0x[0-9a-f]{1,16})\s*\]/iu

/** Infura's suggestion comes as data: `{ "from": "0x…", "to": "0x…", "limit": 10000 }`. */
const isSuggestion = Schema.is(
  Schema.Struct({
    from: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,16}$/iu)),
    to: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,16}$/iu))
  })
)

/** What to do after `failure`, the answer to a question about `asked` blocks. A narrower question is always narrower than that. */
export const wishOf = (failure: RpcFailure, asked: bigint): Wish => {
  const { detail, outcome } = failure
  if (outcome === "refused" && BEHIND.test(detail)) return { kind: "later" }
  if (asked <= 1n || (outcome !== "refused" && outcome !== "unknown")) return { kind: "none" }
  if (outcome === "unknown") return { kind: "narrower", blocks: atLeastOne(asked / 8n), lasting: false }
  const suggested = suggestedBlocks(failure)
  if (suggested !== undefined && suggested < asked) return { kind: "narrower", blocks: suggested, lasting: false }
  const widest = widestOf(detail)
  if (widest !== undefined && widest < asked) return { kind: "narrower", blocks: widest, lasting: true }
  if (RESULTS.test(detail)) return { kind: "narrower", blocks: asked / 2n, lasting: false }
  if (SLOW.test(detail)) return { kind: "narrower", blocks: atLeastOne(asked / 8n), lasting: false }
  if (RATE.test(detail)) return { kind: "none" }
  return { kind: "narrower", blocks: asked / 2n, lasting: true }
}

const atLeastOne = (blocks: bigint): bigint => (blocks < 1n ? 1n : blocks)

const suggestedBlocks = ({ data, detail }: RpcFailure): bigint | undefined => {
  const inText = SUGGESTED.exec(detail)
  const [from, to] = isSuggestion(data) ? [data.from, data.to] : [inText?.[1], inText?.[2]]
  if (from === undefined || to === undefined) return undefined
  const blocks = BigInt(to) - BigInt(from) + 1n
  return blocks >= 1n ? blocks : undefined
}

const widestOf = (detail: string): bigint | undefined => {
  const [, digits, thousands] = WIDEST.exec(detail) ?? []
  if (digits === undefined) return undefined
  const blocks = BigInt(digits.replaceAll(/[,_]/gu, "")) * (thousands === undefined ? 1n : 1_000n)
  return blocks >= 1n ? blocks : undefined
}

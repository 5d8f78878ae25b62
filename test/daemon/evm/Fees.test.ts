/** Fees a transaction offers, when nothing may be signed, and what takes the place of a transaction that offers too little. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { parseGwei } from "viem"
import { aboveCap, replacementFees } from "../../../packages/daemon/src/evm/Fees.ts"
import type { LedgerNetwork } from "../../../packages/daemon/src/evm/Networks.ts"

const gwei = (text: string) => parseGwei(text)
const fees = (fee: bigint, tip: bigint) => ({ maxFeePerGas: fee, maxPriorityFeePerGas: tip })
const Wei = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 45 }))

describe("a replacement", () => {
  it("offers an eighth more than what it replaces, and today's fees when those are more", () => {
    const cap = gwei("1000")
    assert.deepStrictEqual(replacementFees(fees(8n, 8n), fees(1n, 1n), cap), fees(9n, 9n))
    assert.deepStrictEqual(replacementFees(fees(9n, 1n), fees(1n, 0n), cap), fees(11n, 2n))
    assert.deepStrictEqual(replacementFees(fees(8n, 8n), fees(100n, 20n), cap), fees(100n, 20n))
  })

  it("raises a tip of nothing too, since a pool wants both fees raised", () => {
    assert.deepStrictEqual(replacementFees(fees(gwei("200"), 0n), fees(1n, 0n), gwei("1000")), fees(gwei("225"), 1n))
  })

  it("is not made when it would offer more than the cap", () => {
    assert.isUndefined(replacementFees(fees(gwei("900"), 0n), fees(1n, 0n), gwei("1000")))
    assert.isDefined(replacementFees(fees(gwei("800"), 0n), fees(1n, 0n), gwei("1000")))
  })

  it.prop("raises both fees by 12.5 % at least, and its tip is never above its fee", [Wei, Wei, Wei], ([a, b, now]) => {
    const [tip, fee] = [BigInt(Math.min(a, b)), BigInt(Math.max(a, b))]
    const next = replacementFees(fees(fee, tip), fees(BigInt(now), BigInt(now)), 2n ** 60n)
    assert.isDefined(next)
    assert.isTrue(next!.maxFeePerGas * 8n >= fee * 9n && next!.maxFeePerGas > fee)
    assert.isTrue(next!.maxPriorityFeePerGas * 8n >= tip * 9n && next!.maxPriorityFeePerGas > tip)
    assert.isTrue(next!.maxFeePerGas >= next!.maxPriorityFeePerGas)
  })
})

describe("the cap", () => {
  const network = { name: "test", fees: { tip: 0n, cap: gwei("100") } } as LedgerNetwork
  const at = (price: bigint) => aboveCap(network, { base: price, price, ...fees(price, 0n) })

  it("lets a unit of gas that costs just as much through, and refuses one that costs a wei more with both prices", () => {
    assert.isUndefined(at(gwei("100")))
    const error = at(gwei("100") + 1n)
    assert.include(error?.message, "a unit of gas costs 100.000000001 gwei now, more than the 100 gwei")
    assert.include(error?.message, "(max_fee_gwei)")
  })
})

/** What a call costs and how it is booked: from one source whole, never more than was set aside, by the terms it was begun with. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  captureLines,
  chargeOf,
  commitCost,
  fundingFor,
  holdLines,
  releaseLines
} from "../../../packages/core/src/charging/Charging.ts"
import { credits, tokens } from "../../../packages/core/src/charging/ChartOfAccounts.ts"
import { balancesAfter, type Line, linesOf } from "../../../packages/core/src/charging/Entry.ts"
import { AccountId } from "../../../packages/core/src/identity/Caller.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"
import { anyAmount } from "../Generators.ts"

const accountId = AccountId.make("acc_0123456789abcdef")
const Funding = Schema.Literals(["credits", "tokens"])

/** What lines leave in each account, when nothing was there before. */
const sums = (...entries: ReadonlyArray<ReadonlyArray<Line>>): Record<string, bigint> => {
  const found = new Map<string, bigint>()
  for (const { account, amount } of entries.flat()) found.set(account.id, (found.get(account.id) ?? 0n) + amount)
  return Object.fromEntries([...found].filter(([, sum]) => sum !== 0n))
}

describe("from what a call is paid", () => {
  it("credits if they cover all of it, else the wallet if it does, and never a part of each", () => {
    const needed = amount(10n)
    assert.strictEqual(fundingFor(needed, { credits: 10n, wallet: undefined }), "credits")
    assert.strictEqual(fundingFor(needed, { credits: 10n, wallet: 100n }), "credits")
    assert.strictEqual(fundingFor(needed, { credits: 9n, wallet: undefined }), "ask")
    assert.strictEqual(fundingFor(needed, { credits: 9n, wallet: 10n }), "tokens")
    assert.strictEqual(fundingFor(needed, { credits: 9n, wallet: 9n }), "insufficient")
  })
})

describe("what a call is charged", () => {
  it("a commit: the price it was begun with, and the gas really used", () => {
    const terms = { amount: amount(106n), price: amount(100n) }
    assert.deepStrictEqual(chargeOf(terms, commitCost(terms, 4n)), {
      taken: amount(104n),
      price: amount(100n),
      gas: amount(4n),
      unpaid: amount(0n)
    })
  })

  it("never more than was set aside: the service bears the rest", () => {
    const terms = { amount: amount(106n), price: amount(100n) }
    assert.deepStrictEqual(chargeOf(terms, commitCost(terms, 9n)), {
      taken: amount(106n),
      price: amount(100n),
      gas: amount(6n),
      unpaid: amount(3n)
    })
  })

  it.prop(
    "all of it is price or gas, and what is not taken is unpaid",
    [anyAmount, anyAmount, anyAmount],
    ([held, price, cost]) => {
      const charge = chargeOf({ amount: held, price }, cost)
      assert.strictEqual(charge.price + charge.gas, charge.taken)
      assert.strictEqual(charge.taken + charge.unpaid, BigInt(cost))
      assert.isTrue(charge.taken <= held && charge.price <= price)
    }
  )
})

describe("how a call is booked", () => {
  it.prop(
    "every entry is balanced; once it is over nothing is held",
    [anyAmount, anyAmount, anyAmount, Funding],
    ([held, price, cost, funding]) => {
      const money = { accountId, amount: held, price, funding }
      const charge = chargeOf(money, cost)
      const entries = [holdLines(money), captureLines(money, charge), releaseLines(money)]
      for (const lines of entries) linesOf("any", lines)
      assert.deepStrictEqual(sums(holdLines(money), releaseLines(money)), {})
      const paid = funding === "credits" ? credits(accountId) : tokens(accountId)
      assert.deepStrictEqual(
        sums(holdLines(money), captureLines(money, charge)),
        sums([
          { account: paid, amount: -charge.taken },
          { account: { id: "revenue", kind: "revenue", side: "credit" }, amount: charge.price },
          { account: { id: "gas", kind: "gas", side: "credit" }, amount: charge.gas }
        ])
      )
    }
  )

  it("lines of one account are one line, in one order; an entry that is off is refused", () => {
    const mine = credits(accountId)
    const owed = tokens(accountId)
    const lines = linesOf("a", [
      { account: owed, amount: -3n },
      { account: mine, amount: 5n },
      { account: mine, amount: -2n }
    ])
    assert.deepStrictEqual(lines, [
      { account: mine, amount: 3n },
      { account: owed, amount: -3n }
    ])
    assert.throws(() => linesOf("b", [{ account: mine, amount: 1n }]), /The entry b is not balanced: off by 1\./)
    assert.deepStrictEqual(balancesAfter("a", lines, [1n, 0n]), [4n, -3n])
    assert.throws(() => balancesAfter("a", lines, [-4n, 0n]), /would bring credits:.*, a credit account, to -1/)
    assert.throws(() => balancesAfter("a", lines, [0n, 4n]), /would bring tokens:.*, a debit account, to 1/)
  })
})

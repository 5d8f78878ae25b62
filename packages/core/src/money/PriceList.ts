/**
 * What each operation costs, as versioned data: the version is stamped on every charge, so that an old receipt can be
 * checked against the prices of its day. Gas comes on top of a commit and is read from the transaction's receipt.
 */
import { Context, Schema } from "effect"
import { AmountInTokens, amount, UNITS_PER_TOKEN } from "./Amount.ts"

export const Operation = Schema.Literals(["balance-mainnet", "balance-all-networks", "commit"])
export type Operation = typeof Operation.Type

export class PriceList extends Schema.Class<PriceList>("@treemark/core/money/PriceList")({
  version: Schema.NonEmptyString,
  "balance-mainnet": AmountInTokens,
  "balance-all-networks": AmountInTokens,
  commit: AmountInTokens
}) {}

/** The prices of interface.md: mainnet balance free, all networks 0.01, commit 0.1 (plus gas). */
export const Prices = Context.Reference<PriceList>("@treemark/core/money/PriceList/Prices", {
  defaultValue: () =>
    new PriceList({
      version: "2026-11",
      "balance-mainnet": amount(0n),
      "balance-all-networks": amount(UNITS_PER_TOKEN / 100n),
      commit: amount(UNITS_PER_TOKEN / 10n)
    })
})

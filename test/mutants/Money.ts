/** What a call costs, how it is booked, and what a commit's life takes and gives back. */
import type { Mutant } from "./Mutant.ts"

const CHARGING = "core/charging/Charging"
const SETTLING = "core/charging/Settling"
const MACHINE = "core/commit/CommitMachine"

export const MONEY: ReadonlyArray<Mutant> = [
  {
    what: "credits that cover a call exactly are left alone, and the wallet pays",
    file: "core/src/charging/Charging.ts",
    from: "if (credits >= needed) return",
    to: "if (credits > needed) return",
    in: CHARGING,
    test: "credits if they cover all of it"
  },
  {
    what: "a wallet that lacks a unit is served",
    file: "core/src/charging/Charging.ts",
    from: "return wallet >= needed ?",
    to: "return wallet + 1n >= needed ?",
    in: CHARGING,
    test: "credits if they cover all of it"
  },
  {
    what: "more is taken than was set aside",
    file: "core/src/charging/Charging.ts",
    from: "const taken = least(cost, terms.amount)",
    to: "const taken = cost",
    in: CHARGING,
    test: "never more than was set aside"
  },
  {
    what: "gas is booked as price",
    file: "core/src/charging/Charging.ts",
    from: "const price = least(taken, terms.price)",
    to: "const price = taken",
    in: CHARGING,
    test: "a commit: the price it was begun with"
  },
  {
    what: "the gas of a commit is not charged",
    file: "core/src/charging/Charging.ts",
    from: "amount(terms.price + gasPaid)",
    to: "amount(terms.price)",
    in: CHARGING,
    test: "a commit: the price it was begun with"
  },
  {
    what: "what was not taken is kept",
    file: "core/src/charging/Charging.ts",
    from: "amount: amount - taken }",
    to: "amount }",
    in: CHARGING,
    test: "every entry is balanced"
  },
  {
    what: "an entry that is off by some units is booked",
    file: "core/src/charging/Entry.ts",
    from: "if (total !== 0n) throw",
    to: "if (total < 0n) throw",
    in: CHARGING,
    test: "lines of one account are one line"
  },
  {
    what: "an account of credits goes below zero",
    file: "core/src/charging/Entry.ts",
    from: "balance < 0n : balance > 0n",
    to: "balance < -4n : balance > 0n",
    in: CHARGING,
    test: "lines of one account are one line"
  },
  {
    what: "what is under way to the treasury is taken twice",
    file: "core/src/charging/Settling.ts",
    from: "held - underWay - captured",
    to: "held - captured",
    in: SETTLING,
    test: "is what is held, captured, and under way"
  },
  {
    what: "a settlement leaves nothing for its gas",
    file: "core/src/charging/Settling.ts",
    from: "wallet.onChain - wallet.reserve",
    to: "wallet.onChain",
    in: SETTLING,
    test: "goes in one transfer that leaves the reserve"
  },
  {
    what: "a transfer that was never made counts as paid",
    file: "core/src/charging/Settling.ts",
    from: 'end === "returned" ? tokens(accountId) : treasury',
    to: 'end === "settled" ? tokens(accountId) : treasury',
    in: SETTLING,
    test: "is booked in balanced entries"
  },
  {
    what: "a debt below the threshold is settled",
    file: "core/src/charging/Settling.ts",
    from: "owed > 0n && owed >= threshold",
    to: "owed > 0n",
    in: SETTLING,
    test: "is settled from the threshold on"
  },
  {
    what: "a balance is rounded up",
    file: "core/src/money/BalanceText.ts",
    from: "const shown = balance / UNITS_PER_FOURTH_DIGIT",
    to: "const shown = (balance + UNITS_PER_FOURTH_DIGIT / 2n) / UNITS_PER_FOURTH_DIGIT",
    in: "core/money/BalanceText",
    test: "cuts off what is beyond the fourth decimal"
  },
  {
    what: "zeros behind the point are lost, and a balance is ten times as large",
    file: "core/src/money/BalanceText.ts",
    from: '.toString().padStart(4, "0")',
    to: ".toString()",
    in: "core/money/BalanceText",
    test: "cuts off what is beyond the fourth decimal"
  },
  {
    what: "a nineteenth digit is taken for the eighteenth",
    file: "core/src/money/Decimal.ts",
    from: "\\d{1,18})?$/u",
    to: "\\d{1,19})?$/u",
    in: "core/money/BalanceText",
    test: "are read only from plain decimals"
  },
  {
    what: "a token of more than 18 decimals counts for more than it is",
    file: "daemon/src/evm/Balances.ts",
    from: "units / 10n ** BigInt(decimals - DECIMALS)",
    to: "units",
    in: "daemon/evm/Balances",
    test: "in 10^-18 never exceed what they are"
  },
  {
    what: "the sum over all networks is made of cut balances",
    file: "core/src/balance/AllNetworksBalance.ts",
    from: "sum + exact, 0n",
    to: "sum + (exact / 10n ** 14n) * 10n ** 14n, 0n",
    in: "core/balance/Balances",
    test: "sums exact amounts before it cuts"
  },
  {
    what: "a commit is charged again each time it is recorded again",
    file: "core/src/commit/CommitMachine.ts",
    from: 'if (money._tag !== "held") return { state: { _tag: "mined", money, place, watched }, actions: [] }',
    to: 'if (money._tag !== "held") return { state: { _tag: "mined", money, place, watched }, actions: [{ _tag: "release" }] }',
    in: MACHINE,
    test: "charges it once"
  },
  {
    what: "a commit is signed behind which there is no money",
    file: "core/src/commit/CommitMachine.ts",
    from: 'money._tag === "held"\n    ? { state: { _tag: "signed", money }',
    to: 'money._tag !== "captured"\n    ? { state: { _tag: "signed", money }',
    in: MACHINE,
    test: "signs nothing that no money stands behind"
  },
  {
    what: "a commit that was recorded begins anew, and is paid twice",
    file: "core/src/commit/CommitMachine.ts",
    from: 'state._tag === "planned" || state._tag === "refused" ? begun(event)',
    to: 'state._tag !== "signed" ? begun(event)',
    in: MACHINE,
    test: "never writes over a commit that has ended"
  },
  {
    what: "the money of a commit that will never be is kept",
    file: "core/src/commit/CommitMachine.ts",
    from: 'actions: [...actions, { _tag: "release" }]',
    to: "actions: [...actions]",
    in: MACHINE,
    test: "gives back what is held"
  },
  {
    what: "nobody is told that a commit which was paid is lost",
    file: "core/src/commit/CommitMachine.ts",
    from: 'money._tag === "captured" ? [{ _tag: "alarm" }] : []',
    to: "[]",
    in: MACHINE,
    test: "gives back what is held"
  },
  {
    what: "a commit whose block fell out of the chain counts as recorded",
    file: "core/src/commit/CommitMachine.ts",
    from: "isIn(state, event.place) && !isFinal(state)",
    to: "isIn(state, event.place) && isFinal(state)",
    in: MACHINE,
    test: "charges it once"
  },
  {
    what: "a commit is given back that waits in a node's pool",
    file: "core/src/commit/CommitMachine.ts",
    from: 'return state._tag === "signed" ? ended("refused"',
    to: 'return isUnderWay(state) ? ended("refused"',
    in: MACHINE,
    test: "is the table in docs/architecture.md"
  }
]

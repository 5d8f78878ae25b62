/**
 * Charging as pure functions, for whoever keeps books: the chart of accounts, what a call is paid from, what it costs, what is owed and
 * when it is settled. `@treemark/core` has the port (`Charges`).
 */
export {
  type Charge,
  type ChargeTerms,
  captureLines,
  chargeOf,
  commitCost,
  type Funding,
  fundingFor,
  type HeldMoney,
  holdLines,
  releaseLines
} from "./charging/Charging.ts"
export {
  type BookAccount,
  credits,
  gas,
  heldCredits,
  heldTokens,
  issued,
  revenue,
  settling,
  tokens,
  treasury,
  wallets
} from "./charging/ChartOfAccounts.ts"
export { balancesAfter, type Line, linesOf } from "./charging/Entry.ts"
export {
  debtAccounts,
  isDue,
  owedOf,
  payable,
  settledLines,
  settlementOf,
  settlingLines
} from "./charging/Settling.ts"
export { overLimit, spendingDay } from "./charging/SpendingLimit.ts"

/**
 * The closed list of what the check of a statement can say, besides `ok`; every one but the skipped makes it invalid. Codes are never
 * renamed; docs/statement-format.md explains each.
 */

const PASSED = {
  "receipts-signed": "Every charge has a receipt that the service's wallet signed.",
  "receipts-chained": "The receipts follow one another without a gap, from the opening's to the closing's.",
  "movements-agree": "Every charge is what its receipt says: account, posting, reference, time and amount.",
  "sums-agree": "Opening balance and movements add up to the closing balance, and neither is below zero.",
  "period-kept": "The movements lie in the period, in the order of time.",
  "statement-signed": "The service's wallet signed the statement as a whole.",
  "expected-service": "The service is the one you named with --service."
} as const

export type StatementCheckName = keyof typeof PASSED

export const STATEMENT_CHECKS: Readonly<Record<StatementCheckName, string>> = PASSED

interface Meaning {
  readonly outcome: "fail" | "skipped"
  readonly meaning: string
}

const fails = (meaning: string): Meaning => ({ outcome: "fail", meaning })

const LIST = {
  receipt_missing: fails("A charge has no receipt."),
  receipt_unreadable: fails("A receipt cannot be read: it is damaged, or not canonical dag-json of version 1."),
  receipt_signature: fails("The signature of a receipt is not one."),
  receipt_wrong_signer: fails(
    "A receipt was signed by somebody other than the service, or changed after it was signed."
  ),
  receipt_order: fails("The receipts' numbers do not follow one another: one is missing, or one stands twice."),
  receipt_chain: fails("A receipt does not name the receipt before it: one was left out, put in or changed."),
  closing_receipt: fails("The closing balance names another receipt than the last one."),
  receipt_account: fails("A receipt is for another account."),
  receipt_service: fails("A receipt names another service."),
  receipt_sum: fails("The price and the gas on a receipt are not its amount."),
  movement_differs: fails("A charge says something else than its receipt."),
  movement_shape: fails(
    "A movement carries what its kind cannot: a receipt, a sign or an account that does not belong to it."
  ),
  credits_differ: fails("The credits do not add up to the closing balance."),
  owed_differs: fails("What the wallet owes does not add up to the closing balance."),
  below_zero: fails("A balance is below zero."),
  outside_period: fails("A movement lies outside the period of the statement."),
  out_of_order: fails("A movement is older than the one before it."),
  statement_signature: fails("The signature of the statement is not one."),
  statement_wrong_signer: fails(
    "The statement was signed by somebody other than the service it names, or changed afterwards."
  ),
  service_differs: fails("The statement is by another service than the one you named."),
  service_not_named: {
    outcome: "skipped",
    meaning:
      "Nobody was named with --service, so whoever signed is taken at their word: compare the address of the service."
  }
} as const satisfies { readonly [code: string]: Meaning }

export type StatementCode = keyof typeof LIST

export const STATEMENT_CODES: Readonly<Record<StatementCode, Meaning>> = LIST

/** The movements of a statement: each is what its receipt says, all lie in the period, and together they make the closing balance. */
import { formatTokens } from "../money/Decimal.ts"
import type { Finding } from "./Finding.ts"
import type { PlacedReceipt } from "./ReceiptChecks.ts"
import type { Movement, Statement } from "./Statement.ts"
import { unitsOf } from "./Units.ts"

const units = (text: string): bigint => unitsOf(text) ?? 0n

const pathOf = (index: number): string => `/movements/${index}`

export const checkMovements = (
  statement: Statement,
  receipts: ReadonlyArray<PlacedReceipt>
): ReadonlyArray<Finding> => [
  ...statement.movements.flatMap(
    (movement, index): ReadonlyArray<Finding> =>
      hasShape(movement) ? [] : [{ code: "movement_shape", path: pathOf(index) }]
  ),
  ...receipts.flatMap((placed) => checkReceipt(statement, placed))
]

/** Grants add credits, settlements lower what is owed, charges take from one of the two. */
const hasShape = ({ kind, credits, owed, receipt, txHash }: Movement): boolean => {
  const [given, due] = [units(credits), units(owed)]
  switch (kind) {
    case "grant":
      return given > 0n && due === 0n && receipt === null && txHash === null
    case "settlement":
      return given === 0n && due < 0n && receipt === null
    case "charge":
      return given <= 0n && due >= 0n && (given === 0n || due === 0n) && txHash === null
  }
}

const checkReceipt = (statement: Statement, { index, receipt }: PlacedReceipt): ReadonlyArray<Finding> => {
  const movement = statement.movements[index]
  const path = pathOf(index)
  if (movement === undefined) return []
  if (receipt.account !== statement.account.id) {
    return [{ code: "receipt_account", path, expected: statement.account.id, actual: receipt.account }]
  }
  if (receipt.service.toLowerCase() !== statement.service.toLowerCase()) {
    return [{ code: "receipt_service", path, expected: statement.service, actual: receipt.service }]
  }
  if (units(receipt.price) + units(receipt.gas) !== units(receipt.amount)) {
    const sum = formatTokens(units(receipt.price) + units(receipt.gas))
    return [{ code: "receipt_sum", path, expected: sum, actual: receipt.amount }]
  }
  const taken = units(receipt.amount)
  const said: Pick<Movement, "at" | "posting" | "reference" | "credits" | "owed"> = {
    at: receipt.issuedAt,
    posting: receipt.posting,
    reference: receipt.reference,
    credits: formatTokens(receipt.funding === "credits" ? -taken : 0n),
    owed: formatTokens(receipt.funding === "credits" ? 0n : taken)
  }
  return Object.entries(said).flatMap(([name, expected]): ReadonlyArray<Finding> => {
    const actual = movement[name as keyof typeof said]
    return actual === expected ? [] : [{ code: "movement_differs", path: `${path}/${name}`, expected, actual }]
  })
}

export const checkSums = ({ opening, movements, closing }: Statement): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  let credits = units(opening.credits)
  let owed = units(opening.owed)
  if (credits < 0n || owed < 0n) findings.push({ code: "below_zero", path: "/opening" })
  for (const movement of movements) {
    credits += units(movement.credits)
    owed += units(movement.owed)
  }
  if (credits < 0n || owed < 0n) findings.push({ code: "below_zero", path: "/closing" })
  const differs = (code: "credits_differ" | "owed_differs", name: "credits" | "owed", sum: bigint) => {
    if (sum === units(closing[name])) return
    findings.push({ code, path: `/closing/${name}`, expected: formatTokens(sum), actual: closing[name] })
  }
  differs("credits_differ", "credits", credits)
  differs("owed_differs", "owed", owed)
  return findings
}

/** Times have one spelling, so that they compare as text. */
export const checkPeriod = ({ from, to, movements }: Statement): ReadonlyArray<Finding> =>
  movements.flatMap(({ at }, index): ReadonlyArray<Finding> => {
    const path = `${pathOf(index)}/at`
    const before = movements[index - 1]?.at
    if (at < from || at >= to)
      return [{ code: "outside_period", path, expected: `from ${from} to before ${to}`, actual: at }]
    return before !== undefined && at < before ? [{ code: "out_of_order", path, expected: before, actual: at }] : []
  })

/**
 * Statements of an account: one that holds, changed as a stranger would or as the service itself could (signed again), with the judge's own
 * arithmetic beside it (docs/statement-format.md). A valid one has no member that its signature does not cover.
 */
import { parseUnits } from "ethers"
import { parseStatement, verifyStatement } from "../../packages/core/src/verify.ts"
import { STATEMENT } from "../core/statement/StatementFixture.ts"
import { canonical, HANDS, sha256, signerOfText, signText } from "./Hands.ts"
import { type Json, mutateMember, type Owner } from "./Mutate.ts"
import { bytesOf, type Dice, pick, VALUES } from "./MutateValue.ts"
import type { Case, Outcome } from "./Run.ts"

const NUMBERS: ReadonlyArray<Json> = [
  "0",
  "-0",
  "1",
  "0.000000000000000001",
  "9007199254740993",
  "1e3",
  "2.50",
  "-0.104"
]

export const statementCase = (dice: Dice): Case => {
  const file: Json = structuredClone(STATEMENT) as never
  const what = changed(file as Owner, dice)
  const isSignedAgain = dice(3) > 0
  if (isSignedAgain) signAgain(file as Owner)
  const text = JSON.stringify(file, null, pick(dice, [0, 1]))
  const bytes = dice(10) === 0 ? bytesOf(Buffer.from(text), dice) : Buffer.from(text)
  return { what: `statement: ${what}${isSignedAgain ? ", signed again" : ""}`, bytes, run: () => judgeStatement(bytes) }
}

const changed = (file: Owner, dice: Dice): string => {
  const movements = file.movements as Array<Owner>
  const anywhere = pick(dice, [file, file.account as Owner, file.opening as Owner, file.closing as Owner, ...movements])
  switch (dice(7)) {
    case 0:
      return "nothing"
    case 1:
      anywhere[pick(dice, ["note", "credits ", "__proto__", "toString"])] = pick(dice, ["refund 100", ...VALUES])
      return "an unknown member"
    case 2:
      anywhere[pick(dice, ["credits", "owed"])] = pick(dice, NUMBERS)
      return "an amount"
    case 3:
      movements.splice(dice(movements.length), 1)
      return "a movement left out"
    case 4:
      movements.splice(dice(movements.length), 0, structuredClone(pick(dice, movements)))
      return "a movement twice"
    case 5:
      movements.sort(() => dice(2) - 1)
      return "movements in another order"
    default:
      return mutateMember(file, dice, structuredClone(STATEMENT) as never)
  }
}

/** The key of the fixture's service is the stranger's of the other tests. */
const signAgain = (file: Owner): void => {
  const { signature: _, ...others } = file
  try {
    file.signature = signText(HANDS.bob, sha256(canonical(others)))
  } catch {
    // What cannot be written as canonical JSON keeps the signature that it had.
  }
}

const judgeStatement = (bytes: Uint8Array): Outcome => {
  const reading = parseStatement(bytes)
  if (!reading.ok) return { outcome: reading.code, problems: [] }
  const { verdict } = verifyStatement(reading.statement)
  const isSound = isStatementSound(JSON.parse(Buffer.from(bytes).toString()))
  return {
    outcome: `statement ${verdict}`,
    problems: verdict === "valid" && !isSound ? ["valid, but the judge finds it wrong"] : []
  }
}

const isStatementSound = (file: Sums & { readonly signature: string }): boolean => {
  try {
    const { signature, ...others } = file
    const { closing, from, movements, opening, service, to } = file
    if (signerOfText(sha256(canonical(others)), signature).toLowerCase() !== service.toLowerCase()) return false
    let credits = units(opening.credits)
    let owed = units(opening.owed)
    let last = opening.receipt
    let before = from
    for (const movement of movements) {
      credits += units(movement.credits)
      owed += units(movement.owed)
      if (movement.at < before || movement.at >= to) return false
      before = movement.at
      if (movement.kind !== "charge") continue
      const receipt = receiptOf(String(movement.receipt), service)
      if (receipt.sequence !== (last?.sequence ?? 0) + 1 || receipt.previous !== (last?.hash ?? null)) return false
      const taken = units(movement.credits) + -units(movement.owed)
      if (-taken !== units(receipt.amount) || movement.posting !== receipt.posting) return false
      last = { sequence: receipt.sequence, hash: receipt.hash }
    }
    const isChained = closing.receipt?.hash === last?.hash && closing.receipt?.sequence === last?.sequence
    return (
      isChained && credits === units(closing.credits) && owed === units(closing.owed) && credits >= 0n && owed >= 0n
    )
  } catch {
    return false
  }
}

interface Balance {
  readonly credits: string
  readonly owed: string
  readonly receipt: { readonly sequence: number; readonly hash: string } | null
}

interface Sums {
  readonly service: string
  readonly from: string
  readonly to: string
  readonly opening: Balance
  readonly closing: Balance
  readonly movements: ReadonlyArray<
    Readonly<Record<"at" | "kind" | "credits" | "owed" | "posting" | "receipt", string>>
  >
}

const units = (text: string): bigint => parseUnits(text, 18)

const receiptOf = (compact: string, service: string) => {
  const [body = "", signature = ""] = compact.split(".")
  const text = Buffer.from(body, "base64url").toString()
  const hash = sha256(text)
  const signer = signerOfText(hash, `0x${Buffer.from(signature, "base64url").toString("hex")}`)
  if (signer.toLowerCase() !== service.toLowerCase()) throw new Error("another signer")
  return {
    ...(JSON.parse(text) as { sequence: number; previous: string | null; amount: string; posting: string }),
    hash
  }
}

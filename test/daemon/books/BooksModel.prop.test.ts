/**
 * The books against a model of a few lines: any sequence of credits, holds, captures and releases, each done once or again, leaves
 * both with the same credits, the same tokens to spend and the same earnings.
 */
import { assert, describe, it } from "@effect/vitest"
import { amount, Charges, type Hold } from "@treemark/core"
import { Effect, References, Schema } from "effect"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import { Funds } from "../../../packages/daemon/src/books/Funds.ts"
import { assertBalanced, balances, hold, openAccount, withBank } from "./Bank.ts"

const PRICE = 100_000_000_000_000_000n
const SCALE = 50_000_000_000_000_001n

const Units = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
const Work = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))
const Step = Schema.Union([
  Schema.TaggedStruct("credit", { units: Units }),
  Schema.TaggedStruct("hold", { work: Work, units: Units }),
  Schema.TaggedStruct("capture", { work: Work, units: Units }),
  Schema.TaggedStruct("release", { work: Work })
])

interface ModelHold {
  readonly amount: bigint
  readonly funding: "credits" | "tokens"
  state: "held" | "captured"
}

/** `spend` is what each source can still pay. */
class Model {
  readonly spend = { credits: 0n, tokens: 0n }
  readonly holds = new Map<number, ModelHold>()
  revenue = 0n
  gas = 0n

  hold(work: number, amount: bigint): boolean {
    if (this.holds.has(work)) return true
    const funding = this.spend.credits >= amount ? "credits" : "tokens"
    if (this.spend[funding] < amount) return false
    this.spend[funding] -= amount
    this.holds.set(work, { amount, funding, state: "held" })
    return true
  }

  capture(work: number, asked: bigint): void {
    const held = this.holds.get(work)
    if (held?.state !== "held") return
    const taken = asked < held.amount ? asked : held.amount
    const price = taken < PRICE ? taken : PRICE
    held.state = "captured"
    this.spend[held.funding] += held.amount - taken
    this.revenue += price
    this.gas += taken - price
  }

  release(work: number): void {
    const held = this.holds.get(work)
    if (held?.state !== "held") return
    this.spend[held.funding] += held.amount
    this.holds.delete(work)
  }
}

const check = Effect.fnUntraced(function* (steps: ReadonlyArray<typeof Step.Type>, tokens: number) {
  const charges = yield* Charges
  const funds = yield* Funds
  const model = new Model()
  const alice = yield* openAccount("alice", 0n, BigInt(tokens) * SCALE)
  model.spend.tokens = BigInt(tokens) * SCALE
  const holds = new Map<number, Hold>()

  for (const step of steps) {
    const units = "units" in step ? BigInt(step.units) * SCALE : 0n
    const held = "work" in step ? holds.get(step.work) : undefined
    if (step._tag === "credit") {
      yield* (yield* Accounts).addCredits("alice", amount(units))
      model.spend.credits += units
    } else if (step._tag === "hold") {
      const result = yield* Effect.result(hold(alice, units, `cmt_${step.work}`))
      assert.strictEqual(result._tag === "Success", model.hold(step.work, units))
      if (result._tag === "Success") holds.set(step.work, result.success)
    } else if (step._tag === "capture" && held !== undefined) {
      yield* charges.capture(held, amount(units))
      model.capture(step.work, units)
    } else if (step._tag === "release" && held !== undefined) {
      yield* charges.release(held)
      model.release(step.work)
    }
    const { revenue = 0n, gas = 0n }: Record<string, bigint> = yield* balances
    assert.deepStrictEqual(
      {
        credits: BigInt(yield* funds.credits(alice)),
        tokens: BigInt(yield* funds.tokens(alice)),
        revenue,
        gas
      },
      { ...model.spend, revenue: model.revenue, gas: model.gas }
    )
  }
  yield* assertBalanced()
})

describe("the books against a model", () => {
  it.live.prop(
    "agree after every step of any sequence, and their balances always sum to zero",
    [Schema.Array(Step).check(Schema.isMinLength(12), Schema.isMaxLength(40)), Units],
    ([steps, tokens]) => withBank(check(steps, tokens)).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    { arbitrary: { runs: 60 } }
  )
})

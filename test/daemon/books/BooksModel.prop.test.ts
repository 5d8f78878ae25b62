/**
 * The books against a model of a few lines: any sequence of credits, holds, captures, releases and settlements, each done once or again,
 * with crashes between them and in the middle of a capture, leaves both with the same credits, tokens to spend, earnings and treasury.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { amount, type Caller, Charges, type Hold, type WalletAddress } from "@treemark/core"
import { Effect, Fiber, References, Schema } from "effect"
import { Accounts } from "../../../packages/daemon/src/accounts/Accounts.ts"
import { Settlement } from "../../../packages/daemon/src/books/Settlement.ts"
import { databaseUrl, tempFolder } from "../store/TempStore.ts"
import { assertBalanced, balances, creditsOf, hold, openAccount, TestChain, tokensOf } from "./Bank.ts"
import { GAS, ROOM, settlementLayer, TestTransfers } from "./Office.ts"

const PRICE = 100_000_000_000_000_000n
const SCALE = 50_000_000_000_000_001n

const Units = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
const Work = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))
const Step = Schema.Union([
  Schema.TaggedStruct("credit", { units: Units }),
  Schema.TaggedStruct("hold", { work: Work, units: Units }),
  Schema.TaggedStruct("capture", { work: Work, units: Units }),
  Schema.TaggedStruct("release", { work: Work }),
  Schema.TaggedStruct("settle", {}),
  /** The process ends `units` turns after a capture began, and starts again; the capture is then asked for once more. */
  Schema.TaggedStruct("crash", { work: Work, units: Units })
])

interface ModelHold {
  readonly amount: bigint
  readonly funding: "credits" | "tokens"
  state: "held" | "captured"
}

class Model {
  credits = 0n
  onChain = 0n
  owed = 0n
  treasury = 0n
  readonly holds = new Map<number, ModelHold>()
  revenue = 0n
  gas = 0n

  /** What each source can still pay. */
  get spend(): { readonly credits: bigint; readonly tokens: bigint } {
    const held = [...this.holds.values()].filter(({ funding, state }) => funding === "tokens" && state === "held")
    const left = this.onChain - this.owed - held.reduce((sum, { amount }) => sum + amount, 0n)
    return { credits: this.credits, tokens: left < 0n ? 0n : left }
  }

  hold(work: number, amount: bigint): boolean {
    if (this.holds.has(work)) return true
    const funding = this.spend.credits >= amount ? "credits" : "tokens"
    if (this.spend[funding] < amount) return false
    if (funding === "credits") this.credits -= amount
    this.holds.set(work, { amount, funding, state: "held" })
    return true
  }

  capture(work: number, asked: bigint): void {
    const held = this.holds.get(work)
    if (held?.state !== "held") return
    const taken = asked < held.amount ? asked : held.amount
    const price = taken < PRICE ? taken : PRICE
    held.state = "captured"
    if (held.funding === "credits") this.credits += held.amount - taken
    else this.owed += taken
    this.revenue += price
    this.gas += taken - price
  }

  release(work: number): void {
    const held = this.holds.get(work)
    if (held?.state !== "held") return
    if (held.funding === "credits") this.credits += held.amount
    this.holds.delete(work)
  }

  settle(): void {
    const spare = this.onChain - ROOM
    const value = this.owed < spare ? this.owed : spare
    if (this.owed === 0n || spare <= 0n) return
    this.onChain -= value + GAS
    this.owed -= value
    this.treasury += value
  }
}

type Steps = ReadonlyArray<typeof Step.Type>

/** What outlives a crash outside the books: who called, what was held, the chain, and the transfers that are on it. */
interface World {
  readonly model: Model
  readonly holds: Map<number, Hold>
  readonly chain: Map<WalletAddress, bigint>
  readonly sent: Map<string, bigint>
  alice: Caller | undefined
}

/** Runs steps up to the next crash; answers the steps after it. */
const session = Effect.fnUntraced(function* (world: World, steps: Steps, tokens: bigint) {
  const { holds, model } = world
  const charges = yield* Charges
  const chain = yield* TestChain
  const transfers = yield* TestTransfers
  for (const [wallet, balance] of world.chain) chain.balances.set(wallet, balance)
  for (const [reference, value] of world.sent) transfers.sent.set(reference, value)
  const alice = world.alice ?? (yield* openAccount("alice", 0n, tokens))
  world.alice = alice
  const capture = (hold: Hold, work: number, units: bigint) =>
    Effect.tap(charges.capture(hold, amount(units)), () => Effect.sync(() => model.capture(work, units)))

  for (const [n, step] of steps.entries()) {
    const units = "units" in step ? BigInt(step.units) * SCALE : 0n
    const held = "work" in step ? holds.get(step.work) : undefined
    if (step._tag === "credit") {
      yield* (yield* Accounts).addCredits("alice", amount(units))
      model.credits += units
    } else if (step._tag === "hold") {
      const result = yield* Effect.result(hold(alice, units, `cmt_${step.work}`))
      assert.strictEqual(result._tag === "Success", model.hold(step.work, units))
      if (result._tag === "Success") holds.set(step.work, result.success)
    } else if (step._tag === "capture" && held !== undefined) {
      yield* capture(held, step.work, units)
    } else if (step._tag === "release" && held !== undefined) {
      yield* charges.release(held)
      model.release(step.work)
    } else if (step._tag === "settle") {
      yield* (yield* Settlement).settle(alice.accountId)
      model.settle()
    } else if (step._tag === "crash") {
      if (held !== undefined) {
        const running = yield* Effect.forkChild(charges.capture(held, amount(units)))
        for (let turn = 0; turn < step.units; turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(running)
      }
      for (const [wallet, balance] of chain.balances) world.chain.set(wallet, balance)
      for (const [reference, value] of transfers.sent) world.sent.set(reference, value)
      const again = { _tag: "capture", work: step.work, units: step.units } as const
      return [...(held === undefined ? [] : [again]), ...steps.slice(n + 1)]
    }
    const { revenue = 0n, gas = 0n, treasury = 0n }: Record<string, bigint> = yield* balances
    assert.deepStrictEqual(
      {
        credits: yield* creditsOf(alice),
        tokens: BigInt(yield* tokensOf(alice)),
        revenue,
        gas,
        treasury
      },
      { ...model.spend, revenue: model.revenue, gas: model.gas, treasury: -model.treasury }
    )
  }
  yield* assertBalanced()
  return []
})

const check = Effect.fnUntraced(function* (steps: Steps, tokens: number) {
  const filename = join(yield* tempFolder, "treemark.db")
  const world: World = { model: new Model(), holds: new Map(), chain: new Map(), sent: new Map(), alice: undefined }
  world.model.onChain = BigInt(tokens) * SCALE
  let left: Steps = steps
  do {
    left = yield* session(world, left, BigInt(tokens) * SCALE).pipe(Effect.provide(settlementLayer(filename)))
  } while (left.length > 0)
}, Effect.scoped)

const RUNS = 60
/** A server takes most of a second for one sequence, in a database of its own. */
const RUNS_ON_POSTGRES = 12
let runs = 0
const isEnough = Effect.sync(() => ++runs > RUNS_ON_POSTGRES && databaseUrl("") !== undefined)

describe("the books against a model", () => {
  it.live.prop(
    "agree after every step of any sequence, and their balances always sum to zero",
    [Schema.Array(Step).check(Schema.isMinLength(12), Schema.isMaxLength(40)), Units],
    ([steps, tokens]) =>
      Effect.flatMap(isEnough, (enough) => (enough ? Effect.void : check(steps, tokens))).pipe(
        Effect.provideService(References.MinimumLogLevel, "None")
      ),
    { arbitrary: { runs: RUNS } }
  )
})

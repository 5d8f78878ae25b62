/**
 * Books in memory, for whoever embeds the flow of a commit and for tests: accounts are opened with the funds they are met with, and every
 * movement is an entry of core/charging, so it balances or throws. Layers of one building share them; they end with the process.
 */
import { Context, Effect, Layer } from "effect"
import { type Call, IdempotencyKeyInUse } from "../charging/Call.ts"
import { type Hold, InsufficientFunds } from "../charging/Charges.ts"
import {
  type Charge,
  captureLines,
  chargeOf,
  fundingFor,
  type HeldMoney,
  holdLines,
  releaseLines
} from "../charging/Charging.ts"
import { type BookAccount, credits, issued } from "../charging/ChartOfAccounts.ts"
import { balancesAfter, type Line, linesOf } from "../charging/Entry.ts"
import { debtAccounts, owedOf, payable } from "../charging/Settling.ts"
import type { Caller } from "../identity/Caller.ts"
import { type Amount, amount } from "../money/Amount.ts"

/** What an account starts with: credits, and the native tokens in its wallet. */
export interface Funds {
  readonly credits: Amount
  readonly tokens?: Amount
}

/** One movement, in the order they were made: what was set aside, taken, or given back. */
export interface BookMovement {
  readonly kind: "hold" | "capture" | "release"
  readonly operation: Hold["operation"]
  readonly reference: string
  readonly amount: Amount
}

/** What is asked to be set aside; `call` where it may have a key. */
export interface HoldRequest extends Omit<Hold, "id"> {
  readonly call: Call | undefined
}

type Refusal = InsufficientFunds | IdempotencyKeyInUse

export class MemoryBooks extends Context.Service<
  MemoryBooks,
  {
    /** Fails as `hold` would now, and changes nothing. */
    readonly check: (request: HoldRequest) => Effect.Effect<void, Refusal>
    /** Sets money aside and claims the call's key, or changes nothing. A reference holds once, and anew when that was given back. */
    readonly hold: (request: HoldRequest) => Effect.Effect<Hold, Refusal>
    /** Takes what the hold's terms allow of `cost`. Done twice it changes nothing. */
    readonly capture: (holdId: string, cost: bigint) => Effect.Effect<void>
    /** Gives everything back, and the key. Done twice it changes nothing. */
    readonly release: (holdId: string) => Effect.Effect<void>
    /** The balance of an account of the chart; zero where nothing was posted. */
    readonly balanceOf: (account: BookAccount) => bigint
    readonly movements: ReadonlyArray<BookMovement>
  }
>()("@treemark/core/memory/MemoryBooks") {}

interface Kept {
  readonly hold: Hold
  readonly money: HeldMoney
  readonly key: string | undefined
  state: "held" | "captured" | "released"
}

/** Books whose accounts start with `fundsOf` their caller. */
export const booksInMemory = (fundsOf: (caller: Caller) => Funds): Layer.Layer<MemoryBooks> =>
  Layer.sync(MemoryBooks, () => {
    const balances = new Map<string, bigint>()
    const opened = new Set<string>()
    const kept = new Map<string, Kept>()
    /** Claimed keys, each with the reference it stands for. */
    const keys = new Map<string, string>()
    const movements: Array<BookMovement> = []

    const balanceOf = ({ id }: BookAccount) => balances.get(id) ?? 0n
    const post = (id: string, given: ReadonlyArray<Line>) => {
      const lines = linesOf(id, given)
      const after = balancesAfter(
        id,
        lines,
        lines.map(({ account }) => balanceOf(account))
      )
      for (const [n, { account }] of lines.entries()) balances.set(account.id, after[n] ?? 0n)
    }
    const open = (caller: Caller) => {
      const { accountId } = caller
      const funds = fundsOf(caller)
      if (!opened.has(accountId)) {
        post(`grant ${accountId}`, [
          { account: issued, amount: -funds.credits },
          { account: credits(accountId), amount: funds.credits }
        ])
        opened.add(accountId)
      }
      const owed = owedOf(debtAccounts(accountId).map(balanceOf))
      return { credits: amount(balanceOf(credits(accountId))), wallet: payable(funds.tokens ?? 0n, owed) }
    }
    const record = (kind: BookMovement["kind"], { operation, reference }: Hold, moved: Amount) =>
      movements.push({ kind, operation, reference, amount: moved })

    /** What the money would come from, or why there is none. */
    const tried = ({ amount: needed, call, caller, reference }: HoldRequest) => {
      const key = keyOf(call)
      if (call?.key !== undefined && key !== undefined && (keys.get(key) ?? reference) !== reference) {
        return { refusal: new IdempotencyKeyInUse({ key: call.key.key }) }
      }
      const { credits, wallet } = open(caller)
      const funding = fundingFor(needed, { credits, wallet })
      if (funding === "credits" || funding === "tokens") return { funding, key }
      return { refusal: new InsufficientFunds({ needed, credits, tokens: wallet }) }
    }

    return MemoryBooks.of({
      check: (request) =>
        Effect.suspend(() => {
          const { refusal } = tried(request)
          return refusal === undefined ? Effect.void : Effect.fail(refusal)
        }),
      hold: (request) =>
        Effect.suspend((): Effect.Effect<Hold, Refusal> => {
          const { amount, caller, operation, price, reference } = request
          const id = holdIdOf(operation, reference)
          const before = kept.get(id)
          if (before !== undefined && before.state !== "released") return Effect.succeed(before.hold)
          const { funding, key, refusal } = tried(request)
          if (funding === undefined) return Effect.fail(refusal)
          const hold = { id, caller, operation, reference, amount, price }
          const money = { accountId: caller.accountId, amount, funding, price }
          post(`hold ${id}`, holdLines(money))
          if (key !== undefined) keys.set(key, reference)
          kept.set(id, { hold, money, key, state: "held" })
          record("hold", hold, amount)
          return Effect.succeed(hold)
        }),
      capture: (holdId, cost) =>
        Effect.sync(() => {
          const one = kept.get(holdId)
          if (one?.state !== "held") return
          const charge: Charge = chargeOf(one.money, cost)
          post(`capture ${holdId}`, captureLines(one.money, charge))
          one.state = "captured"
          record("capture", one.hold, charge.taken)
        }),
      release: (holdId) =>
        Effect.sync(() => {
          const one = kept.get(holdId)
          if (one?.state !== "held") return
          post(`release ${holdId}`, releaseLines(one.money))
          one.state = "released"
          if (one.key !== undefined) keys.delete(one.key)
          record("release", one.hold, one.hold.amount)
        }),
      balanceOf,
      movements
    })
  })

/** The id of the hold for a piece of work. */
export const holdIdOf = (operation: Hold["operation"], reference: string): string => `${operation} ${reference}`

/** A key belongs to an account and an operation. */
const keyOf = (call: Call | undefined) =>
  call?.key === undefined ? undefined : JSON.stringify([call.key.accountId, call.key.operation, call.key.key])

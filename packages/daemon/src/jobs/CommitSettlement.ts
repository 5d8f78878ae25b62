/**
 * Settles the hold of a commit that ended with nobody waiting for it: after the caller's deadline, or after a restart. Mined:
 * the price of the day it was held and the gas really used are captured. Anything else: all is released.
 */
import { type Amount, amount, Charges } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import { Holds } from "../books/Holds.ts"
import { storePause } from "./OutboxStore.ts"

export class CommitSettlement extends Context.Service<
  CommitSettlement,
  {
    /** `gasPaid` (10^-18) of a mined commit, none for one that will never be. Tried until the books take it; twice changes nothing. */
    readonly settle: (holdId: string, gasPaid: Option.Option<Amount>) => Effect.Effect<void>
  }
>()("@treemark/daemon/jobs/CommitSettlement") {
  static readonly layer = Layer.effect(
    CommitSettlement,
    Effect.gen(function* () {
      const holds = yield* Holds
      const charges = yield* Charges

      const settleOnce = Effect.fnUntraced(function* (holdId: string, gasPaid: Option.Option<Amount>) {
        const hold = Option.getOrUndefined(yield* holds.byId(holdId))
        if (hold === undefined) return yield* Effect.logError(`There is no hold ${holdId} to settle.`)
        if (hold.state !== "held") return
        yield* Option.match(gasPaid, {
          onNone: () => charges.release(hold),
          onSome: (gas) => charges.capture(hold, amount(hold.price + gas))
        })
      })

      const settle = Effect.fn("CommitSettlement.settle")(function* (holdId: string, gasPaid: Option.Option<Amount>) {
        for (let failures = 0; ; failures++) {
          const error = yield* settleOnce(holdId, gasPaid).pipe(Effect.as(undefined), Effect.catch(Effect.succeed))
          if (error === undefined) return
          yield* Effect.logError(`The hold ${holdId} of an ended commit could not be settled; trying again`, error)
          yield* Effect.sleep(storePause(failures))
        }
      })
      return CommitSettlement.of({ settle })
    })
  )
}

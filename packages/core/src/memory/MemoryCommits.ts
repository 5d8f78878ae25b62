/**
 * Layers of `Commits` and `Acts` in memory. Each commit is a state of the machine (commit/CommitMachine), told what happens and doing what it
 * answers, with the books in memory behind it. The ledger and the content store may be in memory too, or real ones; after a restart
 * nothing is known of what was under way, so a service that moves real money keeps its commits in a store.
 */
import { Context, Deferred, Effect, Layer } from "effect"
import { carryCommit } from "../commit/CommitAsset.ts"
import { type CommitAction, type CommitEvent, type CommitState, next } from "../commit/CommitMachine.ts"
import { CommitReceipt } from "../commit/CommitReceipt.ts"
import { type CommitMade, type CommitPlan, Commits, type WorkError } from "../commit/Commits.ts"
import { refuseRepeated } from "../commit/SignedAct.ts"
import { Acts } from "../ledger/Acts.ts"
import { ContentStore } from "../ledger/ContentStore.ts"
import { type CommitWork, Ledger, LedgerUnavailable, type NetworkRole } from "../ledger/Ledger.ts"
import { holdIdOf, MemoryBooks } from "./MemoryBooks.ts"

interface Kept {
  readonly plan: CommitPlan
  readonly work: CommitWork
  state: CommitState
  made: CommitMade | undefined
  /** How it ends, while somebody carries it. */
  carried: Deferred.Deferred<CommitMade, WorkError> | undefined
}

export const commitsInMemory: Layer.Layer<Commits | Acts, never, MemoryBooks | ContentStore | Ledger> =
  Layer.effectContext(
    Effect.gen(function* () {
      const books = yield* MemoryBooks
      const content = yield* ContentStore
      const ledger = yield* Ledger
      const kept = new Map<string, Kept>()
      /** Signed acts, each with the commit that records it. */
      const holders = new Map<string, string>()

      const perform = (one: Kept, action: CommitAction): Effect.Effect<void> => {
        const { actSignature, call, network } = one.plan
        switch (action._tag) {
          case "capture":
            return books.capture(holdIdOf("commit", call.id), action.charge.taken)
          case "release":
            if (actSignature !== undefined) holders.delete(actId(network, actSignature))
            return books.release(holdIdOf("commit", call.id))
          case "alarm":
            return Effect.logError(
              `The commit ${call.id} was charged and is no longer on the ledger: give its price back.`
            )
          // `begin` holds, because that can be refused; nonces and variants are the ledger's own.
          case "hold":
          case "take_nonce":
          case "free_nonce":
          case "keep_variant":
            return Effect.void
        }
      }

      const tell = (one: Kept, event: CommitEvent) =>
        Effect.suspend(() => {
          const { actions, state } = next(one.state, event)
          one.state = state
          return Effect.forEach(actions, (action) => perform(one, action), { discard: true })
        })

      const begin: Commits["Service"]["begin"] = Effect.fnUntraced(function* (plan) {
        const { actSignature, assetCid, call, caller, commitData, network, terms, tree } = plan
        const before = kept.get(call.id)
        const { actions, state } = next(before?.state ?? { _tag: "planned" }, { _tag: "begin", terms, ready: true })
        if (before !== undefined && actions.length === 0) return before.work
        const act = actSignature === undefined ? undefined : actId(network, actSignature)
        const takeAct = Effect.suspend(() =>
          act !== undefined && (holders.get(act) ?? call.id) !== call.id ? refuseRepeated : Effect.void
        )
        const request = { caller, operation: "commit", reference: call.id, call, ...terms } as const
        yield* takeAct
        yield* books.check(request)
        yield* content.put(tree.cid, tree.bytes)
        // Others may have begun while the tree was stored, with this very id, too.
        const meanwhile = kept.get(call.id)
        if (meanwhile !== undefined && meanwhile !== before) return meanwhile.work
        yield* takeAct
        yield* books.hold(request)
        if (act !== undefined) holders.set(act, call.id)
        const work = {
          commitId: call.id,
          network,
          assetCid,
          assetTreeCid: tree.cid,
          commitData,
          transaction: undefined
        }
        kept.set(call.id, { plan, work, state, made: undefined, carried: undefined })
        return work
      })

      const conclude: Commits["Service"]["conclude"] = Effect.fnUntraced(function* (work, outcome) {
        const one = yield* keptOf(work)
        const { gasPaid, logIndex, place, reason, txHash, watched } = outcome
        yield* tell(one, logIndex === undefined ? { _tag: "failed" } : { _tag: "confirmed", place, gasPaid, watched })
        if (one.state._tag !== "mined") {
          const { name } = ledger.networkOf(work.network)
          return yield* new LedgerUnavailable({ network: name, reason: reason ?? "it was not recorded." })
        }
        const { assetCid, assetTreeCid } = work
        const explorer = ledger.explorerUrl(work.network, txHash)
        one.made ??= { answer: new CommitReceipt({ txHash, assetCid, assetTreeCid, explorer }), receipt: undefined }
        return one.made
      })

      /** One carries, everybody waits for that one. What was not taken gives everything back; what is not known yet keeps its money. */
      const attend: Commits["Service"]["attend"] = Effect.fnUntraced(function* (work, carrying) {
        const one = yield* keptOf(work)
        if (one.made !== undefined) return one.made
        if (one.carried !== undefined) return yield* Deferred.await(one.carried)
        const end = Deferred.makeUnsafe<CommitMade, WorkError>()
        one.carried = end
        return yield* carrying.pipe(
          Effect.tapErrorTag("LedgerUnavailable", () => tell(one, { _tag: "not_taken" })),
          Effect.onExit((exit) => {
            one.carried = undefined
            return Deferred.done(end, exit)
          })
        )
      })

      const again: Commits["Service"]["again"] = (commitId) =>
        Effect.suspend(() => {
          const one = kept.get(commitId)
          if (one === undefined || one.state._tag === "refused") return Effect.succeedNone
          const carrying = carryCommit(one.work).pipe(
            Effect.provideService(Ledger, ledger),
            Effect.provideService(Commits, commits)
          )
          return Effect.asSome(attend(one.work, carrying))
        })

      const keptOf = ({ commitId }: CommitWork) =>
        Effect.suspend(() => {
          const one = kept.get(commitId)
          return one === undefined
            ? Effect.die(new Error(`The commit ${commitId} was not begun here.`))
            : Effect.succeed(one)
        })

      const commits = Commits.of({ again, begin, attend, conclude })
      const acts = Acts.of({
        holderOf: ({ actSignature, network }) => Effect.sync(() => holders.get(actId(network, actSignature)))
      })
      return Context.make(Commits, commits).pipe(Context.add(Acts, acts))
    })
  )

const actId = (network: NetworkRole, actSignature: string) => `${network} ${actSignature}`

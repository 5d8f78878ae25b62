/**
 * The whole story on one screen: request → rules → tree → CID → signature → charge → ledger → response. The request arrives decoded
 * (rules/CommitRequest); up to `begin` nothing changes anywhere (PrepareCommit), and from there on it goes on by itself.
 */
import { Effect, Option } from "effect"
import type { Call } from "../charging/Call.ts"
import type { Caller } from "../identity/Caller.ts"
import { type CommitWork, Ledger } from "../ledger/Ledger.ts"
import type { CommitRequest } from "../rules/CommitRequest.ts"
import { Commits } from "./Commits.ts"
import { prepareCommit } from "./PrepareCommit.ts"

/**
 * Commits a registered asset for `caller`. `call` is the caller's name for this one commit: the same id never gives a second transaction.
 * Fails with one of `CommitError`; a failed commit costs nothing.
 */
export const commitAsset = Effect.fn("CommitAsset")(function* (input: {
  readonly caller: Caller
  readonly request: CommitRequest
  readonly call: Call
}) {
  const commits = yield* Commits
  const before = input.call.isNew ? Option.none() : yield* commits.again(input.call.id)
  if (Option.isSome(before)) return before.value
  const plan = yield* prepareCommit(input)
  const work = yield* commits.begin({ ...plan, call: input.call })
  return yield* commits.attend(work, carryCommit(work))
}, Effect.uninterruptible)

/** From what is stored to its end, whoever finds it: the call, a later start, another daemon, the watch over reorganisations. */
export const carryCommit = Effect.fnUntraced(function* (work: CommitWork) {
  const outcome = yield* (yield* Ledger).carry(work)
  return yield* (yield* Commits).conclude(work, outcome)
})

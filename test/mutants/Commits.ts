/** Harmful changes to how commits are begun, carried and concluded. */
import type { Mutant } from "./Mutant.ts"

export const COMMITS: ReadonlyArray<Mutant> = [
  {
    what: "a daemon that lost a wallet signs for it",
    file: "daemon/src/evm/OutboxStore.ts",
    from: "if (right === undefined) yield* leases.guard(lease)",
    to: "",
    in: "daemon/commits/Guards",
    test: "signs nothing for it"
  },
  {
    what: "late news of a node writes over a commit that has ended",
    file: "core/src/commit/CommitMachine.ts",
    from: 'return state._tag === "signed" ? { state: { _tag: "sent", money: state.money }, actions: [] } : stay(state)',
    to: 'return state._tag !== "planned" ? { state: { _tag: "sent", money: state.money }, actions: [] } : stay(state)',
    in: "daemon/commits/Guards",
    test: "is not written over"
  },
  {
    what: "a commit is signed after nobody waits for it any more",
    file: "daemon/src/commits/CommitRows.ts",
    from: `state = 'queued' AND wanted_until > \${now}`,
    to: "state = 'queued'",
    in: "daemon/commits/Guards",
    test: "is wanted until its time has passed"
  },
  {
    what: "a commit is signed that no money stands behind",
    file: "core/src/commit/CommitMachine.ts",
    from: `money._tag === "held"
    ? { state: { _tag: "signed"`,
    to: `money._tag !== "captured"
    ? { state: { _tag: "signed"`,
    in: "daemon/commits/Guards",
    test: "is not signed when the money behind it was given back"
  },
  {
    what: "a second daemon begins the same call beside the first",
    file: "daemon/src/books/Keys.ts",
    from: "return taken.length > 0 ? undefined : new IdempotencyKeyInUse({ key })",
    to: "return taken.length >= 0 ? undefined : new IdempotencyKeyInUse({ key })",
    in: "daemon/commits/Guards",
    test: "that another daemon has begun"
  }
]

/** The table of the commit machine as docs/architecture.md has it: every event in every state, by asking the machine itself. */
import type { CommitEvent, CommitState, Money } from "../../../packages/core/src/commit/CommitMachine.ts"
import { dutyOf, next } from "../../../packages/core/src/commit/CommitMachine.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"

const terms = { amount: amount(106n), price: amount(100n) }
const place = { blockNumber: 7, blockHash: "0xaa" }
const other = { blockNumber: 7, blockHash: "0xbb" }
const held: Money = { _tag: "held", terms }
const captured: Money = { _tag: "captured", gasPaid: amount(4n) }
const released: Money = { _tag: "released" }

/** A state of each kind, with the money it has on the usual way, and those that were charged before their block fell out. */
export const STATES: ReadonlyArray<readonly [string, CommitState]> = [
  ["planned", { _tag: "planned" }],
  ["queued", { _tag: "queued", money: held }],
  ["signed", { _tag: "signed", money: held }],
  ["sent", { _tag: "sent", money: held }],
  ["sent, charged", { _tag: "sent", money: captured }],
  ["in_block", { _tag: "in_block", money: held, place }],
  ["in_block, charged", { _tag: "in_block", money: captured, place }],
  ["mined, watched", { _tag: "mined", money: captured, place, watched: true }],
  ["mined", { _tag: "mined", money: captured, place, watched: false }],
  ["refused", { _tag: "refused", money: released }],
  ["reverted", { _tag: "reverted", money: released }],
  ["displaced", { _tag: "displaced", money: released }]
]

export const EVENTS: ReadonlyArray<readonly [string, CommitEvent]> = [
  ["begin", { _tag: "begin", terms, ready: false }],
  ["begin, ready", { _tag: "begin", terms, ready: true }],
  ["sign", { _tag: "sign" }],
  ["withdraw", { _tag: "withdraw" }],
  ["taken", { _tag: "taken" }],
  ["not_taken", { _tag: "not_taken" }],
  ["replace", { _tag: "replace" }],
  ["included", { _tag: "included", place: other }],
  ["confirmed", { _tag: "confirmed", place, gasPaid: amount(4n), watched: true }],
  ["failed", { _tag: "failed" }],
  ["fell_out", { _tag: "fell_out", place }],
  ["buried", { _tag: "buried" }],
  ["nonce_spent", { _tag: "nonce_spent" }]
]

const nameOf = (state: CommitState): string => {
  if (state._tag === "mined") return state.watched ? "mined, watched" : "mined"
  const isCharged = "money" in state && state.money._tag === "captured"
  return isCharged ? `${state._tag}, charged` : state._tag
}

/** Markdown: a line for everything that changes something. */
export const machineTable = (): string => {
  const lines = STATES.flatMap(([from, state]) =>
    EVENTS.flatMap(([what, event]) => {
      const { actions, state: after } = next(state, event)
      if (after === state && actions.length === 0) return []
      return [`| ${from} | ${what} | ${nameOf(after)} | ${actions.map(({ _tag }) => _tag).join(", ")} |`]
    })
  )
  const duties = STATES.map(([name, state]) => `| ${name} | ${dutyOf(state)} |`)
  return [
    "| In | When | Then | Written with it |",
    "|---|---|---|---|",
    ...lines,
    "",
    "| Found in | To be done |",
    "|---|---|",
    ...duties,
    ""
  ].join("\n")
}

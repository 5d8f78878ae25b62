/**
 * The life of a commit as a pure function: what a commit is in (`CommitState`), what can happen to it (`CommitEvent`), and what then is to be
 * written, in one transaction (`CommitAction`). Whoever carries a commit (the call, a later start, another daemon, the watch over
 * reorganisations) tells it the same events, as often as it likes and beside others: what has no meaning any more changes nothing.
 *
 * Whether a commit is charged, and what, is decided here and nowhere else. Amounts are 10^-18.
 */
import { type Charge, type ChargeTerms, chargeOf, commitCost } from "../charging/Charging.ts"
import type { Place } from "../ledger/Ledger.ts"
import type { Amount } from "../money/Amount.ts"

/**
 * The money of a commit: set aside when it begins; taken when it is recorded, once, by the terms it began with; given back when it never
 * will be.
 */
export type Money =
  | { readonly _tag: "held"; readonly terms: ChargeTerms }
  | { readonly _tag: "captured"; readonly gasPaid: Amount }
  | { readonly _tag: "released" }

/**
 * - `queued`: waits to be signed, for room, for the fees or for the daemon that signs.
 * - `signed`: nonce, bytes and hash are stored, and may have been sent.
 * - `sent`: a node has it.
 * - `in_block`: in a block that has not enough confirmations yet.
 * - `mined`: recorded. `watched`: its block may yet fall out of the chain.
 * - `refused`: it was never sent, or no node took it. The same commit may begin anew.
 * - `reverted`: the contract refused it. `displaced`: a foreign transaction has its nonce.
 */
export type CommitState =
  | { readonly _tag: "planned" }
  | { readonly _tag: "queued"; readonly money: Money }
  | { readonly _tag: "signed"; readonly money: Money }
  | { readonly _tag: "sent"; readonly money: Money }
  | { readonly _tag: "in_block"; readonly money: Money; readonly place: Place }
  | { readonly _tag: "mined"; readonly money: Money; readonly place: Place; readonly watched: boolean }
  | { readonly _tag: "refused"; readonly money: Money }
  | { readonly _tag: "reverted"; readonly money: Money }
  | { readonly _tag: "displaced"; readonly money: Money }

/**
 * - `begin`: somebody wants it; `ready` when it can be signed at once.
 * - `sign`: it can be signed now. `withdraw`: nobody wants it any more, or nobody may sign it.
 * - `taken`: a node has it. `not_taken`: no node can have it, and its nonce is free again.
 * - `replace`: signed anew with the same nonce and a higher fee.
 * - `included`: in a block. `confirmed`: deep enough. `failed`: in a block, and the contract recorded nothing.
 * - `fell_out`: the chain has another block at that height. `buried`: so deep that it stays.
 * - `nonce_spent`: a foreign transaction was mined with its nonce.
 */
export type CommitEvent =
  | { readonly _tag: "begin"; readonly terms: ChargeTerms; readonly ready: boolean }
  | { readonly _tag: "sign" }
  | { readonly _tag: "withdraw" }
  | { readonly _tag: "taken" }
  | { readonly _tag: "not_taken" }
  | { readonly _tag: "replace" }
  | { readonly _tag: "included"; readonly place: Place }
  | { readonly _tag: "confirmed"; readonly place: Place; readonly gasPaid: Amount; readonly watched: boolean }
  | { readonly _tag: "failed" }
  | { readonly _tag: "fell_out"; readonly place: Place }
  | { readonly _tag: "buried" }
  | { readonly _tag: "nonce_spent" }

/** What is written together with the new state. */
export type CommitAction =
  | { readonly _tag: "hold"; readonly terms: ChargeTerms }
  | { readonly _tag: "take_nonce" }
  | { readonly _tag: "free_nonce" }
  | { readonly _tag: "keep_variant" }
  | { readonly _tag: "capture"; readonly charge: Charge }
  | { readonly _tag: "release" }
  | { readonly _tag: "alarm" }

export interface Step {
  readonly state: CommitState
  readonly actions: ReadonlyArray<CommitAction>
}

/** What somebody who finds a commit in this state has to do next; `none`: it has ended. */
export type Duty = "begin" | "sign" | "send" | "confirm" | "watch" | "none"

/** The next state, and what is written with it. An event that has no meaning in a state leaves it as it is, with nothing to write. */
export const next = (state: CommitState, event: CommitEvent): Step => {
  switch (event._tag) {
    case "begin":
      return state._tag === "planned" || state._tag === "refused" ? begun(event) : stay(state)
    case "sign":
      return state._tag === "queued" ? signed(state.money) : stay(state)
    case "withdraw":
      return state._tag === "queued" ? ended("refused", state.money) : stay(state)
    case "taken":
      return state._tag === "signed" ? { state: { _tag: "sent", money: state.money }, actions: [] } : stay(state)
    case "not_taken":
      return state._tag === "signed" ? ended("refused", state.money, [{ _tag: "free_nonce" }]) : stay(state)
    case "replace":
      return isUnderWay(state) ? { state, actions: [{ _tag: "keep_variant" }] } : stay(state)
    case "included":
      return isUnderWay(state) && !isIn(state, event.place)
        ? { state: { _tag: "in_block", money: state.money, place: event.place }, actions: [] }
        : stay(state)
    case "confirmed":
      return isUnderWay(state) ? recorded(state.money, event) : stay(state)
    case "failed":
      return isUnderWay(state) ? ended("reverted", state.money) : stay(state)
    case "fell_out":
      return isIn(state, event.place) && !isFinal(state)
        ? { state: { _tag: "sent", money: state.money }, actions: [] }
        : stay(state)
    case "buried":
      return state._tag === "mined" && state.watched
        ? { state: { ...state, watched: false }, actions: [] }
        : stay(state)
    case "nonce_spent":
      return isUnderWay(state) ? ended("displaced", state.money) : stay(state)
  }
}

/** What is to be done for a commit in this state: the same for whoever finds it. */
export const dutyOf = (state: CommitState): Duty => {
  switch (state._tag) {
    case "planned":
      return "begin"
    case "queued":
      return "sign"
    case "signed":
    case "sent":
      return "send"
    case "in_block":
      return "confirm"
    case "mined":
      return state.watched ? "watch" : "none"
    case "refused":
    case "reverted":
    case "displaced":
      return "none"
  }
}

type UnderWay = Extract<CommitState, { readonly _tag: "signed" | "sent" | "in_block" }>

/** A transaction of it may be on its way. */
const isUnderWay = (state: CommitState): state is UnderWay =>
  state._tag === "signed" || state._tag === "sent" || state._tag === "in_block"

const isIn = (state: CommitState, place: Place): state is Extract<CommitState, { readonly place: Place }> =>
  "place" in state && state.place.blockHash === place.blockHash

const isFinal = (state: CommitState): boolean => state._tag === "mined" && !state.watched

const stay = (state: CommitState): Step => ({ state, actions: [] })

const begun = ({ ready, terms }: Extract<CommitEvent, { readonly _tag: "begin" }>): Step => {
  const money: Money = { _tag: "held", terms }
  const hold: CommitAction = { _tag: "hold", terms }
  if (!ready) return { state: { _tag: "queued", money }, actions: [hold] }
  return { state: { _tag: "signed", money }, actions: [hold, { _tag: "take_nonce" }] }
}

/** Nothing is signed that no money stands behind. */
const signed = (money: Money): Step =>
  money._tag === "held"
    ? { state: { _tag: "signed", money }, actions: [{ _tag: "take_nonce" }] }
    : { state: { _tag: "refused", money }, actions: [] }

/** Recorded: charged by the terms it began with, and only the first time; what a second time costs is the service's matter. */
const recorded = (
  money: Money,
  { gasPaid, place, watched }: Extract<CommitEvent, { readonly _tag: "confirmed" }>
): Step => {
  if (money._tag !== "held") return { state: { _tag: "mined", money, place, watched }, actions: [] }
  const charge = chargeOf(money.terms, commitCost(money.terms, gasPaid))
  const captured: Money = { _tag: "captured", gasPaid }
  return { state: { _tag: "mined", money: captured, place, watched }, actions: [{ _tag: "capture", charge }] }
}

/** It will never be recorded: what is held goes back. One that was charged before is a loss that only a person can mend. */
const ended = (
  tag: "refused" | "reverted" | "displaced",
  money: Money,
  actions: ReadonlyArray<CommitAction> = []
): Step => {
  if (money._tag === "held") {
    return { state: { _tag: tag, money: { _tag: "released" } }, actions: [...actions, { _tag: "release" }] }
  }
  const alarm: ReadonlyArray<CommitAction> = money._tag === "captured" ? [{ _tag: "alarm" }] : []
  return { state: { _tag: tag, money }, actions: [...actions, ...alarm] }
}

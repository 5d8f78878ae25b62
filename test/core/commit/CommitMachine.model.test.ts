/**
 * 100,000 random lives of a commit: two carriers that read, send, look and write in any order, crash between any two steps, tell what they
 * saw late and twice; a ledger that takes, loses, reorganises and reverts; a foreign program that spends nonces. In each, money is
 * conserved and taken at most once, and from wherever it stands one patient carrier brings it to its end.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CommitEvent, type CommitState, dutyOf, next } from "../../../packages/core/src/commit/CommitMachine.ts"
import type { Place } from "../../../packages/core/src/ledger/Ledger.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"
import { seeded } from "../proof/Seeded.ts"

const LIVES = 100_000
const STEPS = 30
const FUNDS = 1_000n
const terms = { amount: amount(106n), price: amount(100n) }

/** The ledger: whether a node has the transaction, the block it is in, and how it ended there. */
interface Chain {
  inPool: boolean
  block: (Place & { readonly succeeds: boolean; isDeep: boolean }) | undefined
  isForeign: boolean
  height: number
}

/** One that carries the commit: what it saw of it last, what it is about to tell, and whether it signed it itself just now. */
interface Carrier {
  epoch: number
  seen: CommitState
  tells: CommitEvent | undefined
  hasJustSigned: boolean
}

class Life {
  readonly #below: (below: number) => number
  row: CommitState = { _tag: "planned" }
  credits = FUNDS
  held = 0n
  taken = 0n
  captures = 0
  alarms = 0
  #epoch = 0
  #last: CommitEvent | undefined
  readonly chain: Chain = { inPool: false, block: undefined, isForeign: false, height: 0 }
  readonly carriers: ReadonlyArray<Carrier> = [this.#reborn(), this.#reborn()]

  constructor(seed: number) {
    this.#below = seeded(seed)
  }

  #reborn(): Carrier {
    return { epoch: -1, seen: { _tag: "planned" }, tells: undefined, hasJustSigned: false }
  }

  /** One transaction of the store: the event, and what is written with it. */
  write(event: CommitEvent): void {
    const { actions, state } = next(this.row, event)
    for (const action of actions) {
      if (action._tag === "hold") {
        this.credits -= action.terms.amount
        this.held += action.terms.amount
      } else if (action._tag === "release") {
        this.credits += terms.amount
        this.held -= terms.amount
      } else if (action._tag === "capture") {
        this.captures++
        this.taken += action.charge.taken
        this.credits += terms.amount - action.charge.taken
        this.held -= terms.amount
      } else if (action._tag === "alarm") this.alarms++
      else if (action._tag === "take_nonce") Object.assign(this.chain, { inPool: false, isForeign: false })
    }
    this.row = state
    assert.strictEqual(this.credits + this.held + this.taken, FUNDS, "money is conserved")
    const holding = "money" in state && state.money._tag === "held"
    assert.strictEqual(this.held, holding ? terms.amount : 0n, `held while ${state._tag}`)
    assert.isAtMost(this.captures, 1)
  }

  /** What the ledger shows of a transaction that is looked for; undefined: nothing yet. */
  #shown(): CommitEvent | undefined {
    const { block } = this.chain
    if (block === undefined) return this.chain.isForeign ? { _tag: "nonce_spent" } : undefined
    if (!block.isDeep && this.#below(2) === 0) return { _tag: "included", place: block }
    if (!block.succeeds) return block.isDeep ? { _tag: "failed" } : { _tag: "included", place: block }
    return { _tag: "confirmed", place: block, gasPaid: amount(BigInt(this.#below(9))), watched: !block.isDeep }
  }

  /** A carrier does what its state asks for, and comes to know something. */
  act(carrier: Carrier, isPatient = false): void {
    const { chain } = this
    const { seen } = carrier
    switch (dutyOf(seen)) {
      case "begin":
        carrier.tells = { _tag: "begin", terms, ready: this.#below(2) === 0 }
        return
      case "sign":
        carrier.tells = this.#below(isPatient ? 1 : 3) < 2 ? { _tag: "sign" } : { _tag: "withdraw" }
        return
      case "send": {
        if (carrier.epoch !== this.#epoch) return
        const found = this.#shown()
        if (found !== undefined) carrier.tells = found
        else if (!isPatient && carrier.hasJustSigned && !chain.inPool && this.#below(3) === 0) {
          carrier.tells = { _tag: "not_taken" }
        } else {
          chain.inPool = true
          carrier.tells = this.#below(4) === 0 ? { _tag: "replace" } : { _tag: "taken" }
        }
        carrier.hasJustSigned = false
        return
      }
      case "confirm":
      case "watch": {
        const place = "place" in seen ? seen.place : undefined
        if (place === undefined) return
        if (chain.block?.blockHash !== place.blockHash) carrier.tells = { _tag: "fell_out", place }
        else if (seen._tag === "mined") carrier.tells = chain.block.isDeep ? { _tag: "buried" } : undefined
        else carrier.tells = this.#shown()
        return
      }
      case "none":
        carrier.tells = undefined
    }
  }

  /** It writes what it knows; what only the one that signs may say counts while it holds the lease. */
  tell(carrier: Carrier): void {
    const event = carrier.tells
    carrier.tells = undefined
    if (event === undefined) return
    const isGuarded = ["begin", "sign", "withdraw", "not_taken", "replace", "nonce_spent"].includes(event._tag)
    if (isGuarded && carrier.epoch !== this.#epoch) return
    const before = this.row
    this.write(event)
    if (!isGuarded) this.#last = event
    carrier.hasJustSigned = before !== this.row && this.row._tag === "signed"
    carrier.seen = this.row
  }

  /** Reads the commit anew, taking over the right to sign if another had it. */
  read(carrier: Carrier): void {
    if (carrier.epoch !== this.#epoch) carrier.epoch = ++this.#epoch
    carrier.hasJustSigned = false
    carrier.tells = undefined
    carrier.seen = this.row
  }

  /** Something happens to the ledger by itself. */
  turn(isPatient = false): void {
    const { chain } = this
    const what = isPatient ? 0 : this.#below(6)
    if (chain.block === undefined) {
      if (what === 5 && this.row._tag !== "planned" && this.row._tag !== "queued" && this.row._tag !== "refused") {
        Object.assign(chain, { isForeign: true, inPool: false })
      } else if (what === 4) chain.inPool = false
      else if (chain.inPool && !chain.isForeign) {
        const blockHash = `0x${++chain.height}`
        const succeeds = isPatient || this.#below(5) > 0
        chain.block = { blockNumber: chain.height, blockHash, succeeds, isDeep: false }
      }
    } else if (!chain.block.isDeep) {
      if (what < 2) chain.block.isDeep = true
      else if (what === 2) Object.assign(chain, { block: undefined, inPool: this.#below(2) === 0 })
    }
  }

  /** One random step of somebody. */
  step(): void {
    const carrier = this.carriers[this.#below(2)]
    if (carrier === undefined) return
    const what = this.#below(9)
    if (what < 3) this.act(carrier)
    else if (what < 5) this.tell(carrier)
    else if (what < 6) this.read(carrier)
    else if (what < 8) this.turn()
    else if (this.#last !== undefined && this.#below(2) === 0) this.write(this.#last)
    else Object.assign(carrier, this.#reborn())
  }

  /** One carrier alone, nothing goes wrong any more: answers whether the commit came to its end. */
  finish(): boolean {
    const [carrier] = this.carriers
    if (carrier === undefined) return false
    for (let n = 0; n < 20; n++) {
      this.read(carrier)
      if (dutyOf(this.row) === "none") return true
      this.act(carrier, true)
      this.tell(carrier)
      this.turn(true)
    }
    return false
  }
}

describe("any life of a commit", () => {
  it(`conserves money and has a way on, in ${LIVES} random ones`, { timeout: 600_000 }, () => {
    const ends = new Map<string, number>()
    for (let seed = 0; seed < LIVES; seed++) {
      const life = new Life(seed)
      for (let n = 0; n < STEPS; n++) life.step()
      const where = life.row._tag
      if (!life.finish()) assert.fail(`life ${seed} has no way on from ${where}: it ends at ${life.row._tag}`)
      const { _tag } = life.row
      ends.set(_tag, (ends.get(_tag) ?? 0) + 1)
      const isRecorded = life.chain.block?.succeeds === true
      assert.strictEqual(_tag === "mined", isRecorded, `life ${seed}: ${_tag}, recorded: ${isRecorded}`)
      if (_tag === "mined") assert.strictEqual(life.captures, 1, `life ${seed} was recorded and not charged`)
      else assert.strictEqual(life.captures, life.alarms, `life ${seed} was charged, not recorded, and nobody was told`)
    }
    assert.hasAllKeys(Object.fromEntries(ends), ["mined", "refused", "reverted", "displaced"], "lives end in each way")
  })
})

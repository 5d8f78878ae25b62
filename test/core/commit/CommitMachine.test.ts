/** The commit machine: its table is the one in docs/architecture.md, and what is charged is decided once. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type CommitState, next } from "../../../packages/core/src/commit/CommitMachine.ts"
import { amount } from "../../../packages/core/src/money/Amount.ts"
import { EVENTS, machineTable, STATES } from "./MachineTable.ts"

const document = readFileSync(join(import.meta.dirname, "../../../docs/architecture.md"), "utf8")
const terms = { amount: amount(106n), price: amount(100n) }
const place = { blockNumber: 7, blockHash: "0xaa" }
const sent: CommitState = { _tag: "sent", money: { _tag: "held", terms } }
const confirmed = { _tag: "confirmed", place, watched: true } as const

describe("the commit machine", () => {
  it("is the table in docs/architecture.md", () => {
    const shown = /<!-- generated: commit-machine -->\n([\s\S]*?)<!-- end -->/.exec(document)?.[1]
    assert.strictEqual(shown, machineTable())
  })

  it("charges a recorded commit the price it was begun with and its gas, up to what was set aside", () => {
    const { actions } = next(sent, { ...confirmed, gasPaid: amount(4n) })
    const charge = { taken: amount(104n), price: amount(100n), gas: amount(4n), unpaid: amount(0n) }
    assert.deepStrictEqual(actions, [{ _tag: "capture", charge }])
    const dear = next(sent, { ...confirmed, gasPaid: amount(9n) })
    const most = { taken: amount(106n), price: amount(100n), gas: amount(6n), unpaid: amount(3n) }
    assert.deepStrictEqual(dear.actions, [{ _tag: "capture", charge: most }])
  })

  it("charges it once: after a reorganisation it is recorded again for what it cost the first time", () => {
    const mined = next(sent, { ...confirmed, gasPaid: amount(4n) }).state
    const fallen = next(mined, { _tag: "fell_out", place }).state
    assert.deepInclude(fallen, { _tag: "sent", money: { _tag: "captured", gasPaid: amount(4n) } })
    const again = next(fallen, { ...confirmed, gasPaid: amount(6n) })
    assert.deepInclude(again.state, { _tag: "mined", money: { _tag: "captured", gasPaid: amount(4n) } })
    assert.deepStrictEqual(again.actions, [])
  })

  it("signs nothing that no money stands behind", () => {
    const queued: CommitState = { _tag: "queued", money: { _tag: "released" } }
    assert.deepStrictEqual(next(queued, { _tag: "sign" }), {
      state: { _tag: "refused", money: { _tag: "released" } },
      actions: []
    })
  })

  it("never writes over a commit that has ended; a refused one may begin anew", () => {
    for (const [name, state] of STATES) {
      if (!["mined", "reverted", "displaced", "refused"].includes(name)) continue
      for (const [what, event] of EVENTS) {
        if (name === "refused" && event._tag === "begin") continue
        assert.deepStrictEqual(next(state, event), { state, actions: [] }, `${name}, ${what}`)
      }
    }
  })

  it("gives back what is held, and calls a person where a charged commit is lost", () => {
    for (const what of ["failed", "nonce_spent"] as const) {
      assert.deepStrictEqual(next(sent, { _tag: what }).actions, [{ _tag: "release" }])
      const charged: CommitState = { _tag: "sent", money: { _tag: "captured", gasPaid: amount(4n) } }
      assert.deepStrictEqual(next(charged, { _tag: what }).actions, [{ _tag: "alarm" }])
    }
  })
})

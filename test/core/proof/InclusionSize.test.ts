/** The size by which a maker leaves a proof of inclusion out is the one by which a reader refuses it. */
import { assert, describe, it } from "@effect/vitest"
import { parseProof, proofOf, proofText } from "@treemark/core/verify"
import { INCLUSION_LIMIT, type Inclusion, inclusionSize } from "../../../packages/core/src/proof/Inclusion.ts"
import { block, commitData } from "../verification/Block.ts"
import { signed, utf8 } from "../verification/Fixtures.ts"

const made = await block()

const isRead = (inclusion: Inclusion): boolean => {
  const tree = { cid: String(signed.record.assetTreeCid), bytes: signed.tree }
  return parseProof(utf8(proofText(proofOf({ tree, commitData, ledger: made.place, inclusion: { inclusion } })))).ok
}

describe("the size of a proof of inclusion", () => {
  it("counts every part as often as it stands there, as readers do", () => {
    const leaf = { value: new Uint8Array(600_000), path: [new Uint8Array(300), new Uint8Array(300_000)] }
    const base: Inclusion = { ...made.inclusion, receipt: leaf, transaction: leaf }
    const room = INCLUSION_LIMIT - inclusionSize(base)
    assert.isAbove(room, 0)
    const filled = (bytes: number): Inclusion => ({
      ...base,
      transaction: { ...leaf, path: [...leaf.path, new Uint8Array(bytes)] }
    })
    assert.strictEqual(inclusionSize(filled(room)), INCLUSION_LIMIT)
    assert.isTrue(isRead(filled(room)))
    assert.isFalse(isRead(filled(room + 1)))
  })
})

/** The act that an author signs, against another dag-json codec, another sha256 and another implementation of EIP-55. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as DagJson from "@ipld/dag-json"
import { getAddress } from "ethers"
import { type ActStatement, actBytes, actChecksum } from "../../../packages/core/src/proof/Act.ts"

const act: ActStatement = {
  abstract: "Sold to « née » 灯台 😀",
  action: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
  assetTreeSha256: "C365EB7E81FC2D642D4B2CA2E21473690223A168E50C5179E880853B3B0C92EA",
  author: "0xca5e2657bb8f6b999eb238a7399e7f3cd72af2ee",
  chainID: 10507,
  contract: "0x7EC2F14ABE8B0EA2F657BBB62B6FEFDE161C9001",
  timestampCreated: 1795312586
}

describe("the act that an author signs", () => {
  it("is canonical dag-json of seven members, one spelling each, and its sha256", () => {
    const canonical = DagJson.encode({
      ...act,
      assetTreeSha256: act.assetTreeSha256.toLowerCase(),
      author: getAddress(act.author),
      contract: getAddress(act.contract.toLowerCase())
    })
    assert.deepStrictEqual(Buffer.from(actBytes(act)), Buffer.from(canonical))
    assert.strictEqual(actChecksum(act), createHash("sha256").update(canonical).digest("hex"))
    assert.strictEqual(actChecksum(act), "bdcbf57713ba10b02c03e402c51632333d7f27ed910eaa01158cf56712801e82")
  })

  it("is another one when any member is", () => {
    const others: ReadonlyArray<Partial<ActStatement>> = [
      { abstract: `${act.abstract} ` },
      { action: "bafkreiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa4" },
      { assetTreeSha256: "0".repeat(64) },
      { author: act.contract },
      { chainID: 10508 },
      { contract: act.author },
      { timestampCreated: act.timestampCreated + 1 }
    ]
    const checksums = [{}, ...others].map((change) => actChecksum({ ...act, ...change }))
    assert.strictEqual(new Set(checksums).size, 8)
  })

  it("has no member beside these: what else an object carries is not signed", () => {
    assert.strictEqual(actChecksum({ ...act, note: "and everything else" } as ActStatement), actChecksum(act))
  })

  it("refuses what has no canonical text", () => {
    for (const broken of [{ abstract: "\ud800" }, { chainID: 2 ** 53 }, { timestampCreated: Number.NaN }])
      assert.throws(() => actChecksum({ ...act, ...broken }), TypeError)
    assert.throws(() => actChecksum({ ...act, author: "0x12" }))
  })
})

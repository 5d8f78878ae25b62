/** An exported history as a block: what dag-json's own library reads in it. */

import { assert, describe, it } from "@effect/vitest"
import * as DagJson from "@ipld/dag-json"
import { CID } from "multiformats/cid"
import { checksumOf } from "../../../packages/core/src/asset-tree/Checksum.ts"
import {
  HISTORY_MEDIA_TYPE,
  type HistoryDocument,
  historyBlock,
  historyText,
  proofBlock
} from "../../../packages/core/src/history/HistoryFile.ts"

const place = (blockNumber: number) => ({
  txHash: `0x${"7a".repeat(32)}`,
  blockNumber,
  blockHash: `0x${"bb".repeat(32)}`,
  logIndex: 0,
  recorder: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
})

const proof = proofBlock(new TextEncoder().encode('{"a": 1}\n'))
const history: HistoryDocument = {
  mediaType: HISTORY_MEDIA_TYPE,
  assetCid: "bafkreiceiqfe4w4g4j46rsi4h4tbqu35ivewfxm4q743tfmegscpg7d63m",
  network: { chainId: 7053001, contract: "0x0000000000000000000000000000000000007053" },
  commits: [
    { ...place(5), proof: proof.cid },
    { ...place(6), proof: null, reason: "Its tree “é” is not here.", commitData: 'no \u001b JSON "at" all' }
  ]
}

describe("an exported history", () => {
  it("is a dag-json block with a link to each proof, canonical, named by its hash", () => {
    const { bytes, cid } = historyBlock(history)
    const decoded = DagJson.decode(bytes) as HistoryDocument
    const [first, second] = decoded.commits
    assert.strictEqual(String(CID.asCID(first?.proof as unknown as CID)), proof.cid)
    assert.deepStrictEqual(second, history.commits[1])
    assert.deepStrictEqual(DagJson.encode(decoded), bytes)
    assert.strictEqual(Buffer.from(CID.parse(cid).multihash.digest).toString("hex"), checksumOf(bytes))
    assert.strictEqual(CID.parse(cid).code, 0x0129)
  })

  it("names the block of a proof by its exact bytes, raw", () => {
    assert.strictEqual(CID.parse(proof.cid).code, 0x55)
    assert.strictEqual(Buffer.from(CID.parse(proof.cid).multihash.digest).toString("hex"), checksumOf(proof.bytes))
  })

  it("is in a folder the same as JSON for people", () => {
    assert.deepStrictEqual(JSON.parse(historyText(history)), history)
    assert.match(historyText(history), /^\{\n {2}"mediaType": "application\/vnd\.treemark\.history\+json;version=1",\n/)
  })
})

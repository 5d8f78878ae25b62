/** What a receipt makes of a commit's job: only an event of our own contract, in a transaction that succeeded, is a commit on the ledger. */
import { assert, describe, it } from "@effect/vitest"
import { amount, walletAddress } from "@treemark/core"
import { encodeAbiParameters, type Hex, keccak256, pad, stringToBytes, type TransactionReceipt } from "viem"
import { outcomeOf } from "../../../packages/daemon/src/commits/CommitRow.ts"
import { COMMIT_TOPIC } from "../../../packages/daemon/src/evm/CommitContract.ts"
import type { LedgerNetwork } from "../../../packages/daemon/src/evm/Networks.ts"

const CONTRACT: Hex = "0x0000000000000000000000000000000000007053"
const OTHER: Hex = "0x0000000000000000000000000000000000007054"
const RECORDER = walletAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
const ASSET = "bafkreibzlv4ds3f3s4cqxtdo24vmont377feivmdhmtfr2vcar6jyp475i"
const HASH: Hex = `0x${"7a".repeat(32)}`
const network = { name: "test", chainId: 5_003, contract: walletAddress(CONTRACT) } as LedgerNetwork

const eventOf = (address: Hex, logIndex: number, assetCid = ASSET, topic = COMMIT_TOPIC) => ({
  address,
  logIndex,
  topics: [topic, pad(RECORDER as Hex), keccak256(stringToBytes(assetCid))],
  data: encodeAbiParameters([{ type: "string" }], ["{}"])
})

const receiptOf = (logs: ReadonlyArray<object>, status = "success") =>
  ({
    status,
    logs,
    transactionHash: HASH,
    blockHash: HASH,
    blockNumber: 7n,
    gasUsed: 40_000n,
    effectiveGasPrice: 100n
  }) as unknown as TransactionReceipt

const outcome = (receipt: TransactionReceipt) => outcomeOf(network, ASSET, 50_000n, receipt)

describe("the outcome of a receipt", () => {
  it("is our contract's event, wherever other contracts' events stand", () => {
    const found = outcome(receiptOf([eventOf(OTHER, 3), eventOf(CONTRACT, 4)]))
    assert.deepInclude(found, { logIndex: 4, reason: null, gasUsed: 40_000n, gasPaid: amount(4_000_000n) })
    assert.deepStrictEqual(found.place, { blockNumber: 7, blockHash: HASH })
  })

  it("is none without such an event: another contract's, another asset's, another event, none", () => {
    const others = [eventOf(OTHER, 0), eventOf(CONTRACT, 0, `${ASSET}a`), eventOf(CONTRACT, 0, ASSET, HASH)]
    for (const logs of [...others.map((event) => [event]), others, []]) {
      const found = outcome(receiptOf(logs))
      assert.isUndefined(found.logIndex)
      assert.include(found.reason, "recorded no commit")
    }
  })

  it("is none when the transaction was reverted, whatever its receipt lists", () => {
    const found = outcome(receiptOf([eventOf(CONTRACT, 0)], "reverted"))
    assert.isUndefined(found.logIndex)
    assert.include(found.reason, "was reverted")
  })
})

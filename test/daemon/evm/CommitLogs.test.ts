/** Which logs of a ledger are commits: those of the profile's contract, and of no other. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pad } from "viem"
import { COMMIT_TOPIC } from "../../../packages/daemon/src/evm/CommitContract.ts"
import { commitLogs } from "../../../packages/daemon/src/evm/CommitLogs.ts"
import type { LedgerNetwork } from "../../../packages/daemon/src/evm/Networks.ts"

const CONTRACT = "0x0000000000000000000000000000000000007053"
const RECORDER = "0x00000000000000000000000000000000000000c0"

/** A network whose node has no logs, and what it was asked for. */
const asked = () => {
  const filters: Array<unknown> = []
  const request = async ({ params }: { readonly params: ReadonlyArray<unknown> }) => {
    filters.push(...params)
    return []
  }
  return { filters, network: { name: "net", contract: CONTRACT, client: { request } } as unknown as LedgerNetwork }
}

describe("the commits of some blocks", () => {
  it.effect("are asked for by the contract, the event, the recorders and the assets", () =>
    Effect.gen(function* () {
      const { filters, network } = asked()
      yield* commitLogs(network, { low: 10n, high: 31n })
      yield* commitLogs(network, { blockHash: "0xaa" }, { recorders: [RECORDER], assetTopics: ["0xbb"] })
      assert.deepStrictEqual(filters, [
        { address: CONTRACT, topics: [COMMIT_TOPIC], fromBlock: "0xa", toBlock: "0x1f" },
        { address: CONTRACT, topics: [COMMIT_TOPIC, [pad(RECORDER)], ["0xbb"]], blockHash: "0xaa" }
      ])
    })
  )
})

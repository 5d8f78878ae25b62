/** Layer of `CommitStates`: a commit's newest hold and its job. A commit whose job was not stored yet is known by its hold alone. */
import { type AccountId, formatTokens } from "@treemark/core"
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Receipts } from "../books/Receipts.ts"
import { Networks } from "../evm/Networks.ts"
import { ask } from "../evm/RpcFailure.ts"
import { storing } from "../store/StorageFailure.ts"
import { eventsOf } from "./CommitHistory.ts"
import { type CommitState, CommitStates } from "./CommitStates.ts"
import { commitTable } from "./CommitTable.ts"

interface Row {
  readonly hold_state: "held" | "captured" | "released"
  readonly captured: string | null
  readonly network: "mainnet" | "testnet" | null
  readonly asset_cid: string | null
  readonly asset_tree_cid: string | null
  readonly state: string | null
  readonly tx_hash: string | null
  readonly block_number: number | bigint | null
  readonly error: string | null
}

export const layer: Layer.Layer<CommitStates, never, SqlClient.SqlClient | Networks | Receipts> = Layer.effect(
  CommitStates,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const networks = yield* Networks
    const receipts = yield* Receipts

    const find = Effect.fn("CommitStates.find")(function* (accountId: AccountId, commitId: string) {
      const [row] = yield* sql<Row>`SELECT h.state AS hold_state, h.captured, j.network, j.asset_cid, j.asset_tree_cid,
            j.state, j.tx_hash, j.block_number, j.error
          FROM hold h ${commitTable(sql).beside("h.reference")}
          WHERE h.account_id = ${accountId} AND h.operation = 'commit' AND h.reference = ${commitId}
          ORDER BY h.created_at DESC, h.id DESC LIMIT 1`
      if (row === undefined) return Option.none()
      const receipt = yield* receipts.ofWork(accountId, "commit", commitId)
      const found: CommitState = {
        id: commitId,
        state: stateOf(row),
        txHash: row.tx_hash,
        assetCid: row.asset_cid,
        assetTreeCid: row.asset_tree_cid,
        explorer:
          row.network === null || row.tx_hash === null ? null : networks.role(row.network).explorerUrl(row.tx_hash),
        blockNumber: row.block_number === null ? null : Number(row.block_number),
        confirmations: yield* confirmationsOf(row, networks),
        charged: row.captured === null ? null : formatTokens(BigInt(row.captured)),
        receipt: Option.getOrNull(receipt),
        error: row.error,
        history: yield* Effect.provideService(eventsOf(commitId), SqlClient.SqlClient, sql)
      }
      return Option.some(found)
    }, storing("a commit was looked up"))
    return CommitStates.of({ find })
  })
)

const HEAD_PATIENCE = Duration.seconds(2)

/** Of a commit that is in a block and has not enough confirmations yet; null for any other, and while the node does not answer. */
const confirmationsOf = ({ block_number, network, state }: Row, networks: Networks["Service"]) => {
  if (network === null || state !== "sent" || block_number === null) return Effect.succeed(null)
  const { client } = networks.role(network)
  return ask(networks.role(network), () => client.getBlockNumber()).pipe(
    Effect.timeout(HEAD_PATIENCE),
    Effect.map((head) => Math.max(1, Number(head) - Number(block_number) + 1)),
    Effect.orElseSucceed(() => null)
  )
}

const stateOf = ({ hold_state, state }: Row): CommitState["state"] => {
  switch (state) {
    case "queued":
    case "signed":
    case "sent":
    case "mined":
      return state
    default:
      return hold_state === "held" ? "held" : "failed"
  }
}

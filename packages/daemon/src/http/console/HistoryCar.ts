/**
 * `GET /proofs/history/{assetCid}`: the proofs of an asset's whole history in one CAR, as `treemarkd log ASSET --car` writes it and `treemark-verify
 * history` checks it. It holds what the ledger and the gateway show to everybody, so it needs no token.
 */
import {
  HISTORY_MEDIA_TYPE,
  type HistoryCommit,
  type HistoryDocument,
  historyBlock,
  Ledger,
  type LedgerCommit,
  parseCid,
  proofBlock
} from "@treemark/core"
import { Effect, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { CID } from "multiformats/cid"
import { openCommit, proofOfCommit } from "../../commits/CommitOnLedger.ts"
import { carOfBlocks } from "../../content/Car.ts"
import { Networks } from "../../evm/Networks.ts"
import { Refused } from "../ApiErrors.ts"
import { refusing } from "../edge/Problems.ts"

/** All proofs are in memory before the first byte leaves, as the root block names them all; and anybody may have written them, and asks. */
const MOST_COMMITS = 200
const MOST_BYTES = 16 * 1024 * 1024

const placeOf = ({ blockHash, blockNumber, logIndex, recorder, txHash }: LedgerCommit) => ({
  txHash,
  blockNumber,
  blockHash,
  logIndex,
  recorder
})

const refused = (detail: string) => new Refused({ code: "not_found", detail })

const car = Effect.gen(function* () {
  const { assetCid = "" } = yield* HttpRouter.params
  const { url } = yield* HttpServerRequest.HttpServerRequest
  if (parseCid(assetCid) === undefined) return yield* refused("This is not a CID. Give the asset's.")
  const role = new URLSearchParams(url.split("?", 2)[1]).get("testnet") === "true" ? "testnet" : "mainnet"
  const found = yield* (yield* Ledger).history(role, assetCid, { limit: MOST_COMMITS + 1, from: "oldest" })
  if (found.length === 0) return yield* refused(`The ledger has no commit of ${assetCid} on the ${role}.`)
  const tooLong = refused(
    `This history is too long for one answer (more than ${MOST_COMMITS} commits or ${MOST_BYTES / 1024 / 1024} MiB of proofs). On the daemon's machine: npx @treemark/daemon log ${assetCid} --proofs FOLDER --car FILE`
  )
  if (found.length > MOST_COMMITS) return yield* tooLong
  const network = (yield* Networks).role(role)
  const proofs: Array<{ readonly cid: CID; readonly bytes: Uint8Array }> = []
  let size = 0
  const commits = yield* Effect.forEach(found, (commit) =>
    Effect.gen(function* () {
      const { proof, reason } = yield* proofOfCommit(network, assetCid, yield* openCommit(commit))
      const place = placeOf(commit)
      if (proof === null) {
        return { ...place, proof, reason: reason ?? "", commitData: commit.commitData } satisfies HistoryCommit
      }
      const block = proofBlock(new TextEncoder().encode(proof))
      size += block.bytes.length
      if (size > MOST_BYTES) return yield* tooLong
      proofs.push({ cid: CID.parse(block.cid), bytes: block.bytes })
      return { ...place, proof: block.cid } satisfies HistoryCommit
    })
  )
  const { chainId, contract } = network
  const history: HistoryDocument = {
    mediaType: HISTORY_MEDIA_TYPE,
    assetCid,
    network: { chainId, contract },
    commits
  }
  const root = historyBlock(history)
  const rootCid = CID.parse(root.cid)
  return HttpServerResponse.stream(
    carOfBlocks(rootCid, Stream.fromIterable([{ cid: rootCid, bytes: root.bytes }, ...proofs])),
    {
      contentType: "application/vnd.ipld.car",
      headers: { "content-disposition": `attachment; filename="${assetCid}.history.car"` }
    }
  )
}).pipe(refusing)

export const layer = HttpRouter.use((router) => router.add("GET", "/proofs/history/:assetCid", car))

/**
 * The whole story on one screen: request → rules → tree → CID → signature → charge → ledger → response. The request arrives decoded
 * (rules/CommitRequest); up to the signature nothing changes anywhere (PrepareCommit).
 */
import { Effect } from "effect"
import { Charges } from "../charging/Charges.ts"
import type { Caller } from "../identity/Caller.ts"
import { ContentStore } from "../ledger/ContentStore.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { amount } from "../money/Amount.ts"
import type { CommitRequest } from "../rules/CommitRequest.ts"
import { CommitReceipt } from "./CommitReceipt.ts"
import { prepareCommit } from "./PrepareCommit.ts"
import { claimAct } from "./SignedAct.ts"

/**
 * Commits a registered asset for `caller`. `commitId` is the caller's name for this one commit: the same id never gives a
 * second transaction. Fails with one of `CommitError`; a failed commit costs nothing.
 */
export const commitAsset = Effect.fn("CommitAsset")(function* (input: {
  readonly caller: Caller
  readonly request: CommitRequest
  readonly commitId: string
}) {
  const { caller, request, commitId } = input
  const ledger = yield* Ledger
  const contents = yield* ContentStore
  const charges = yield* Charges

  const { network, tree, commitData, actSignature, price, gasCeiling } = yield* prepareCommit(input)
  const freeAct = yield* claimAct({ network, actSignature, commitId })
  const hold = yield* charges
    .hold({ caller, operation: "commit", reference: commitId, amount: amount(price + gasCeiling) })
    .pipe(Effect.onError(() => freeAct))
  const release = Effect.andThen(Effect.ignore(charges.release(hold)), freeAct)
  yield* contents.put(tree.cid, tree.bytes).pipe(Effect.onError(() => release))
  const entry = yield* ledger
    .record(network, {
      commitId,
      holdId: hold.id,
      accountId: caller.accountId,
      assetCid: request.assetCid,
      assetTreeCid: tree.cid,
      commitData
    })
    .pipe(Effect.tapError((error) => (error._tag === "CommitPending" ? Effect.void : release)))
  return new CommitReceipt({
    txHash: entry.txHash,
    assetCid: request.assetCid,
    assetTreeCid: tree.cid,
    explorer: ledger.explorerUrl(network, entry.txHash)
  })
}, Effect.uninterruptible)

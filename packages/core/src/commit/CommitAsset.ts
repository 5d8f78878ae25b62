/**
 * The whole story on one screen: request → rules → tree → CID → signature → charge → ledger → response.
 * The request arrives decoded (rules/CommitRequest); what needs the caller or the registry is decided here.
 */
import { Clock, Context, Effect, Option } from "effect"
import { assetTreeOf } from "../asset-tree/AssetTree.ts"
import { canonicalSignature, recoverSigner } from "../asset-tree/Signature.ts"
import { TreeFormat } from "../asset-tree/TreeFormat.ts"
import { Charges } from "../charging/Charges.ts"
import type { Caller } from "../identity/Caller.ts"
import { ContentStore } from "../ledger/ContentStore.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Registry } from "../ledger/Registry.ts"
import { amount } from "../money/Amount.ts"
import { Prices } from "../money/PriceList.ts"
import { commitDataOf, commitRecordOf } from "../proof/CommitRecord.ts"
import type { CommitRequest } from "../rules/CommitRequest.ts"
import { FieldProblem, InvalidFields } from "../rules/FieldProblem.ts"
import { Signer } from "../signing/Signer.ts"
import { AssetNotRegistered } from "./CommitError.ts"
import { CommitReceipt } from "./CommitReceipt.ts"

/** Who provides the service, as the commit record names it. */
export const Provider = Context.Reference<string>("@treemark/core/commit/CommitAsset/Provider", {
  defaultValue: () => "Treemark"
})

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
  const price = (yield* Prices).commit
  const network = request.testnet ? "testnet" : "mainnet"

  yield* checkRegistration(request)
  const author = request.author ?? caller.wallet
  const signedAt = request.assetTreeSignature === undefined ? "daemon" : "elsewhere"
  const tree = (yield* TreeFormat).encode(assetTreeOf({ request, author, serviceName: caller.serviceName, signedAt }))
  const signature = yield* signatureOf({ caller, author, given: request.assetTreeSignature, checksum: tree.sha256 })

  const commitData = commitDataOf(
    commitRecordOf({
      tree,
      signature,
      author,
      committer: ledger.committer,
      action: request.action,
      actionResult: contents.locationOf(tree.cid),
      provider: yield* Provider,
      commitMessage: request.commitMessage,
      timestampCreated: Math.floor((yield* Clock.currentTimeMillis) / 1000)
    })
  )
  const gasCeiling = yield* ledger.quote(network, { assetCid: request.assetCid, commitData })
  const hold = yield* charges.hold({
    caller,
    operation: "commit",
    reference: commitId,
    amount: amount(price + gasCeiling)
  })
  const release = Effect.ignore(charges.release(hold))
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
  yield* charges.capture(hold, amount(price + entry.gasPaid))
  return new CommitReceipt({
    txHash: entry.txHash,
    assetCid: request.assetCid,
    assetTreeCid: tree.cid,
    explorer: ledger.explorerUrl(network, entry.txHash)
  })
}, Effect.uninterruptible)

const checkRegistration = Effect.fnUntraced(function* (request: CommitRequest) {
  const registration = yield* (yield* Registry).find(request.assetCid)
  if (Option.isNone(registration)) return yield* new AssetNotRegistered({ assetCid: request.assetCid })
  if (registration.value.assetSha256 !== request.assetSha256) {
    return yield* refuseField(
      "/assetSha256",
      `must be the sha256 in the asset's registration, ${registration.value.assetSha256}`
    )
  }
})

/** The signature given by an author who signed elsewhere, checked; else one by the caller's own wallet. */
const signatureOf = Effect.fnUntraced(function* (input: {
  readonly caller: Caller
  readonly author: string
  readonly given: string | undefined
  readonly checksum: string
}) {
  if (input.given === undefined) return yield* (yield* Signer).signChecksum(input.caller, input.checksum)
  const recovered = recoverSigner(input.checksum, input.given)
  if (!recovered.ok) return yield* refuseField("/assetTreeSignature", `is not a usable signature. ${recovered.message}`)
  if (recovered.signer !== input.author) {
    return yield* refuseField(
      "/assetTreeSignature",
      `is by ${recovered.signer} (or over another tree), not by the author ${input.author} over this tree, whose checksum is ${input.checksum}: ` +
        "sign those 64 characters as text (EIP-191 personal_sign)"
    )
  }
  return canonicalSignature(input.given)
})

const refuseField = (path: string, message: string) =>
  Effect.fail(new InvalidFields({ problems: [new FieldProblem({ path, message })] }))

/**
 * The part of a commit that changes nothing: request → rules → tree → CID → signature → what it costs. A quote ends here, a commit
 * goes on from here.
 */
import { Clock, Context, Effect, Option } from "effect"
import { assetTreeOf } from "../asset-tree/AssetTree.ts"
import { canonicalSignature, recoverSigner } from "../asset-tree/Signature.ts"
import { TreeFormat } from "../asset-tree/TreeFormat.ts"
import type { Call } from "../charging/Call.ts"
import type { Caller } from "../identity/Caller.ts"
import { ContentStore } from "../ledger/ContentStore.ts"
import { Ledger, type NetworkRole } from "../ledger/Ledger.ts"
import { Registry } from "../ledger/Registry.ts"
import { amount } from "../money/Amount.ts"
import { Prices } from "../money/PriceList.ts"
import { commitDataOf, commitRecordOf } from "../proof/CommitRecord.ts"
import type { CommitRequest } from "../rules/CommitRequest.ts"
import { FieldProblem, InvalidFields, refuseField } from "../rules/FieldProblem.ts"
import { Signer } from "../signing/Signer.ts"
import { AssetNotRegistered } from "./CommitError.ts"
import type { CommitPlan } from "./Commits.ts"
import { withSignedAct } from "./SignedAct.ts"

/** Who provides the service, as the commit record names it. */
export const Provider = Context.Reference<string>("@treemark/core/commit/CommitAsset/Provider", {
  defaultValue: () => "Treemark"
})

/**
 * Signs and prices what `request` asks for; the ledger is asked for its gas, and nothing is stored, held or sent. `call`: the call
 * it is for; a quote is for none.
 */
export const prepareCommit = Effect.fn("PrepareCommit")(function* (input: {
  readonly caller: Caller
  readonly request: CommitRequest
  readonly call?: Call
}) {
  const { call, caller, request } = input
  const ledger = yield* Ledger
  const network: NetworkRole = request.testnet ? "testnet" : "mainnet"

  const author = request.author ?? caller.wallet
  const signedAt = request.assetTreeSignature === undefined ? "daemon" : "elsewhere"
  const format = (yield* TreeFormat).on(network)
  const members = assetTreeOf({ request, author, serviceName: caller.serviceName, signedAt })
  const [first, ...others] = format.customProblems(members).map((problem) => new FieldProblem(problem))
  if (first !== undefined) return yield* new InvalidFields({ problems: [first, ...others] })
  yield* checkRegistration(request)
  const tree = format.encode(members)
  const signature = yield* signatureOf({ caller, author, given: request.assetTreeSignature, checksum: tree.sha256 })

  const unsigned = commitRecordOf({
    tree,
    signature,
    author,
    committer: ledger.committerOf(request.assetCid),
    action: request.action,
    actionResult: (yield* ContentStore).locationOf(tree.cid),
    provider: yield* Provider,
    commitMessage: request.commitMessage,
    timestampCreated: request.actTimestamp ?? Math.floor((yield* Clock.currentTimeMillis) / 1000)
  })
  const record = yield* withSignedAct({ request, network, record: unsigned, commitId: call?.id })
  const commitData = commitDataOf(record)
  const prices = yield* Prices
  const gasCeiling = yield* ledger.quote(network, { assetCid: request.assetCid, commitData })
  return {
    caller,
    network,
    assetCid: request.assetCid,
    tree,
    commitData,
    actSignature: record.actSignature,
    terms: { amount: amount(prices.commit + gasCeiling), price: prices.commit },
    priceListVersion: prices.version
  } satisfies Omit<CommitPlan, "call">
})

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

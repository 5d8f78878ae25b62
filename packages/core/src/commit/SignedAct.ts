/**
 * The act that an author signed elsewhere: checked against the very record it goes into, in time, and not recorded before. Where there is
 * none, nothing is added: that the daemon's wallet did it, its transaction says.
 */
import { Clock, Effect } from "effect"
import { canonicalSignature, recoverSigner } from "../asset-tree/Signature.ts"
import { Acts } from "../ledger/Acts.ts"
import { Ledger, type NetworkRole } from "../ledger/Ledger.ts"
import { actBytes, actChecksum } from "../proof/Act.ts"
import type { CommitRecord } from "../proof/CommitRecord.ts"
import type { CommitRequest } from "../rules/CommitRequest.ts"
import { refuseField } from "../rules/FieldProblem.ts"

/** How far the time of a signed act may be from the service's clock, in seconds. */
const ACT_WINDOW = 15 * 60

/**
 * The record with the act's signature, in its canonical form. `commitId` is the commit it is for; a repetition of that one is let through
 * whatever the time is meanwhile, because its answer must not change.
 */
export const withSignedAct = Effect.fn("SignedAct.withSignedAct")(function* (input: {
  readonly request: CommitRequest
  readonly network: NetworkRole
  readonly record: CommitRecord
  readonly commitId: string | undefined
}) {
  const { commitId, network, record, request } = input
  if (request.actSignature === undefined) return record
  const { chainId, contract } = (yield* Ledger).networkOf(network)
  const { abstract, action, assetTreeSha256, author, timestampCreated } = record
  const act = { abstract, action, assetTreeSha256, author, chainID: chainId, contract, timestampCreated }
  const checksum = actChecksum(act)
  const recovered = recoverSigner(checksum, request.actSignature)
  if (!recovered.ok) return yield* refuseField("/actSignature", `is not a usable signature. ${recovered.message}`)
  if (recovered.signer !== author) {
    return yield* refuseField(
      "/actSignature",
      `is by ${recovered.signer} (or over another act), not by the author ${author} over this act: ${new TextDecoder().decode(actBytes(act))} ` +
        `Its sha256 is ${checksum}: sign those 64 characters as text (EIP-191 personal_sign). GET /networks names chainID and contract`
    )
  }
  const actSignature = canonicalSignature(request.actSignature)
  const holder = yield* (yield* Acts).holderOf({ network, actSignature })
  if (holder !== undefined && holder !== commitId) return yield* refuseRepeated
  if (holder === undefined) yield* checkTime(timestampCreated)
  return { ...record, actSignature }
})

const checkTime = Effect.fnUntraced(function* (seconds: number) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  if (Math.abs(seconds - now) <= ACT_WINDOW) return
  const away = `${Math.abs(seconds - now)} seconds ${seconds < now ? "before" : "after"}`
  return yield* refuseField(
    "/actTimestamp",
    `must be within 15 minutes of this service's clock; it is ${away} ${now}, which is now. Sign the act anew with the time of signing`
  )
})

/** The refusal of an act that another commit has. */
export const refuseRepeated = refuseField(
  "/actSignature",
  "is of an act that was given before on this chain, and an act is recorded once. To see what became of that call repeat it with its Idempotency-Key; for a further commit sign the act anew, with a new actTimestamp"
)

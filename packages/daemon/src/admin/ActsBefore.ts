/**
 * Which signed acts of a page were recorded before it: the same act again is a copy, and the copier's word. Only a page that holds a signed
 * act by a wallet that nobody trusts has the ledger asked for what came before, and only records that carry the same signature are verified.
 */
import {
  canonicalSignature,
  Ledger,
  type LedgerCommit,
  type LedgerPlace,
  type NetworkRole,
  readJsonObjectText,
  signedActOf
} from "@treemark/core"
import { RECORD_LIMIT, type Report, textMember } from "@treemark/core/verify"
import { Effect } from "effect"
import { type OpenedCommit, openCommit } from "../commits/CommitOnLedger.ts"

export const actsBefore = Effect.fn("ActsBefore.actsBefore")(function* (page: {
  readonly role: NetworkRole
  readonly assetCid: string
  readonly before: LedgerPlace
  /** Signed acts by recorders that nobody trusts. */
  readonly acts: ReadonlySet<string>
  readonly reportOf: (opened: OpenedCommit) => Report
}) {
  const { acts, assetCid, before, reportOf, role } = page
  const found = new Set<string>()
  if (acts.size === 0) return found
  const earlier = yield* (yield* Ledger).history(role, assetCid, { before })
  for (const commit of earlier.filter((one) => acts.has(namedActOf(one) ?? ""))) {
    const act = signedActOf(reportOf(yield* openCommit(commit)))
    if (act !== undefined) found.add(act)
  }
  return found
})

/** The signature of the act that a record carries, whether it holds or not. */
const namedActOf = ({ commitData }: LedgerCommit): string | undefined => {
  if (!commitData.includes('"actSignature"') || Buffer.byteLength(commitData) > RECORD_LIMIT) return undefined
  const record = readJsonObjectText(commitData)
  const signature = record.ok ? textMember(record.value, "actSignature") : undefined
  return signature !== undefined && /^0x(?:[0-9a-fA-F]{128}|[0-9a-fA-F]{130})$/u.test(signature)
    ? canonicalSignature(signature)
    : undefined
}

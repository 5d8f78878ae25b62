/** The act of a report: what the commit record says was done, and whose word that is (decisions.md, section 10). */
import { isAddressText, toEip55 } from "../identity/Eip55.ts"
import { textMember } from "../proof/Proof.ts"
import { shownOrNull } from "../proof/Shown.ts"
import type { Evidence } from "./Evidence.ts"
import type { Act } from "./Report.ts"

/** `isOnLedger`: the record is the text that a known contract wrote for this recorder, in a block that is on the ledger. */
export const actOf = ({ input }: Evidence, isOnLedger: boolean): Act | null => {
  const { ledger, record } = input
  const action = shownOrNull(textMember(record, "action"))
  const actionName = shownOrNull(textMember(record, "actionName"))
  const message = shownOrNull(textMember(record, "abstract"))
  const committer = textMember(record, "committer")
  if (action === null && actionName === null && message === null && committer === undefined) return null
  const named = ledger?.recorder ?? (committer !== undefined && isAddressText(committer) ? committer : undefined)
  return {
    action,
    actionName,
    message,
    recorder: named === undefined ? null : toEip55(named),
    by: "recorder",
    provenance: isOnLedger ? "ledger" : "claimed"
  }
}

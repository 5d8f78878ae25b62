/**
 * Whether the event's word for its recorder can be believed. An event says what its contract makes it say: only a known contract is known to write down
 * who called it. Where the transaction is shown, too, its sender is found from its signature, and must be the recorder.
 */
import { toEip55 } from "../identity/Eip55.ts"
import { isAmong, KNOWN_CONTRACTS } from "../proof/KnownContracts.ts"
import { readTransaction } from "../proof/SignedTransaction.ts"
import type { Evidence } from "./Evidence.ts"
import { type Check, passed, stopped } from "./Report.ts"
import { isVouchedContract } from "./Witnesses.ts"

export const ledgerContract = (evidence: Evidence): Check => {
  const name = "ledger-contract"
  const place = evidence.input.ledger
  if (place === undefined) return stopped(name, "ledger_not_given")
  const actual = `chain ${place.chainId}, ${toEip55(place.contract)}`
  const known = [...KNOWN_CONTRACTS, ...(evidence.input.contracts ?? [])]
  if (isAmong(known, place) || isVouchedContract(evidence, place)) return passed(name, { expected: actual, actual })
  const ofChain = known.flatMap(({ chainId, contract }) => (chainId === place.chainId ? [contract] : []))
  const expected = ofChain.length === 0 ? `no contract of chain ${place.chainId} is known` : ofChain.join(" or ")
  return stopped(name, "contract_not_known", { expected, actual })
}

/** `contract`: what {@link ledgerContract} says. `onLedger`: what ledger-inclusion says; a sender passes in a block that passed. */
export const transactionSender = ({ input, transaction }: Evidence, contract: Check, onLedger: Check): Check => {
  const name = "transaction-sender"
  const place = input.ledger
  if (place === undefined) return stopped(name, "ledger_not_given")
  if (input.inclusion?.transaction === undefined || transaction?.path !== true) {
    return stopped(name, "transaction_not_shown")
  }
  if (contract.outcome !== "pass") return stopped(name, "contract_not_known")
  const reading = readTransaction(input.inclusion.transaction.value)
  if (!reading.ok) {
    return stopped(name, reading.problem === "malformed" ? "transaction_malformed" : "transaction_type_unknown")
  }
  const { sender, to } = reading.transaction
  if (to !== place.contract.toLowerCase()) {
    const called = to === undefined ? "a transaction that makes a contract" : `a call of ${toEip55(to)}`
    return stopped(name, "transaction_indirect", { expected: `a call of ${toEip55(place.contract)}`, actual: called })
  }
  const found = sender(input.recoverKey)
  if (found === undefined) return stopped(name, "transaction_malformed")
  const compared = { expected: toEip55(place.recorder), actual: found }
  if (found !== compared.expected) return stopped(name, "transaction_sender_differs", compared)
  return onLedger.outcome === "pass"
    ? passed(name, compared)
    : stopped(name, "transaction_block_not_compared", compared)
}

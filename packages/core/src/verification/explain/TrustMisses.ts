/**
 * Near misses of trust: what is here is sound, but a key, a contract, a sender, a witness or an act is not one that its reader can rely on. Each says
 * what is shown all the same, what is not, and what would help.
 */
import { toEip55 } from "../../identity/Eip55.ts"
import { KNOWN_CONTRACTS } from "../../proof/KnownContracts.ts"
import type { Evidence } from "../Evidence.ts"
import type { Check } from "../Report.ts"
import type { NearMiss } from "./Explanation.ts"
import { knownPeople } from "./KnownPeople.ts"

/** For the check signer-named, when the key is listed and its days do not fit. */
export const keyMiss = (_: Evidence, { actual, code, expected }: Check): NearMiss | undefined => {
  switch (code) {
    case "signer_revoked":
      return {
        kind: "key_revoked",
        advice: `The signature holds, but your authors file says of its key: ${expected}. Whoever stole it can write any date into a new record, so only the ledger's time counts; here it is ${actual}. It would pass with a checkpoint that proves a block from before the revocation. Otherwise ask the author to sign with a key that is good.`
      }
    case "signer_expired":
    case "signer_not_yet_valid":
    case "signing_time_claimed":
      return {
        kind: "key_out_of_dates",
        advice: `The signature holds, but your authors file says of its key: ${expected}; the commit is from ${actual}. It would pass with a proof of inclusion and a checkpoint that prove a time within those dates. If the dates in your file are wrong, mend them there.`
      }
    default:
      return undefined
  }
}

/** For the check ledger-contract. */
export const contractMiss = ({ inclusion, input }: Evidence, { code }: Check): NearMiss | undefined => {
  const place = input.ledger
  if (code !== "contract_not_known" || place === undefined || inclusion?.ok !== true) return undefined
  const contract = toEip55(place.contract)
  const elsewhere = KNOWN_CONTRACTS.find((known) => toEip55(known.contract) === contract)
  return {
    kind: "contract_unknown",
    advice: `The event is in the block, but ${contract} wrote it, which is no commit contract known on chain ${place.chainId}${
      elsewhere === undefined ? "" : ` (it is one on chain ${elsewhere.chainId})`
    }. Anybody can put a contract on a chain that names any wallet as the recorder, so the recorder, the time and the act are the file's own words. It would pass with --contract ${place.chainId}:${contract}; give that only if you have read the contract's code.`
  }
}

/** For the check transaction-sender, when another wallet sent it. */
export const senderMiss = (evidence: Evidence, { actual, code, expected }: Check): NearMiss | undefined => {
  if (code !== "transaction_sender_differs" || actual === null) return undefined
  const who = knownPeople(evidence)(actual)
  return {
    kind: "sent_by_another",
    advice: `The transaction was signed and sent by ${actual}${who === undefined ? "" : `, ${who}`}, and the event names ${expected} as the recorder. A commit contract writes down who calls it, so the two cannot belong together: one of them was put into this proof. Ask for the proof again, and look the transaction up on the ledger.`
  }
}

/** For the check ledger-inclusion, when too few witnesses have the block. */
export const quorumMiss = ({ input }: Evidence, { code, expected, actual }: Check): NearMiss | undefined =>
  code === "checkpoint_quorum_missing"
    ? {
        kind: "witnesses_missing",
        advice: `You asked for ${expected} of checkpoints that have this block; there are: ${actual}. Of your ${input.checkpoints?.length ?? 0} checkpoint files, those that nobody signed do not count, nor does a signer who stands in your authors file as revoked or, where it names witnesses, not as one. It would pass with a checkpoint of this block from another witness.`
      }
    : undefined

/** For the check signature, when it is in the form of a contract wallet's. */
export const walletMiss = ({ recordAuthor, signature, treeAuthor }: Evidence, { code }: Check): NearMiss | undefined =>
  code === "contract_wallet_signature"
    ? {
        kind: "signed_by_contract",
        advice: `A signature by a key has 65 bytes; this one has ${Math.max(0, ((signature ?? "").length - 2) >> 1)}, as those of contract wallets (ERC-1271, ERC-6492) have. Only the wallet's own code, on its chain, can say whether it is good: ask a node with the command above, where ${treeAuthor ?? recordAuthor ?? "the author"} must answer 0x1626ba7e. Offline it stays unconfirmed; it would pass if the author signed with a key, too.`
      }
    : undefined

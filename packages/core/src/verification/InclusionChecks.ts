/**
 * Whether the commit is on the ledger: the inclusion proof ties it to a block by hashing, and a checkpoint of the verifier's ties that
 * block to the chain. Only both together pass; a block that is compared with nothing could be anybody's invention.
 */
import type { Checkpoint } from "../proof/Checkpoint.ts"
import type { LedgerPosition } from "../proof/LedgerPosition.ts"
import type { Evidence } from "./Evidence.ts"
import { type Check, passed, stopped } from "./Report.ts"
import { hasBlock, vouchedFor } from "./Witnesses.ts"

export const ledgerInclusion = (evidence: Evidence): Check => {
  const name = "ledger-inclusion"
  const { inclusion, input } = evidence
  const place = input.ledger
  if (place === undefined) return stopped(name, "ledger_not_given")
  if (inclusion?.ok === false) return stopped(name, inclusion.code, inclusion.compared)
  const { checkpoints = [], quorum } = input
  const isAsked = checkpoints.length > 0 || quorum !== undefined
  const comparison = compareBlock(place, checkpoints)
  const compared = { expected: comparison.hash ?? null, actual: `block ${place.blockNumber}, ${place.blockHash}` }
  if (comparison.differs) return stopped(name, "checkpoint_block_differs", compared)
  if (inclusion === undefined) {
    const actual = input.inclusionMissing
    if (isAsked) return stopped(name, "checkpoint_without_inclusion", { actual })
    return stopped(name, actual === undefined ? "inclusion_not_given" : "inclusion_left_out", { actual })
  }
  if (!isAsked) return stopped(name, "block_not_compared", compared)
  if (comparison.hash === undefined && quorum === undefined) {
    return stopped(name, comparison.isChainKnown ? "checkpoint_block_absent" : "checkpoint_chain_absent", compared)
  }
  const { isEnough, signers } = vouchedFor(evidence, (checkpoint) => hasBlock(checkpoint, place))
  if (isEnough) return passed(name, compared)
  return stopped(name, "checkpoint_quorum_missing", {
    expected: `${quorum} different signers`,
    actual: `${signers.length === 0 ? "none" : signers.join(", ")} for ${compared.actual}`
  })
}

/** The checkpoints' hash of the block; one that differs from the place's outweighs all that agree. */
const compareBlock = ({ blockHash, blockNumber, chainId }: LedgerPosition, checkpoints: ReadonlyArray<Checkpoint>) => {
  const ofChain = checkpoints.filter((checkpoint) => checkpoint.chainId === chainId)
  const hashes = ofChain.map(({ hashes }) => hashes.get(blockNumber)).filter((hash) => hash !== undefined)
  const other = hashes.find((hash) => hash !== blockHash.toLowerCase())
  return { hash: other ?? hashes[0], differs: other !== undefined, isChainKnown: ofChain.length > 0 }
}

/** `onLedger`: what {@link ledgerInclusion} says; a transaction passes in a block that passed. */
export const ledgerTransaction = ({ input, transaction: shown }: Evidence, onLedger: Check): Check => {
  const name = "ledger-transaction"
  if (input.ledger === undefined) return stopped(name, "ledger_not_given")
  if (shown === undefined) return stopped(name, "transaction_not_shown")
  if (!shown.path) return stopped(name, "transaction_path_broken")
  const compared = { expected: shown.named, actual: shown.hash }
  if (shown.hash !== shown.named) return stopped(name, "transaction_differs", compared)
  return onLedger.outcome === "pass"
    ? passed(name, compared)
    : stopped(name, "transaction_block_not_compared", compared)
}

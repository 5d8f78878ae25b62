/** Whose word it is that a block is on the ledger: the checkpoints that have it, and who signed them. */
import type { LedgerPosition } from "../proof/LedgerPosition.ts"
import type { Evidence } from "./Evidence.ts"
import type { Witness } from "./Report.ts"

/** Each signer once, and one entry for all files without a signature; in the order of the checkpoints. */
export const witnessesOf = ({ input }: Evidence): ReadonlyArray<Witness> => {
  const place = input.ledger
  if (place === undefined) return []
  const having = (input.checkpoints ?? []).filter((checkpoint) => hasBlock(checkpoint, place))
  const signers = new Set(
    having.flatMap(({ signers }): ReadonlyArray<string | null> => (signers.length === 0 ? [null] : signers))
  )
  return [...signers].map((signer) => ({ signer, name: null }))
}

const hasBlock = (
  checkpoint: { readonly chainId: number; readonly hashes: ReadonlyMap<number, string> },
  { blockHash, blockNumber, chainId }: LedgerPosition
): boolean => checkpoint.chainId === chainId && checkpoint.hashes.get(blockNumber) === blockHash.toLowerCase()

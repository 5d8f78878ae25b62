/**
 * Whose word it is that a block is on the ledger: the checkpoints that have it, and who signed them. With a quorum, only different signers count: those
 * that the authors file names as witnesses, where it names any, and never a key that it says is revoked. Signing says no time, so a witness
 * whose line has dates cannot be judged and does not count either.
 */
import type { Checkpoint } from "../proof/Checkpoint.ts"
import type { KnownContract } from "../proof/KnownContracts.ts"
import type { LedgerPosition } from "../proof/LedgerPosition.ts"
import { type AuthorsFile, revocationOf, roleLines } from "./AuthorsFile.ts"
import type { Evidence } from "./Evidence.ts"
import { keyProblem } from "./NamedSigner.ts"
import type { Witness } from "./Report.ts"

/** Each signer once, and one entry for all files without a signature; in the order of the checkpoints. */
export const witnessesOf = ({ input }: Evidence): ReadonlyArray<Witness> => {
  const place = input.ledger
  if (place === undefined) return []
  const having = (input.checkpoints ?? []).filter((checkpoint) => hasBlock(checkpoint, place))
  const signers = new Set(having.flatMap((one) => (signersOf(one).length === 0 ? [null] : signersOf(one))))
  return [...signers].map((signer) => ({ signer, name: signer === null ? null : witnessName(input.authors, signer) }))
}

export const hasBlock = (checkpoint: Checkpoint, { blockHash, blockNumber, chainId }: LedgerPosition): boolean =>
  checkpoint.chainId === chainId && checkpoint.hashes.get(blockNumber) === blockHash.toLowerCase()

/** A checkpoint that a caller made by hand may lack the list. */
const signersOf = ({ signers }: Partial<Checkpoint>): ReadonlyArray<string | null> => signers ?? []

const witnessName = (authors: AuthorsFile | undefined, signer: string): string | null =>
  authors === undefined ? null : (goodWitness(authors, signer)?.name ?? null)

const goodWitness = (authors: AuthorsFile, signer: string) => {
  const revoked = revocationOf(authors, signer)
  return roleLines(authors, signer, "witness").find((line) => keyProblem(line, revoked, undefined) === undefined)
}

/** Whether enough different signers vouch for what `has` asks of a checkpoint, and who they are. Without a quorum one file is enough, signed or not. */
export const vouchedFor = ({ input }: Evidence, has: (checkpoint: Checkpoint) => boolean): Vouched => {
  const { authors, checkpoints = [], quorum } = input
  const having = checkpoints.filter(has)
  if (quorum === undefined) return { isEnough: having.length > 0, signers: [] }
  const counts = counting(authors)
  const signers = [...new Set(having.flatMap(signersOf))].filter((signer) => signer !== null && counts(signer))
  return { isEnough: signers.length > 0 && signers.length >= quorum, signers }
}

export interface Vouched {
  readonly isEnough: boolean
  /** Those that count towards the quorum. */
  readonly signers: ReadonlyArray<string | null>
}

const counting = (authors: AuthorsFile | undefined): ((signer: string) => boolean) => {
  if (authors === undefined) return () => true
  const namesWitnesses = [...authors.keys()].some((address) => roleLines(authors, address, "witness").length > 0)
  return namesWitnesses
    ? (signer) => goodWitness(authors, signer) !== undefined
    : (signer) => revocationOf(authors, signer) === undefined
}

/** Whether the checkpoints vouch for the commit contract of `place`. */
export const isVouchedContract = (evidence: Evidence, { chainId, contract }: KnownContract): boolean => {
  const wanted = contract.toLowerCase()
  const names = (one: Checkpoint): boolean =>
    one.chainId === chainId && contractsOf(one).some((address) => address.toLowerCase() === wanted)
  return vouchedFor(evidence, names).isEnough
}

const contractsOf = ({ contracts }: Partial<Checkpoint>): ReadonlyArray<string> => contracts ?? []

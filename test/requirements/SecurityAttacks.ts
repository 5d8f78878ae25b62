import { assert } from "@effect/vitest"
import {
  inputOfProof,
  parseAuthors,
  parseCheckpoint,
  parseProof,
  type Report,
  type VerifyInput,
  verify
} from "@treemark/core/verify"
import { signPersonalMessage } from "../../packages/core/src/asset-tree/Signature.ts"
import { actChecksum } from "../../packages/core/src/proof/Act.ts"
import { checkpointChecksum, checkpointText } from "../../packages/core/src/proof/CheckpointFile.ts"
import { type BlockParts, block, checkpointOf, commitLog, receiptOf } from "../core/verification/Block.ts"
import { author, inputOf, ledger, sign, signed, strangerKey, utf8 } from "../core/verification/Fixtures.ts"
import { scratch } from "../verify/Command.ts"

export const files = scratch()

/** A commit alone in its block: what its record adds or changes, what its event and its transaction say. The reader has a checkpoint of the block. */
export const recorded = async (
  record: object = {},
  {
    log = {},
    place = {},
    ...parts
  }: BlockParts & { readonly log?: object; readonly place?: Partial<typeof ledger> } = {}
): Promise<VerifyInput> => {
  const whole = { ...signed.record, ...record }
  const data = JSON.stringify(whole)
  const receipts = [receiptOf([commitLog({ data, ...log })])]
  const made = await block({ receipts, transactionIndex: 0, logPosition: 0, logIndex: 0, ...parts })
  return {
    ...inputOf(signed),
    record: whole,
    commitData: data,
    ledger: { ...made.place, ...place },
    inclusion: made.inclusion,
    checkpoints: [checkpointOf(made)]
  }
}

export const authors = (text: string) => {
  const reading = parseAuthors(utf8(text))
  assert.isTrue(reading.ok)
  return reading.ok ? reading.authors : undefined
}

/** The author's own signature of the act that a record with these members names; `elsewhere` is what was signed instead. */
export const actBy = (key: Uint8Array, elsewhere: object = {}) =>
  signPersonalMessage(
    actChecksum({ ...signed.record, chainID: ledger.chainId, contract: ledger.contract, ...elsewhere }),
    key
  )

export const read = (text: string): VerifyInput => {
  const reading = parseProof(utf8(text))
  assert.isTrue(reading.ok)
  return reading.ok ? inputOfProof(reading.proof) : {}
}

export const claims = ({ answers, provenance }: Report): ReadonlyArray<string | null> => [
  provenance.time,
  provenance.ledger,
  provenance.committer,
  answers.when
]
export const ALL_CLAIMED = ["claimed", "claimed", "claimed", "claimed"]
export const hostile = "0x00000000000000000000000000000000DeaDBeef"
export const BLOCK_DAY = "2023-11-14"
export const honest = await recorded()
export const witnesses = [21, 22].map((fill) => new Uint8Array(32).fill(fill))

/** A checkpoint file of the honest commit's block, signed by these keys, as its reader reads it. */
export const witnessed = (keys: ReadonlyArray<Uint8Array>, changes: object = {}) => {
  const file = JSON.parse(
    checkpointText({ ...checkpointOf({ place: honest.ledger!, inclusion: honest.inclusion! }), contracts: [] })
  )
  const checksum = String(checkpointChecksum(file))
  const signatures = keys.map((key) => ({ signer: addressOf(key), signature: signPersonalMessage(checksum, key) }))
  return JSON.stringify({ ...file, signatures, ...changes })
}
export const checkpointIn = (text: string) => {
  const reading = parseCheckpoint(utf8(text))
  assert.isTrue(reading.ok, reading.ok ? "" : reading.message)
  return reading.ok ? reading.checkpoint : checkpointOf({ place: honest.ledger!, inclusion: honest.inclusion! })
}
export const addressOf = (key: Uint8Array) => String(verify(inputOf(sign(signed.tree, { key }))).signer)

export const RECOVERED = { ok: true, signer: author } as const

/** A contract of anybody's that says the committer recorded this; a stranger sent the transaction. */
export function byContract(parts: BlockParts): Promise<VerifyInput> {
  return recorded(
    {},
    {
      log: { address: hostile },
      place: { contract: hostile },
      transaction: { key: strangerKey, to: hostile },
      ...parts
    }
  )
}

/** A stranger records the author's signed tree. */
export function recordedBy(recorder: string, record: object = {}): Promise<VerifyInput> {
  return recorded(
    { committer: recorder, ...record },
    { log: { recorder }, place: { recorder }, transaction: { key: strangerKey } }
  )
}

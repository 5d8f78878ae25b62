/**
 * The text of a checkpoint file, and what of it is signed: EIP-191 over the 64 hex characters of the sha256 of the canonical dag-json of the file's
 * whole JSON object without its member `signatures`. White space and the order of members do not matter, and signatures can be added one by one.
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { checksumOf } from "../asset-tree/Checksum.ts"
import { dagJsonText } from "../json/CanonicalJson.ts"
import type { JsonObject, JsonValue } from "../json/JsonValue.ts"

export const CHECKPOINT_MEDIA_TYPE = "application/vnd.treemark.checkpoint+json;version=1"

/** A signature in a checkpoint file; `signer` is the address that it must lead to. */
export interface CheckpointSignature {
  readonly signer: string
  readonly signature: string
}

/** A checkpoint as its file holds it. */
export interface CheckpointDocument {
  readonly mediaType: typeof CHECKPOINT_MEDIA_TYPE
  readonly chainId: number
  /** Commit contracts of the chain. */
  readonly contracts?: ReadonlyArray<string>
  /** `number`: the block's; `hash`: `0x` and 64 hex digits. */
  readonly entries: ReadonlyArray<{ readonly number: number; readonly hash: string }>
  readonly signatures?: ReadonlyArray<CheckpointSignature>
}

/** What a checkpoint file is made of. */
export interface CheckpointContent {
  readonly chainId: number
  readonly hashes: ReadonlyMap<number, string>
  readonly contracts?: ReadonlyArray<string> | undefined
  readonly signatures?: ReadonlyArray<CheckpointSignature> | undefined
}

/** The file's object: blocks ordered by number; no member for contracts or signatures when there are none. */
export const checkpointDocument = ({ chainId, contracts = [], hashes, signatures = [] }: CheckpointContent) =>
  ({
    mediaType: CHECKPOINT_MEDIA_TYPE,
    chainId,
    ...(contracts.length === 0 ? {} : { contracts: [...contracts] }),
    entries: [...hashes].sort(([left], [right]) => left - right).map(([number, hash]) => ({ number, hash })),
    ...(signatures.length === 0 ? {} : { signatures: [...signatures] })
  }) satisfies CheckpointDocument

/** The text of a checkpoint file: JSON with a line for each block. */
export const checkpointText = (content: CheckpointContent): string => checkpointFileText(checkpointDocument(content))

/** The same of any checkpoint file's object, with whatever further members it has: for whoever adds a signature. */
export const checkpointFileText = (file: object): string => {
  const members = Object.entries(file).map(([name, value]) => `  ${JSON.stringify(name)}: ${memberText(name, value)}`)
  return `{\n${members.join(",\n")}\n}\n`
}

const memberText = (name: string, value: unknown): string =>
  (name === "entries" || name === "signatures") && Array.isArray(value)
    ? `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`
    : JSON.stringify(value)

/** The text that is signed: 64 lower-case hex digits; undefined for a file with numbers or keys that canonical dag-json cannot carry. */
export const checkpointChecksum = (file: object): string | undefined => {
  const { signatures: _, ...signed } = file as JsonObject
  try {
    return checksumOf(utf8ToBytes(dagJsonText(signed as { readonly [member: string]: JsonValue })))
  } catch {
    return undefined
  }
}

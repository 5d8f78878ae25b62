/** What the person has given so far, and what verification makes of it. Every file is read in bounded memory; the asset is only hashed. */
import {
  type AuthorsFile,
  type Checkpoint,
  type CheckpointsDisagreement,
  checkpointsDisagreement,
  inputOfProof,
  type JsonObject,
  type MeasuredAsset,
  needsUnixfs,
  parseAuthors,
  parseCheckpoint,
  parseProof,
  type ReadProof,
  readJsonObject,
  textMember,
  type VerifyInput
} from "@treemark/core/verify"

/** Undefined when the file was taken; else why not, in the program's own words, which are English. */
export type Refusal = string | undefined

/** The one proof that is looked at, and the file it may be about. */
export interface Subject {
  readonly name: string
  /** The exact bytes of the proof's file. */
  readonly bytes: Uint8Array
  readonly proof: ReadProof
  readonly asset?: { readonly name: string; readonly measured: MeasuredAsset } | undefined
}

/** Whom and what the person trusts; it outlives the proof. */
export class Trust {
  authors: { readonly name: string; readonly read: AuthorsFile } | undefined
  expectedAuthor: string | undefined
  readonly checkpoints = new Map<string, Checkpoint>()

  takeAuthors(name: string, bytes: Uint8Array): Refusal {
    const reading = parseAuthors(bytes)
    if (!reading.ok) return reading.message
    this.authors = { name, read: reading.authors }
    return undefined
  }

  /** Several may be given; one of the same name takes the place of the other. */
  takeCheckpoint(name: string, bytes: Uint8Array): Refusal {
    const reading = parseCheckpoint(bytes)
    if (!reading.ok) return reading.message
    this.checkpoints.set(name, { ...reading.checkpoint, name })
    return undefined
  }

  /** The first two files that name different blocks at one place. Whom to believe is not known, so neither is kept. */
  dropDisagreeing(): CheckpointsDisagreement | undefined {
    const found = checkpointsDisagreement([...this.checkpoints.values()])
    if (found === undefined) return undefined
    for (const { name } of [found.first, found.second]) this.checkpoints.delete(String(name))
    return found
  }

  /** What verification gets of it. */
  input(): Pick<VerifyInput, "authors" | "checkpoints" | "expectedAuthor"> {
    return {
      authors: this.authors?.read,
      checkpoints: this.checkpoints.size === 0 ? undefined : [...this.checkpoints.values()],
      expectedAuthor: this.expectedAuthor
    }
  }
}

export const readProof = (name: string, bytes: Uint8Array): Subject | string => {
  const reading = parseProof(bytes)
  return reading.ok ? { name, bytes, proof: reading.proof } : reading.message
}

/** The members of the asset tree, where it reads. */
export const treeOf = ({ proof }: Subject): JsonObject | undefined => {
  const reading = readJsonObject(proof.treeBytes)
  return reading.ok ? reading.value : undefined
}

/** Whether the file's UnixFS CID has to be made to compare it. */
export const wantsUnixfs = (subject: Subject): boolean => needsUnixfs(textMember(treeOf(subject), "assetCid"))

export const inputOf = (subject: Subject, trust: Trust): VerifyInput => ({
  ...inputOfProof(subject.proof),
  ...trust.input(),
  asset: subject.asset?.measured
})

/** The bytes of a file of at most `limit` bytes; undefined when it has more. */
export const boundedBytes = async (file: Blob, limit: number): Promise<Uint8Array | undefined> =>
  file.size > limit ? undefined : new Uint8Array(await file.arrayBuffer())

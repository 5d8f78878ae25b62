/** What the person has given so far, and what verification makes of it. Every file is read in bounded memory; the asset is only hashed. */
import {
  AUTHORS_LIMIT,
  type AuthorsFile,
  CHECKPOINT_LIMIT,
  type Checkpoint,
  inputOfProof,
  type JsonObject,
  type MeasuredAsset,
  needsUnixfs,
  parseAuthors,
  parseCheckpoint,
  parseProof,
  type ReadProof,
  type Report,
  readJsonObject,
  textMember,
  type VerifyInput,
  verify
} from "@treemark/core/verify"

/** Why a file could not be taken, as a sentence for the person who gave it. */
export type Taken = { readonly ok: true } | { readonly ok: false; readonly reason: string }

const TAKEN: Taken = { ok: true }

export class Evidence {
  proof: ReadProof | undefined
  /** The exact bytes of the proof's file. */
  proofBytes: Uint8Array | undefined
  asset: MeasuredAsset | undefined
  authors: AuthorsFile | undefined
  expectedAuthor: string | undefined
  readonly checkpoints = new Map<string, Checkpoint>()

  takeProof(bytes: Uint8Array): Taken {
    const reading = parseProof(bytes)
    if (!reading.ok) return { ok: false, reason: reading.message }
    this.proof = reading.proof
    this.proofBytes = bytes
    return TAKEN
  }

  takeAuthors(bytes: Uint8Array): Taken {
    const reading = parseAuthors(bytes)
    if (!reading.ok) return { ok: false, reason: reading.message }
    this.authors = reading.authors
    return TAKEN
  }

  /** Several may be given; one of the same name takes the place of the other. */
  takeCheckpoint(name: string, bytes: Uint8Array): Taken {
    const reading = parseCheckpoint(bytes)
    if (!reading.ok) return { ok: false, reason: reading.message }
    this.checkpoints.set(name, reading.checkpoint)
    return TAKEN
  }

  /** The members of the asset tree, where it reads. */
  tree(): JsonObject | undefined {
    const reading = this.proof === undefined ? undefined : readJsonObject(this.proof.treeBytes)
    return reading?.ok === true ? reading.value : undefined
  }

  wantsUnixfs(): boolean {
    return needsUnixfs(textMember(this.tree(), "assetCid"))
  }

  input(): VerifyInput | undefined {
    return this.proof === undefined
      ? undefined
      : {
          ...inputOfProof(this.proof),
          asset: this.asset,
          authors: this.authors,
          checkpoints: this.checkpoints.size === 0 ? undefined : [...this.checkpoints.values()],
          expectedAuthor: this.expectedAuthor
        }
  }

  report(): Report | undefined {
    const input = this.input()
    return input === undefined ? undefined : verify(input)
  }
}

/** The bytes of a file of at most `limit` bytes; undefined when it has more. */
export const boundedBytes = async (file: Blob, limit: number): Promise<Uint8Array | undefined> =>
  file.size > limit ? undefined : new Uint8Array(await file.arrayBuffer())

export { AUTHORS_LIMIT, CHECKPOINT_LIMIT }

/**
 * What the reader of a proof brings along, as files and options of the command: the judge and the product each read it for themselves, so that
 * a fault in how it is read does not hide either.
 */
import {
  type Checkpoint,
  measureAsset,
  parseAuthors,
  parseCheckpoint,
  type VerifyInput
} from "../../packages/core/src/verify.ts"

export interface Reader {
  /** Texts of checkpoint files. */
  readonly checkpoints?: ReadonlyArray<string>
  /** Text of an authors file. */
  readonly authors?: string
  readonly contracts?: ReadonlyArray<{ readonly chainId: number; readonly contract: string }>
  readonly quorum?: number
  /** Whom --author names. */
  readonly author?: string
  readonly asset?: string
}

/** The reader's part of what `verify` gets; undefined when one of the files is refused. */
export const inputOfReader = (reader: Reader): VerifyInput | undefined => {
  const checkpoints: Array<Checkpoint> = []
  for (const text of reader.checkpoints ?? []) {
    const reading = parseCheckpoint(Buffer.from(text))
    if (!reading.ok) return undefined
    checkpoints.push(reading.checkpoint)
  }
  const authors = reader.authors === undefined ? undefined : parseAuthors(Buffer.from(reader.authors))
  if (authors?.ok === false) return undefined
  return {
    checkpoints: reader.checkpoints === undefined ? undefined : checkpoints,
    authors: authors?.authors,
    contracts: reader.contracts,
    quorum: reader.quorum,
    expectedAuthor: reader.author,
    asset: reader.asset === undefined ? undefined : measureAsset(Buffer.from(reader.asset))
  }
}

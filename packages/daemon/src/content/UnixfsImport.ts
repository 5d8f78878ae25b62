/**
 * Import of files as UnixFS graphs (https://specs.ipfs.tech/unixfs/): a stream is cut into chunks of 256 KiB, each stored as a
 * raw leaf, and linked by a balanced tree of dag-pb nodes with at most 174 children, as `ipfs add --cid-version=1` and
 * ipfs-unixfs-importer do. A file of one chunk is its leaf, so its CID holds the sha256 of the file. Memory is constant.
 */
import { createHash } from "node:crypto"
import * as DagPb from "@ipld/dag-pb"
import { DAG_PB_CODE, RAW_CODE, type StorageUnavailable } from "@treemark/core"
import { Effect, Stream } from "effect"
import type { CID } from "multiformats/cid"
import type { BlockBatch } from "./BlockFolder.ts"
import { encodeUnixfs } from "./UnixfsNode.ts"

/** How a file is cut: bytes per chunk, links per node. Another shape gives another CID. */
export interface ImportShape {
  readonly chunkSize: number
  readonly maxChildren: number
}

const SHAPE: ImportShape = { chunkSize: 262_144, maxChildren: 174 }

/** Leaves written at the same time: enough to keep the disk busy while the next chunk is hashed. */
const LEAVES_AT_ONCE = 8

export interface ImportedFile {
  readonly cid: CID
  /** Bytes of the file. */
  readonly size: number
  /** sha256 of the whole file, 64 lower-case hex digits. */
  readonly sha256: string
}

/** A stored part of a file: `size` counts bytes of the file, `stored` bytes of blocks (the link's Tsize). */
interface Part {
  readonly cid: CID
  readonly size: number
  readonly stored: number
}

/**
 * Imports a file as a stream of chunks of any sizes. The blocks are durable after `batch.flush`. `onProgress` hears the
 * number of bytes stored so far.
 */
export const importFile = Effect.fn("UnixfsImport.importFile")(function* <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  batch: BlockBatch,
  options: { readonly onProgress?: (stored: number) => void; readonly shape?: ImportShape } = {}
) {
  const { chunkSize, maxChildren } = options.shape ?? SHAPE
  const checksum = createHash("sha256")
  const tree = growTree(batch, maxChildren)
  // Chunks that are on the disk are filled again: left to the garbage collector, they cost tens of megabytes at a time.
  const spare: Array<Uint8Array> = []
  let stored = 0
  yield* bytes.pipe(
    Stream.tap((piece) => Effect.sync(() => checksum.update(piece))),
    inChunksOf(chunkSize, () => spare.pop() ?? new Uint8Array(chunkSize)),
    Stream.mapEffect(
      (chunk) =>
        Effect.map(batch.add(RAW_CODE, chunk), (cid): Part => {
          if (chunk.length === chunkSize) spare.push(chunk)
          return { cid, size: chunk.length, stored: chunk.length }
        }),
      { concurrency: LEAVES_AT_ONCE }
    ),
    Stream.runForEach((leaf) => {
      stored += leaf.size
      options.onProgress?.(stored)
      return tree.add(leaf)
    })
  )
  const root = yield* tree.end
  return { cid: root.cid, size: root.size, sha256: checksum.digest("hex") } satisfies ImportedFile
})

/** Cuts into chunks of exactly `size` bytes; the last may be shorter, and an empty file has one empty chunk. */
const inChunksOf =
  (size: number, nextChunk: () => Uint8Array) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> =>
    bytes.pipe(
      Stream.rechunk(1),
      Stream.mapAccum(
        // Pieces are copied into the chunk at once: kept apart, a file sent byte by byte would cost hundreds of bytes for each.
        () => ({ chunk: nextChunk(), filled: 0, isEmpty: true }),
        (state, piece) => {
          const full: Array<Uint8Array> = []
          let { chunk, filled } = state
          for (let taken = 0; taken < piece.length; ) {
            const part = piece.subarray(taken, taken + size - filled)
            chunk.set(part, filled)
            taken += part.length
            filled += part.length
            if (filled === size) {
              full.push(chunk)
              chunk = nextChunk()
              filled = 0
            }
          }
          return [{ chunk, filled, isEmpty: state.isEmpty && piece.length === 0 }, full]
        },
        { onHalt: ({ chunk, filled, isEmpty }) => (filled > 0 || isEmpty ? [chunk.subarray(0, filled)] : []) }
      )
    )

/** Builds the balanced tree from the leaves up; holds at most one unfinished node per level. */
const growTree = (batch: BlockBatch, maxChildren: number) => {
  const levels: Array<Array<Part>> = []

  const join = (parts: ReadonlyArray<Part>): Effect.Effect<Part, StorageUnavailable> => {
    const links = parts.map(({ cid, stored }) => ({ Name: "", Tsize: stored, Hash: cid }))
    const block = DagPb.encode({ Data: encodeUnixfs(parts.map(({ size }) => size)), Links: links })
    return Effect.map(batch.add(DAG_PB_CODE, block), (cid) => ({
      cid,
      size: parts.reduce((sum, part) => sum + part.size, 0),
      stored: parts.reduce((sum, part) => sum + part.stored, block.length)
    }))
  }

  const add = (part: Part, level = 0): Effect.Effect<void, StorageUnavailable> => {
    const parts = levels[level] ?? []
    parts.push(part)
    levels[level] = parts.length < maxChildren ? parts : []
    if (parts.length < maxChildren) return Effect.void
    return Effect.flatMap(join(parts), (parent) => add(parent, level + 1))
  }

  const endFrom = (level: number): Effect.Effect<Part, StorageUnavailable> => {
    const parts = levels[level] ?? []
    const isTop = level >= levels.length - 1
    if (isTop && parts.length === 1) return Effect.succeed(parts[0]!)
    levels[level] = []
    const above = parts.length === 0 ? Effect.void : Effect.flatMap(join(parts), (parent) => add(parent, level + 1))
    return Effect.andThen(
      above,
      Effect.suspend(() => endFrom(level + 1))
    )
  }

  return { add: (leaf: Part) => add(leaf), end: Effect.suspend(() => endFrom(0)) }
}

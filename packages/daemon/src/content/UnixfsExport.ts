/**
 * Reading of files stored as UnixFS graphs (https://specs.ipfs.tech/unixfs/), from any place to any place, in constant memory.
 * Blocks come from the content store, which checks each against its CID; here each is checked against what its parent says.
 */
import * as DagPb from "@ipld/dag-pb"
import { type ContentStore, DAG_PB_CODE, RAW_CODE, StorageUnavailable } from "@treemark/core"
import { Effect, Option, Stream } from "effect"
import type { CID } from "multiformats/cid"
import { BlockMisfit, BlockMissing } from "./BlockErrors.ts"
import type { Block } from "./BlockGraph.ts"
import type { ByteRange } from "./ByteRange.ts"
import { decodeUnixfs } from "./UnixfsNode.ts"

/** A stored file that can be read from any place. Positions are bytes of the file; `end` is exclusive. */
export interface OpenFile {
  readonly size: number
  readonly read: (start: number, end: number) => Stream.Stream<Uint8Array, StorageUnavailable>
}

/** One node of a file: bytes of its own (leaves), then its children's. */
interface FileNode {
  readonly data: Uint8Array
  readonly children: ReadonlyArray<{ readonly cid: CID; readonly size: number }>
  readonly size: number
}

/** The file whose root block is `bytes`; `undefined` when that is no UnixFS file (a directory, or another kind of block). */
export const openFile = (contents: ContentStore["Service"], cid: CID, bytes: Uint8Array): OpenFile | undefined => {
  const root = fileNode(cid, bytes)
  if (root === undefined || !Number.isSafeInteger(root.size)) return undefined
  return { size: root.size, read: (start, end) => readNode(contents, cid, root, start, end) }
}

/** The parts of the file node `block` that bytes of `range` are in, each with its own part of the range; none when it is no such node. */
export const partsWithin = (block: Block, { end, start }: ByteRange) => {
  const node = fileNode(block.cid, block.bytes)
  return node === undefined
    ? []
    : childrenWithin(node, start, end).map(({ cid, from, size }) => ({
        cid,
        range: { start: Math.max(0, start - from), end: Math.min(size, end - from) } satisfies ByteRange
      }))
}

const fileNode = (cid: CID, bytes: Uint8Array): FileNode | undefined => {
  if (cid.code === RAW_CODE) return { data: bytes, children: [], size: bytes.length }
  if (cid.code !== DAG_PB_CODE) return undefined
  const node = dagPbNode(bytes)
  const part = node?.Data === undefined ? undefined : decodeUnixfs(node.Data)
  if (node === undefined || part === undefined || part.blockSizes.length !== node.Links.length) return undefined
  const children = node.Links.map(({ Hash }, i) => ({ cid: Hash, size: part.blockSizes[i] ?? 0 }))
  return { data: part.data, children, size: children.reduce((sum, child) => sum + child.size, part.data.length) }
}

const dagPbNode = (bytes: Uint8Array): DagPb.PBNode | undefined => {
  try {
    return DagPb.decode(bytes)
  } catch {
    return undefined
  }
}

/** The bytes of `node` from `start` to `end`, both counted from the node's own first byte. */
const readNode = (
  contents: ContentStore["Service"],
  cid: CID,
  node: FileNode,
  start: number,
  end: number
): Stream.Stream<Uint8Array, StorageUnavailable> => {
  const own = node.data.subarray(start, Math.max(start, end))
  const wanted = childrenWithin(node, start, end)
  const below = Stream.fromIterable(wanted).pipe(
    Stream.flatMap((child) =>
      Stream.unwrap(
        Effect.map(loadChild(contents, cid, child), (loaded) =>
          readNode(contents, child.cid, loaded, Math.max(0, start - child.from), Math.min(child.size, end - child.from))
        )
      )
    )
  )
  return own.length === 0 ? below : Stream.concat(Stream.succeed(own), below)
}

const childrenWithin = (node: FileNode, start: number, end: number) => {
  let position = node.data.length
  return node.children
    .map((child) => {
      const from = position
      position += child.size
      return { ...child, from, to: position }
    })
    .filter(({ from, to }) => from < end && to > start)
}

const loadChild = Effect.fnUntraced(function* (
  contents: ContentStore["Service"],
  parent: CID,
  child: { readonly cid: CID; readonly size: number }
) {
  const names = { cid: child.cid.toString(), parent: parent.toString() }
  const block = yield* contents.get(names.cid)
  const doing = `block ${names.cid} was read`
  if (Option.isNone(block)) return yield* new StorageUnavailable({ doing, cause: new BlockMissing(names) })
  const node = fileNode(child.cid, block.value)
  if (node?.size !== child.size) return yield* new StorageUnavailable({ doing, cause: new BlockMisfit(names) })
  return node
})

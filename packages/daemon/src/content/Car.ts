/**
 * A graph as a CAR (https://ipld.io/specs/transport/car/carv1/): header with the root, then every block of the graph, parents
 * first, depth first, in the order of the links. The bytes are streamed; of the graph only the CIDs already sent are held. What stands in
 * its CID (identity) is never sent: the block above it holds it already.
 */
import { CarWriter } from "@ipld/car"
import { type ContentStore, StorageUnavailable } from "@treemark/core"
import { Effect, Option, Stream } from "effect"
import type { CID } from "multiformats/cid"
import { inlineContent } from "./BlockCid.ts"
import { BlockMissing } from "./BlockErrors.ts"
import { type Block, linksOf, shardsOf } from "./BlockGraph.ts"
import type { ByteRange } from "./ByteRange.ts"
import { partsWithin } from "./UnixfsExport.ts"

/** How much below a block goes with it: all of its graph, nothing, the shards of a folder, or what bytes of a file are in. */
export type Extent = "all" | "block" | "shards" | ByteRange

export interface CarOptions {
  /** Of the last block of the path; of those before it nothing more is sent. */
  readonly extent: Extent
  /** Whether a block that occurs again is sent again. */
  readonly duplicates: boolean
}

/** The CAR of `path`, blocks that the caller has at hand, each a link of the one before, and of the graph under its last. */
export const carOf = (
  contents: ContentStore["Service"],
  path: readonly [Block, ...Array<Block>],
  options: CarOptions
): Stream.Stream<Uint8Array, StorageUnavailable> => carOfBlocks(path[0].cid, walk(contents, path, options))

/** The CAR of `blocks`, in their order, with one root. */
export const carOfBlocks = <E>(
  root: CID,
  blocks: Stream.Stream<Block, E>
): Stream.Stream<Uint8Array, StorageUnavailable | E> =>
  Stream.unwrap(
    Effect.sync(() => {
      const { writer, out } = CarWriter.create([root])
      const fill = blocks.pipe(
        Stream.runForEach((block) => Effect.promise(() => writer.put(block))),
        Effect.andThen(Effect.promise(() => writer.close()))
      )
      // The writer cannot carry a failure, so the filling runs beside its output: a block that is missing cuts the CAR off.
      return Stream.merge(Stream.fromAsyncIterable(out, neverFails), Stream.fromEffectDrain(fill))
    })
  )

const neverFails = (cause: unknown): StorageUnavailable => new StorageUnavailable({ doing: "a CAR was written", cause })

/** The blocks of a path, and of the graph under its end. */
const walk = (
  contents: ContentStore["Service"],
  path: ReadonlyArray<Block>,
  { duplicates, extent }: CarOptions
): Stream.Stream<Block, StorageUnavailable> => {
  const sent = new Set<string>()
  // A part of a file may come again with other bytes of it wanted, when more of what is under it is to be sent.
  const walked = new Set<string>()
  const isNew = (known: Set<string>, name: string) => duplicates || known.size < known.add(name).size

  const visit = (block: Block, below: Extent): Stream.Stream<Block, StorageUnavailable> => {
    const isSent = inlineContent(block.cid) === undefined && isNew(sent, block.cid.toString())
    const children = Stream.fromIterable(childrenOf(block, below)).pipe(
      Stream.flatMap((child) =>
        isNew(walked, nameOf(child))
          ? Stream.unwrap(Effect.map(load(contents, block.cid, child.cid), (loaded) => visit(loaded, child.extent)))
          : Stream.empty
      )
    )
    return isSent ? Stream.concat(Stream.succeed(block), children) : children
  }
  return Stream.fromIterable(path).pipe(
    Stream.flatMap((block) => visit(block, block === path.at(-1) ? extent : "block"))
  )
}

interface Child {
  readonly cid: CID
  readonly extent: Extent
}

const childrenOf = (block: Block, extent: Extent): ReadonlyArray<Child> => {
  if (extent === "block") return []
  if (extent === "all") return linksOf(block).map((cid) => ({ cid, extent }))
  if (extent === "shards") return shardsOf(block).map((cid) => ({ cid, extent }))
  return partsWithin(block, extent).map(({ cid, range }) => ({ cid, extent: range }))
}

const nameOf = ({ cid, extent }: Child): string =>
  typeof extent === "string" ? cid.toString() : `${cid} ${extent.start}-${extent.end}`

const load = Effect.fnUntraced(function* (contents: ContentStore["Service"], parent: CID, cid: CID) {
  const bytes = yield* contents.get(cid.toString())
  if (Option.isSome(bytes)) return { cid, bytes: bytes.value }
  return yield* new StorageUnavailable({
    doing: `block ${cid} was read`,
    cause: new BlockMissing({ cid: cid.toString(), parent: parent.toString() })
  })
})

/**
 * A graph as a CAR (https://ipld.io/specs/transport/car/carv1/): header with the root, then every block of the graph, parents
 * first, depth first, in the order of the links. The bytes are streamed; of the graph only the CIDs already sent are held.
 */
import { CarWriter } from "@ipld/car"
import { type ContentStore, StorageUnavailable } from "@treemark/core"
import { Effect, Option, Stream } from "effect"
import type { CID } from "multiformats/cid"
import { BlockMissing } from "./BlockErrors.ts"
import { type Block, linksOf } from "./BlockGraph.ts"

export interface CarOptions {
  /** `all` sends the whole graph, `block` the root alone. */
  readonly scope: "all" | "block"
  /** Whether a block that occurs again is sent again. */
  readonly duplicates: boolean
}

/** The CAR of the graph under `root`, whose block the caller has at hand. */
export const carOf = (
  contents: ContentStore["Service"],
  root: Block,
  options: CarOptions
): Stream.Stream<Uint8Array, StorageUnavailable> =>
  carOfBlocks(root.cid, options.scope === "block" ? Stream.succeed(root) : walk(contents, root, options.duplicates))

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

/** The blocks of a graph. */
const walk = (
  contents: ContentStore["Service"],
  root: Block,
  duplicates: boolean
): Stream.Stream<Block, StorageUnavailable> => {
  const sent = new Set<string>()
  const visit = (block: Block): Stream.Stream<Block, StorageUnavailable> =>
    Stream.concat(
      Stream.succeed(block),
      Stream.fromIterable(linksOf(block)).pipe(
        Stream.flatMap((cid) => {
          if (!duplicates && sent.has(cid.toString())) return Stream.empty
          sent.add(cid.toString())
          return Stream.unwrap(Effect.map(load(contents, block.cid, cid), visit))
        })
      )
    )
  return visit(root)
}

const load = Effect.fnUntraced(function* (contents: ContentStore["Service"], parent: CID, cid: CID) {
  const bytes = yield* contents.get(cid.toString())
  if (Option.isSome(bytes)) return { cid, bytes: bytes.value }
  return yield* new StorageUnavailable({
    doing: `block ${cid} was read`,
    cause: new BlockMissing({ cid: cid.toString(), parent: parent.toString() })
  })
})

/**
 * Layer of core's `ContentStore` over a folder, and of `BlockFolder` for whoever stores many blocks at once. A block is the file
 * `<folder>/<two characters>/<cid>`: its CIDv1 in base32, sharded by the last but one two characters (the end of the multihash).
 * Keyed by the whole CID, not by the multihash, so bytes that somebody uploaded as a file can never be asked for as a node of
 * a graph: only graphs that this program built are walked.
 *
 * Gotcha: `put` answers when the block is on the disk for good; a `BlockBatch` only promises that after `flush`.
 */
import { ContentStore, StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import type { CID } from "multiformats/cid"
import { ReplicaId } from "../store/Replica.ts"
import { cidOfBlock, inlineContent, isCheckable, isContentOf, readCid } from "./BlockCid.ts"
import { BlockDamaged } from "./BlockErrors.ts"
import { BlockFiles } from "./BlockFiles.ts"
import { UploadBlocks, type UploadEnd } from "./UploadBlocks.ts"

export interface BlockFolderOptions {
  /** The folder of the blocks, made (0700) when missing: `<home>/blocks`. */
  readonly folder: string
  /** What readers elsewhere call this service, without a path: `http://127.0.0.1:7053`. */
  readonly publicUrl: string
  /** No other process writes to the folder, so that blocks of broken uploads can be removed. */
  readonly isOwn?: boolean
}

/** Blocks that become durable together: many small syncs of folders become one at the end. */
export interface BlockBatch {
  /** Writes `bytes` under `codec` and answers their CID (v1, sha2-256). A block that is there already is checked, and mended if it is damaged. */
  readonly add: (codec: number, bytes: Uint8Array) => Effect.Effect<CID, StorageUnavailable>
  /** Answers when every block added so far survives a crash. */
  readonly flush: Effect.Effect<void, StorageUnavailable>
  /** No block is added any more; removes those that only this upload needed when it broke. What cannot be removed is left to the next start. */
  readonly end: (end: UploadEnd) => Effect.Effect<void>
}

export class BlockFolder extends Context.Service<
  BlockFolder,
  {
    readonly batch: Effect.Effect<BlockBatch>
    /** Removes what broken uploads of earlier processes left, except blocks that `usedOf` names; answers how many blocks. */
    readonly collect: <E>(
      usedOf: (cids: ReadonlySet<string>) => Effect.Effect<ReadonlySet<string>, E>
    ) => Effect.Effect<number, E | StorageUnavailable>
  }
>()("@treemark/daemon/content/BlockFolder") {}

export const layer = (options: BlockFolderOptions): Layer.Layer<ContentStore | BlockFolder, StorageUnavailable> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const files = new BlockFiles(options.folder)
      const uploads = options.isOwn === true && (yield* ReplicaId) === null ? new UploadBlocks(files) : undefined
      yield* storing("the folder of the blocks was opened", async () => {
        await files.open()
        await uploads?.open()
      })
      return Context.make(ContentStore, contentStore(files, options.publicUrl)).pipe(
        Context.add(
          BlockFolder,
          uploads === undefined
            ? { batch: Effect.sync(() => makeBatch(files)), collect: () => Effect.succeed(0) }
            : { batch: Effect.sync(() => makeUpload(files, uploads)), collect: collectIn(uploads) }
        )
      )
    })
  )

const contentStore = (files: BlockFiles, publicUrl: string): ContentStore["Service"] => {
  const base = publicUrl.replace(/\/+$/, "")
  return {
    put: Effect.fn("ContentStore.put")(function* (text, bytes) {
      const cid = readCid(text)
      if (cid === undefined || !isContentOf(cid, bytes)) {
        return yield* Effect.die(new Error(`These ${bytes.length} bytes are not the content of ${text}.`))
      }
      if (inlineContent(cid) !== undefined) return
      const touched = new Set<string>()
      yield* storing(`block ${cid} was written`, async () => {
        await files.write(cid.toString(), bytes, touched)
        await files.sync(touched)
      })
    }),
    get: Effect.fn("ContentStore.get")(function* (text) {
      const cid = readCid(text)
      if (cid === undefined || !isCheckable(cid)) return Option.none()
      const inline = inlineContent(cid)
      if (inline !== undefined) return Option.some(inline)
      const doing = `block ${cid} was read`
      const bytes = yield* storing(doing, () => files.read(cid.toString()))
      if (bytes === undefined) return Option.none()
      if (isContentOf(cid, bytes)) return Option.some(bytes)
      const place = `the file ${files.pathOf(cid.toString())}`
      return yield* new StorageUnavailable({ doing, cause: new BlockDamaged({ cid: cid.toString(), place }) })
    }),
    locationOf: (cid) => `${base}/ipfs/${cid}`
  }
}

const makeBatch = (
  files: BlockFiles,
  write: (cid: string, bytes: Uint8Array, touched: Set<string>) => Promise<void> = (...block) => files.write(...block),
  end: BlockBatch["end"] = () => Effect.void
): BlockBatch => {
  const touched = new Set<string>()
  return {
    add: (codec, bytes) =>
      Effect.suspend(() => {
        const cid = cidOfBlock(codec, bytes)
        const text = cid.toString()
        return Effect.as(
          storing(`block ${text} was written`, () => write(text, bytes, touched)),
          cid
        )
      }),
    flush: storing("new blocks were made durable", () => files.sync(touched)),
    end
  }
}

const makeUpload = (files: BlockFiles, uploads: UploadBlocks): BlockBatch => {
  const upload = uploads.begin()
  return makeBatch(
    files,
    (...block) => upload.write(...block),
    (end) =>
      storing("the blocks of a broken upload were removed", () => upload.end(end)).pipe(
        Effect.catch((error) =>
          Effect.logWarning(`${error.message} They are looked at again at the next start.`, error.cause)
        )
      )
  )
}

const collectIn = (uploads: UploadBlocks): BlockFolder["Service"]["collect"] =>
  Effect.fnUntraced(function* (usedOf) {
    const doing = "the blocks of broken uploads were removed"
    const cids = yield* storing(doing, () => uploads.suspects())
    const used = yield* Effect.onError(usedOf(cids), () => Effect.promise(() => uploads.spare(cids)))
    return yield* storing(doing, () => uploads.settle(cids, used))
  })

/** Not interruptible: when it has ended, nothing is being written any more, whoever gave up meanwhile. */
const storing = <A>(doing: string, work: () => Promise<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.tryPromise({ try: work, catch: (cause) => new StorageUnavailable({ doing, cause }) }).pipe(
    Effect.uninterruptible
  )

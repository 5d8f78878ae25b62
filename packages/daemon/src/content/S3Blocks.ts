/**
 * Layer of core's `ContentStore`, and of `BlockFolder`, over S3-compatible storage: one object per block, under the key that is the block's
 * path in a block folder. For daemons on several machines, which must see the same content.
 *
 * Blocks of broken uploads stay: other daemons may be using them, and nothing here knows.
 *
 * An object is durable when its PUT is answered, so `flush` has nothing left to do. A new block is written on the condition that
 * there is none yet; one that is there is read, compared, and mended if it differs. Storage without conditional writes is written
 * to all the same: equal names have equal content.
 */
import { ContentStore, StorageUnavailable } from "@treemark/core"
import { Context, Effect, Layer, Option } from "effect"
import type { CID } from "multiformats/cid"
import { cidOfBlock, inlineContent, isCheckable, isContentOf, readCid } from "./BlockCid.ts"
import { type BlockBatch, BlockFolder } from "./BlockFolder.ts"
import { keyOfBlock } from "./S3Address.ts"
import { ObjectDamaged, type S3Failure, S3Refused } from "./S3Errors.ts"
import { makeS3Requests, type S3Access, type S3Requests } from "./S3Requests.ts"

export interface S3BlocksOptions extends S3Access {
  /** What readers elsewhere call this service, without a path: `http://127.0.0.1:7053`. */
  readonly publicUrl: string
}

/** Fails when the storage refuses (no such bucket, wrong credentials); when it only does not answer, it may yet come. */
export const layer = (options: S3BlocksOptions): Layer.Layer<ContentStore | BlockFolder, S3Refused> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const requests = makeS3Requests(options)
      yield* requests
        .sendOnce({ method: "GET", key: "", query: { "list-type": "2", "max-keys": "1" } })
        .pipe(
          Effect.catchIf(isPassing, (failure) =>
            Effect.logWarning(`The daemon starts without its content. ${failure.message}`)
          )
        )
      const objects = blockObjects(requests, options)
      return Context.make(ContentStore, contentStore(objects, options)).pipe(
        Context.add(BlockFolder, { batch: Effect.succeed(batchOf(objects)), collect: () => Effect.succeed(0) })
      )
    })
  )

const isPassing = (failure: S3Failure): failure is Exclude<S3Failure, S3Refused> =>
  !(failure instanceof S3Refused) || failure.isPassing

interface BlockObjects {
  /** The bytes under the block's key, unchecked. */
  readonly read: (cid: CID) => Effect.Effect<Option.Option<Uint8Array>, S3Failure>
  /** Writes the block, unless its object holds `bytes` already. */
  readonly write: (cid: CID, bytes: Uint8Array) => Effect.Effect<void, S3Failure>
}

const blockObjects = (requests: S3Requests, { address }: S3BlocksOptions): BlockObjects => {
  const read: BlockObjects["read"] = (cid) =>
    requests.send({ method: "GET", key: keyOfBlock(address, cid.toString()) }).pipe(
      Effect.map(({ body }) => Option.some(body)),
      Effect.catchIf(
        (failure) => failure instanceof S3Refused && failure.status === 404 && failure.code !== "NoSuchBucket",
        () => Effect.succeedNone
      )
    )

  const holds = (cid: CID, bytes: Uint8Array) =>
    Effect.map(read(cid), (present) => Option.isSome(present) && Buffer.compare(present.value, bytes) === 0)

  const put = (cid: CID, bytes: Uint8Array, headers: Readonly<Record<string, string>>) =>
    requests.send({
      method: "PUT",
      key: keyOfBlock(address, cid.toString()),
      headers: { "content-type": "application/octet-stream", ...headers },
      body: bytes,
      sha256: Buffer.from(cid.multihash.digest).toString("hex")
    })

  const write: BlockObjects["write"] = (cid, bytes) =>
    put(cid, bytes, { "if-none-match": "*" }).pipe(
      Effect.catchIf(
        (failure) => failure instanceof S3Refused && (failure.status === 412 || failure.status === 501),
        () => Effect.flatMap(holds(cid, bytes), (held) => (held ? Effect.void : put(cid, bytes, {})))
      ),
      Effect.asVoid
    )

  return { read, write }
}

const contentStore = (objects: BlockObjects, options: S3BlocksOptions): ContentStore["Service"] => {
  const base = options.publicUrl.replace(/\/+$/, "")
  return {
    put: Effect.fn("ContentStore.put")(function* (text, bytes) {
      const cid = readCid(text)
      if (cid === undefined || !isContentOf(cid, bytes)) {
        return yield* Effect.die(new Error(`These ${bytes.length} bytes are not the content of ${text}.`))
      }
      if (inlineContent(cid) !== undefined) return
      yield* storing(`block ${cid} was written`, objects.write(cid, bytes))
    }),
    get: Effect.fn("ContentStore.get")(function* (text) {
      const cid = readCid(text)
      if (cid === undefined || !isCheckable(cid)) return Option.none()
      const inline = inlineContent(cid)
      if (inline !== undefined) return Option.some(inline)
      const doing = `block ${cid} was read`
      const bytes = yield* storing(doing, objects.read(cid))
      if (Option.isNone(bytes) || isContentOf(cid, bytes.value)) return bytes
      const key = keyOfBlock(options.address, cid.toString())
      const cause = new ObjectDamaged({ cid: cid.toString(), bucket: options.address.bucket, key })
      return yield* new StorageUnavailable({ doing, cause })
    }),
    locationOf: (cid) => `${base}/ipfs/${cid}`
  }
}

const batchOf = (objects: BlockObjects): BlockBatch => ({
  add: (codec, bytes) =>
    Effect.suspend(() => {
      const cid = cidOfBlock(codec, bytes)
      return Effect.as(storing(`block ${cid} was written`, objects.write(cid, bytes)), cid)
    }),
  flush: Effect.void,
  end: () => Effect.void
})

const storing = <A>(doing: string, work: Effect.Effect<A, S3Failure>): Effect.Effect<A, StorageUnavailable> =>
  Effect.mapError(work, (cause) => new StorageUnavailable({ doing, cause }))

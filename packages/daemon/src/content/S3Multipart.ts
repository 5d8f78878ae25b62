/**
 * Upload of one large object in parts (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html): the object appears whole or not at
 * all, and an upload that fails or is interrupted is aborted, so that its parts are not kept and billed.
 */
import { Effect, Exit } from "effect"
import { type S3Failure, S3Refused } from "./S3Errors.ts"
import type { S3Requests } from "./S3Requests.ts"

/** Parts sent at the same time. */
const PARTS_AT_ONCE = 3

interface Part {
  readonly number: number
  readonly etag: string
}

/**
 * Stores `bytes` under `key` in parts of `partSize` bytes (at least 5 MiB for AWS). `isStored` is asked when the answer to the last step was
 * lost: then the upload is gone, and only the object tells whether it ended well.
 */
export const uploadInParts = (
  { send }: S3Requests,
  key: string,
  bytes: Uint8Array,
  partSize: number,
  isStored: Effect.Effect<boolean, S3Failure>
): Effect.Effect<void, S3Failure> => {
  const start = Effect.flatMap(send({ method: "POST", key, query: { uploads: "" } }), ({ body, status }) => {
    const id = /<UploadId>([^<]+)<\/UploadId>/.exec(new TextDecoder().decode(body))?.[1]
    return id === undefined ? Effect.die(new Error(`Status ${status} without an upload's id.`)) : Effect.succeed(id)
  })

  const sendPart = (uploadId: string, number: number) =>
    Effect.map(
      send({
        method: "PUT",
        key,
        query: { partNumber: String(number), uploadId },
        body: bytes.subarray((number - 1) * partSize, number * partSize)
      }),
      ({ headers }): Part => ({ number, etag: headers.get("etag") ?? "" })
    )

  const complete = (uploadId: string, parts: ReadonlyArray<Part>) =>
    send({ method: "POST", key, query: { uploadId }, body: new TextEncoder().encode(listOf(parts)) }).pipe(
      Effect.asVoid,
      Effect.catchIf(isUploadGone, (gone) =>
        Effect.flatMap(isStored, (stored) => (stored ? Effect.void : Effect.fail(gone)))
      )
    )

  const abort = (uploadId: string) =>
    send({ method: "DELETE", key, query: { uploadId } }).pipe(
      Effect.catchIf(isUploadGone, () => Effect.void),
      Effect.catch((failure) =>
        Effect.logWarning(
          `The unfinished upload of ${key} could not be aborted; its parts stay in the bucket and may cost money. A lifecycle rule that aborts incomplete multipart uploads removes them. ${failure.message}`
        )
      )
    )

  const numbers = Array.from({ length: Math.ceil(bytes.length / partSize) }, (_, i) => i + 1)
  return Effect.acquireUseRelease(
    start,
    (uploadId) =>
      Effect.forEach(numbers, (number) => sendPart(uploadId, number), { concurrency: PARTS_AT_ONCE }).pipe(
        Effect.flatMap((parts) => complete(uploadId, parts))
      ),
    (uploadId, exit) => (Exit.isSuccess(exit) ? Effect.void : abort(uploadId))
  )
}

const isUploadGone = (failure: S3Failure): failure is S3Refused =>
  failure instanceof S3Refused && failure.code === "NoSuchUpload"

const listOf = (parts: ReadonlyArray<Part>): string => {
  const items = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`
  )
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${items.join("")}</CompleteMultipartUpload>`
}

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

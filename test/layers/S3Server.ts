/**
 * Real S3-compatible storage for a test: s3rver on a free loopback port, its objects in a folder of its own. In front of it stands what S3
 * does and s3rver does not: signatures and payload hashes are checked, `If-None-Match: *` is kept, an upload in parts can be aborted,
 * and a write is answered when it is on the disk. The front also makes the faults that a healthy server does not show.
 */
import { createHash, createHmac } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, type Scope } from "effect"

/** The only key that s3rver knows. */
export const S3_KEY = { id: "S3RVER", secret: "S3RVER" } as const
export const S3_BUCKET = "assets"

/**
 * An error of S3's, or: `reset` cuts the connection before anything is done, `hang` never answers, `lost` does the work and
 * cuts the connection instead of answering, `late-error` says 200 and then `<Error>`, as the end of an upload may.
 */
export type S3Fault = { readonly status: number; readonly code: string } | "reset" | "hang" | "lost" | "late-error"

export interface S3Seen {
  readonly method: string
  /** Path and query. */
  readonly target: string
}

export interface S3Server {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string
  /** `endpoint/bucket/prefix` */
  readonly contentUrl: string
  /** The file in which s3rver keeps the object. */
  readonly objectFile: (key: string) => string
  /** Parts of unfinished uploads that the bucket holds. */
  readonly uploadsFolder: string
  /** Every request so far. */
  readonly seen: Array<S3Seen>
  /** The next `times` requests that `where` picks meet the fault. */
  readonly fail: (fault: S3Fault, times: number, where?: (seen: S3Seen) => boolean) => void
  readonly stop: Effect.Effect<void>
  readonly start: Effect.Effect<void>
}

interface S3rver {
  readonly store: {
    putObject: (object: { readonly bucket: string; readonly key: string; readonly content: unknown }) => Promise<Stored>
    putPart: (bucket: string, uploadId: string, part: string, content: unknown) => Promise<Stored>
    readonly getResourcePath: (bucket: string, key: string | undefined, resource: string) => string
  }
  readonly logger: { readonly exceptions: { readonly unhandle: () => void }; readonly close: () => void }
  readonly configureBuckets: () => Promise<unknown>
  readonly callback: () => (request: IncomingMessage, response: ServerResponse) => Promise<void>
}

interface Stored {
  readonly size: number
}

const load = createRequire(import.meta.url)

/** Starts the storage with one bucket; it is stopped, and its folder removed, when the scope closes. */
export const startS3Server: (prefix?: string) => Effect.Effect<S3Server, never, Scope.Scope> = Effect.fn(
  "startS3Server"
)(function* (prefix = "") {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "treemark-s3-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  )
  const s3rver = yield* Effect.acquireRelease(
    Effect.promise(() => openS3rver(directory)),
    ({ logger }) =>
      Effect.sync(() => {
        logger.exceptions.unhandle()
        logger.close()
      })
  )
  const { store } = s3rver
  const uploadsFolder = store.getResourcePath(S3_BUCKET, undefined, "uploads")
  const answer = s3rver.callback()
  const seen: Array<S3Seen> = []
  const faults: Array<{ readonly fault: S3Fault; left: number; readonly where: (seen: S3Seen) => boolean }> = []

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = { method: request.method ?? "", target: request.url ?? "" }
    seen.push(one)
    const due = faults.find((fault) => fault.left > 0 && fault.where(one))
    if (due !== undefined) due.left--
    if (due?.fault === "hang") return
    if (due?.fault === "reset") return void request.socket.destroy()
    if (due?.fault === "late-error") return refuse(request, response, { status: 200, code: "InternalError" })
    if (due?.fault === "lost") response.end = () => response.destroy()
    else if (due !== undefined) return refuse(request, response, due.fault)
    const refusal = await refusalOf(request, store)
    if (refusal === "aborted") return void response.writeHead(204).end()
    if (refusal !== undefined) return refuse(request, response, refusal)
    await answer(request, response)
  }

  let server: Server | undefined
  let port = 0
  const start = Effect.promise(async () => {
    const starting = createServer((request, response) => void serve(request, response))
    await new Promise<void>((resolve) => starting.listen(port, "127.0.0.1", resolve))
    port = (starting.address() as AddressInfo).port
    server = starting
  })
  const stop = Effect.promise(async () => {
    const stopping = server
    server = undefined
    if (stopping === undefined) return
    const closed = new Promise<void>((resolve) => stopping.close(() => resolve()))
    stopping.closeAllConnections()
    await closed
  })
  yield* Effect.acquireRelease(start, () => stop)

  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    contentUrl: `${endpoint}/${S3_BUCKET}${prefix === "" ? "" : `/${prefix}`}`,
    objectFile: (key) => store.getResourcePath(S3_BUCKET, key, "object"),
    uploadsFolder,
    seen,
    fail: (fault, times, where = () => true) => void faults.push({ fault, left: times, where }),
    stop,
    start
  }
})

/** s3rver answers a write before the last bytes are in the file; here it waits until they are, and checks their hash. */
const openS3rver = async (directory: string): Promise<S3rver> => {
  const make = load("s3rver") as new (options: object) => S3rver
  const s3rver = new make({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: S3_BUCKET, configs: [] }]
  })
  await s3rver.configureBuckets()
  const { store } = s3rver
  const putObject = store.putObject.bind(store)
  store.putObject = async (object) => {
    const stored = await putObject(object)
    const file = store.getResourcePath(object.bucket, object.key, "object")
    await untilOf(file, stored.size)
    const { headers } = object.content as Partial<IncomingMessage>
    const expected = headers?.["x-amz-content-sha256"]
    if (expected !== undefined && expected !== sha256(await readFile(file))) throw new Error("payload hash mismatch")
    return stored
  }
  const putPart = store.putPart.bind(store)
  store.putPart = async (bucket, uploadId, part, content) => {
    const stored = await putPart(bucket, uploadId, part, content)
    await untilOf(join(store.getResourcePath(bucket, undefined, "uploads"), uploadId, part), stored.size)
    return stored
  }
  return s3rver
}

const untilOf = async (file: string, size: number): Promise<void> => {
  while ((await stat(file)).size !== size) await sleep(1)
}

const refusalOf = async (request: IncomingMessage, store: S3rver["store"]) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1")
  if (!isSigned(request, pathname, searchParams)) return { status: 403, code: "SignatureDoesNotMatch" }
  const key = pathname.split("/").slice(2).join("/")
  const isPresent = existsSync(store.getResourcePath(S3_BUCKET, key, "object"))
  if (request.method === "PUT" && request.headers["if-none-match"] === "*" && isPresent) {
    return { status: 412, code: "PreconditionFailed" }
  }
  const uploadId = searchParams.get("uploadId")
  if (uploadId === null) return undefined
  const parts = join(store.getResourcePath(S3_BUCKET, undefined, "uploads"), uploadId)
  if (!existsSync(parts)) return { status: 404, code: "NoSuchUpload" }
  if (request.method !== "DELETE") return undefined
  await rm(parts, { recursive: true, force: true, maxRetries: 10 })
  return "aborted" as const
}

const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  refusal: { status: number; code: string }
): void => {
  request.resume()
  request.on("end", () => {
    response.writeHead(refusal.status, { "content-type": "application/xml" })
    const told = `<Message>no</Message><AWSAccessKeyId>${S3_KEY.id}</AWSAccessKeyId>`
    response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code>${told}</Error>`)
  })
}

/** AWS Signature Version 4 in a header, computed anew from the request as it arrived; another key's id is left to s3rver. */
const isSigned = (request: IncomingMessage, pathname: string, query: URLSearchParams): boolean => {
  const header = request.headers.authorization ?? ""
  const [, scope = "", names = "", signature] =
    /Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(header) ?? []
  const [id, day = "", region = "", service = ""] = scope.split("/")
  if (id !== S3_KEY.id) return signature !== undefined
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  const canonical = [
    request.method,
    pathname,
    [...query]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join("&"),
    ...names.split(";").map((name) => `${name}:${String(request.headers[name])}`),
    "",
    names,
    request.headers["x-amz-content-sha256"]
  ].join("\n")
  const date = String(request.headers["x-amz-date"])
  const toSign = ["AWS4-HMAC-SHA256", date, scope.split("/").slice(1).join("/"), sha256(canonical)].join("\n")
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${S3_KEY.secret}`)
  return hmac(key, toSign).toString("hex") === signature
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest()
const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")
